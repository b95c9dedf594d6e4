import Apus
import ApusTestServer
import Dispatch

/// Opens a gate when the session has begun a given number of exchanges.
final class ExchangeGate: EventMonitor {
    let queue = DispatchQueue(label: "apus.tests.exchange-gate")
    /// The gate, opened at the last of these exchanges.
    let gate = Gate()
    private let tally: Tally

    init(count: Int) {
        self.tally = Tally(count)
    }

    func request(_ request: RequestSummary, did event: RequestEvent) {
        guard case .exchangeBegan = event, tally.countDown() == 0 else { return }
        gate.open()
    }
}

extension Wire {
    /// Yields many times, so that events pending on an event loop have most likely been delivered.
    static func yieldToOthers() async {
        for _ in 0..<1000 { await Task.yield() }
    }
}

import Apus
import ApusTestServer
import Dispatch

/// Opens a gate when the session has begun so many exchanges.
final class ExchangeGate: EventMonitor {
    let queue = DispatchQueue(label: "apus.tests.exchange-gate")
    /// Open once there were enough.
    let gate = Gate()
    private let tally: Tally

    init(count: Int) {
        self.tally = Tally(count)
    }

    func request(_ request: RequestID, did event: RequestEvent) {
        guard case .exchangeBegan = event, tally.countDown() == 0 else { return }
        gate.open()
    }
}

extension Wire {
    /// Turns of the executors: what is on its way to a loop has arrived behind them, in all likelihood.
    static func letOthersRun() async {
        for _ in 0..<1000 { await Task.yield() }
    }
}

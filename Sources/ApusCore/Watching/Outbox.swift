internal import DequeModule
internal import Dispatch
internal import HTTPTypes

/// The events of one request on their way to the monitors, in order.
///
/// Whoever appends to an idle outbox drains it; others only append. So the order in which events were put in
/// is the order in which every monitor gets them, and no lock is held while they are handed over.
final class Outbox: ExchangeListener {
    private struct State {
        var events = Deque<RequestEvent>()
        var isDraining = false

        mutating func begin() -> Bool {
            guard !isDraining, !events.isEmpty else { return false }
            isDraining = true
            return true
        }

        /// The next event; without one the outbox is idle again.
        mutating func takeNext() -> RequestEvent? {
            guard let event = events.popFirst() else {
                isDraining = false
                return nil
            }
            return event
        }
    }

    private let request: RequestID
    private let monitors: [any EventMonitor]
    private let state = Lock(State())

    init(request: RequestID, monitors: [any EventMonitor]) {
        self.request = request
        self.monitors = monitors
    }

    /// Appends without handing over: for callers that hold a lock; they call `drain()` after it.
    func append(_ event: RequestEvent) {
        state.withLock { $0.events.append(event) }
    }

    /// Hands over what was appended, unless someone else is at it.
    func drain() {
        guard state.withLock({ $0.begin() }) else { return }
        while let event = state.withLock({ $0.takeNext() }) {
            for monitor in monitors {
                let request = request
                monitor.queue.async { monitor.request(request, did: event) }
            }
        }
    }

    func post(_ event: RequestEvent) {
        append(event)
        drain()
    }

    func exchange(_ record: ExchangeRecord, didReceiveInformational response: HTTPResponse) {
        post(.informational(response))
    }

    func exchangeDidEnd(_ record: ExchangeRecord) {
        post(.exchangeEnded(record.metrics))
    }
}

internal import Dispatch

/// The events of a session on their way to its monitors, which all get them in the order in which they were put in.
///
/// What is put in gathers for each monitor, for as long as its latency allows, and is handed over in one turn of the
/// monitor's queue, however much it is:
///
///     idle ── put in ──→ scheduled ── the queue's turn: all that has gathered is taken ──→ idle
///
/// An inbox is idle again before its monitor is told, so that what comes meanwhile has a turn of its own, behind whatever
/// else waits on that queue. No lock is held while a monitor is told; it may make requests itself.
final class EventPump: Sendable {
    private typealias Told = (request: RequestID, event: RequestEvent)

    /// What waits for one monitor.
    private struct Inbox {
        var waiting: [Told] = []
        /// The storage of what was told last, to be filled again.
        var spare: [Told] = []
        var isScheduled = false

        mutating func schedule() -> Bool {
            guard !isScheduled, !waiting.isEmpty else { return false }
            isScheduled = true
            return true
        }

        mutating func take() -> [Told] {
            isScheduled = false
            defer {
                waiting = spare
                spare = []
            }
            return waiting
        }
    }

    /// The storage for so many events is kept; what a burst has needed goes back.
    private static let keptCapacity = 1024

    /// Who is told, the members of composites one by one.
    let monitors: [any EventMonitor]
    private let queues: [DispatchQueue]
    /// `nil` for who wants to be told at once.
    private let latencies: [DispatchTimeInterval?]
    private let inboxes: Lock<[Inbox]>

    init(_ monitors: [any EventMonitor]) {
        self.monitors = monitors.flatMap { ($0 as? CompositeEventMonitor)?.monitors ?? [$0] }
        self.queues = self.monitors.map(\.queue)
        self.latencies = self.monitors.map { monitor in
            monitor.latency > .zero ? .nanoseconds(Int(monitor.latency.wholeNanoseconds)) : nil
        }
        self.inboxes = Lock(self.monitors.map { _ in Inbox() })
    }

    /// Puts an event in without handing over: for callers that hold a lock; they call `drain()` after it.
    func append(_ event: RequestEvent, of request: RequestID) {
        inboxes.withLock { Self.put((request, event), into: &$0) }
    }

    /// Has handed over what was put in.
    func drain() {
        wake(inboxes.withLock { Self.schedule(&$0) })
    }

    func post(_ event: RequestEvent, of request: RequestID) {
        let idle = inboxes.withLock { inboxes in
            Self.put((request, event), into: &inboxes)
            return Self.schedule(&inboxes)
        }
        wake(idle)
    }

    private static func put(_ told: Told, into inboxes: inout [Inbox]) {
        for index in inboxes.indices { inboxes[index].waiting.append(told) }
    }

    /// The monitors whose queues do not know yet that something waits.
    private static func schedule(_ inboxes: inout [Inbox]) -> [Int] {
        var idle: [Int] = []
        for index in inboxes.indices where inboxes[index].schedule() { idle.append(index) }
        return idle
    }

    private func wake(_ idle: [Int]) {
        for index in idle {
            if let latency = latencies[index] {
                queues[index].asyncAfter(deadline: .now() + latency) { self.tell(index) }
            } else {
                queues[index].async { self.tell(index) }
            }
        }
    }

    private func tell(_ index: Int) {
        var told = inboxes.withLock { $0[index].take() }
        let monitor = monitors[index]
        for (request, event) in told { monitor.request(request, did: event) }
        guard told.capacity <= Self.keptCapacity else { return }
        told.removeAll(keepingCapacity: true)
        inboxes.withLock { [told] in $0[index].spare = told }
    }
}

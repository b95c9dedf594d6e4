internal import DequeModule
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
    /// What a monitor is told.
    enum Told: Sendable {
        case request(RequestID, RequestEvent)
        case sessionEnd(SessionEnding.End)

        fileprivate var isProgress: Bool {
            if case .request(_, let event) = self { event.role == .progress } else { false }
        }

        /// Whether it says how far a content is that `other` has told less of.
        fileprivate func supersedes(_ other: Told) -> Bool {
            switch (self, other) {
            case (.request(let own, .contentSent), .request(let others, .contentSent)),
                (.request(let own, .contentReceived), .request(let others, .contentReceived)):
                own == others
            default: false
            }
        }
    }

    /// What waits for one monitor.
    private struct Inbox {
        var waiting: Deque<Told> = []
        /// The storage of what was told last, to be filled again.
        var spare: Deque<Told> = []
        var isScheduled = false

        mutating func put(_ told: consuming Told, isProgress: Bool) {
            if isProgress, let last = waiting.last, told.supersedes(last) { waiting.removeLast() }
            waiting.append(consume told)
        }

        mutating func schedule() -> Bool {
            guard !isScheduled, !waiting.isEmpty else { return false }
            isScheduled = true
            return true
        }

        mutating func take() -> Deque<Told> {
            isScheduled = false
            defer {
                waiting = spare
                spare = []
            }
            return waiting
        }
    }

    private struct State {
        var inboxes: [Inbox]
        var ending = SessionEnding()
    }

    /// The storage for so many events is kept; what a burst has needed goes back.
    private static let keptCapacity = 4096

    /// Who is told, the members of composites one by one.
    let monitors: [any EventMonitor]
    private let queues: [DispatchQueue]
    /// `nil` for who wants to be told at once.
    private let latencies: [DispatchTimeInterval?]
    private let hearProgress: [Bool]
    private let state: Lock<State>

    /// Whether anybody hears progress.
    let hearsProgress: Bool

    init(_ monitors: [any EventMonitor]) {
        self.monitors = monitors.flatMap { ($0 as? CompositeEventMonitor)?.monitors ?? [$0] }
        self.queues = self.monitors.map(\.queue)
        self.latencies = self.monitors.map { monitor in
            monitor.latency > .zero ? .nanoseconds(Int(monitor.latency.wholeNanoseconds)) : nil
        }
        self.hearProgress = self.monitors.map(\.hearsProgress)
        self.hearsProgress = hearProgress.contains(true)
        self.state = Lock(State(inboxes: self.monitors.map { _ in Inbox() }))
    }

    /// Puts an event in without handing over: for callers that hold a lock; they call `drain()` after it.
    func append(_ event: RequestEvent, of outbox: Outbox) {
        state.withLock { put(event, of: outbox, into: &$0) }
    }

    /// Has handed over what was put in.
    func drain() {
        wake(state.withLock { Self.schedule(&$0.inboxes) })
    }

    /// Puts in what happened, and what else happened with it.
    func post(_ event: RequestEvent, _ next: RequestEvent? = nil, of outbox: Outbox) {
        let idle = state.withLock { state in
            put(event, of: outbox, into: &state)
            if let next { put(next, of: outbox, into: &state) }
            return Self.schedule(&state.inboxes)
        }
        wake(idle)
    }

    /// Has told that the session is over, once its requests have told everything; the second call does nothing.
    func end(_ session: SessionID, dueTo error: ApusError?) {
        let idle = state.withLock { state in
            if let end = state.ending.end(session, error) { put(.sessionEnd(end), into: &state.inboxes) }
            return Self.schedule(&state.inboxes)
        }
        wake(idle)
    }

    /// Hands on what another pump has told: it knows when a session ends.
    func relay(_ told: Told) {
        let idle = state.withLock { state in
            put(told, isProgress: told.isProgress, into: &state.inboxes)
            return Self.schedule(&state.inboxes)
        }
        wake(idle)
    }

    private func put(_ event: RequestEvent, of outbox: Outbox, into state: inout State) {
        let role = event.role
        put(.request(outbox.request, event), isProgress: role == .progress, into: &state.inboxes)
        guard let end = state.ending.note(role, isUnfinished: outbox.isUnfinished) else { return }
        put(.sessionEnd(end), into: &state.inboxes)
    }

    /// Each monitor gets its own.
    @inline(__always)
    private func put(_ told: Told, isProgress: Bool = false, into inboxes: inout [Inbox]) {
        for index in inboxes.indices where !isProgress || hearProgress[index] {
            inboxes[index].put(told, isProgress: isProgress)
        }
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
        var told = state.withLock { $0.inboxes[index].take() }
        let monitor = monitors[index]
        let count = told.count
        // Each goes away once it is told.
        while let next = told.popFirst() {
            switch consume next {
            case .request(let request, let event): monitor.request(request, did: event)
            case .sessionEnd(let end): monitor.session(end.session, didEndDueTo: end.error)
            }
        }
        guard count <= Self.keptCapacity else { return }
        state.withLock { [told] in $0.inboxes[index].spare = told }
    }
}

extension RequestEvent {
    /// What an event is to whoever does not look into it.
    enum Role {
        /// The first that is told of a request is one of these.
        case beginning
        case step
        /// The next of these stands for it too.
        case progress
        case end
    }

    var role: Role {
        switch self {
        // Who asks for something after the end, and gives that up, begins and finishes once more.
        case .resumed, .cancelled, .created, .creationFailed: .beginning
        case .contentSent, .contentReceived: .progress
        case .finished: .end
        default: .step
        }
    }
}

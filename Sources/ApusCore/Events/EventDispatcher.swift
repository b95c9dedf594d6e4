internal import DequeModule
internal import Dispatch

/// Delivers the events of a session to its monitors, to each of them in the same order.
///
/// One log holds the events that some monitor has not received, and each monitor has a position in it. Events collect
/// for up to the latency of a monitor, and are then delivered in one block on its queue:
///
///     idle ── first event ──→ scheduled ── the block runs and takes all events ──→ idle
///                               │     ↑
///                               └─────┘ a batch is full: another block takes its events earlier
///
/// A monitor becomes idle before delivery starts, so that later events schedule a new block on its queue. No lock is
/// held during delivery, so a monitor may make requests itself.
///
/// The monitors of a single request have dispatchers of their own, which get each event after the session's. If
/// monitors share a queue, an event is delivered to those of the session first.
final class EventDispatcher: Sendable {
    private struct State: ~Copyable {
        var log: EventLog
        /// For each monitor: whether a delivery is scheduled on its queue.
        var isScheduled: [Bool]
        /// For each monitor: whether a full batch is about to be delivered.
        var isEarly: [Bool]
        var hasIdle = true
        /// The number of events since the last full batch.
        var unbatched = 0

        /// The number of events that are delivered before the latency is over. The requests of more would fill the
        /// caches of the processor with memory that waits to be released.
        private static let batchCount = 512

        init(wantsProgress: [Bool]) {
            log = EventLog(wantsProgress: wantsProgress)
            isScheduled = wantsProgress.map { _ in false }
            isEarly = isScheduled
        }

        /// Whether `schedule()` has something to do.
        var isDue: Bool { hasIdle || unbatched >= Self.batchCount }
        var ending = SessionEndTracker()

        /// Adds an event. Moves it instead of copying, because most events hold references.
        @inline(__always)
        mutating func put(_ event: inout LoggedEvent?, _ role: RequestEvent.Role, of eventSink: RequestEventSink) {
            if let event = event.take() { log.put(consume event, isProgress: role == .progress) }
            unbatched += 1
            guard role == .beginning || role == .end else { return }
            guard let end = ending.note(role, isUnfinished: eventSink.isUnfinished) else { return }
            log.put(.sessionEnd(end))
        }

        /// Returns the monitors that have events but no scheduled delivery, and marks them as scheduled. Then those
        /// whose scheduled delivery would come late, because a batch is full.
        mutating func schedule() -> (idle: [Int], early: [Int]) {
            let isFull = unbatched >= Self.batchCount
            if isFull { unbatched = 0 }
            var (idle, early): ([Int], [Int]) = ([], [])
            for index in isScheduled.indices where log.hasMore(for: index) {
                if !isScheduled[index] {
                    isScheduled[index] = true
                    idle.append(index)
                } else if isFull, !isEarly[index] {
                    isEarly[index] = true
                    early.append(index)
                }
            }
            hasIdle = isScheduled.contains(false)
            return (idle, early)
        }
    }

    /// The monitors, with composites replaced by their members.
    let monitors: [any EventMonitor]
    private let queues: [DispatchQueue]
    /// The latency of each monitor, `nil` for immediate delivery.
    private let latencies: [DispatchTimeInterval?]
    private let wantsProgress: [Bool]
    private let state: Lock<State>
    /// The dispatcher whose monitors come first. It gets each event before this one.
    private let previous: EventDispatcher?

    /// Whether any monitor receives progress events.
    let receivesProgress: Bool
    /// The maximum number of bytes of a response body that a monitor asks for.
    let bodyPrefixBytes: Int

    init(_ monitors: [any EventMonitor], after previous: EventDispatcher? = nil) {
        self.previous = previous
        self.monitors = monitors.flatMap { ($0 as? CompositeEventMonitor)?.monitors ?? [$0] }
        self.queues = self.monitors.map(\.queue)
        self.latencies = self.monitors.map { monitor in
            monitor.latency > .zero ? .nanoseconds(Int(monitor.latency.wholeNanoseconds)) : nil
        }
        self.wantsProgress = self.monitors.map(\.receivesProgress)
        self.receivesProgress = wantsProgress.contains(true)
        self.bodyPrefixBytes = self.monitors.reduce(0) { max($0, $1.bodyPrefixBytes) }
        self.state = Lock(State(wantsProgress: wantsProgress))
    }

    /// Adds an event without delivering it, for callers that hold a lock. They call `drain()` after releasing it.
    func append(_ event: consuming RequestEvent, of eventSink: RequestEventSink) {
        _ = put(consume event, of: eventSink)
    }

    /// Adds an event and schedules its delivery.
    func post(_ event: consuming RequestEvent, of eventSink: RequestEventSink) {
        if put(consume event, of: eventSink) { drain() }
    }

    /// Adds two events that happened together.
    func post(_ event: consuming RequestEvent, _ next: consuming RequestEvent, of eventSink: RequestEventSink) {
        let (role, nextRole) = (event.role, next.role)
        let request = eventSink.summary
        var logged = Optional(LoggedEvent.request(request, consume event))
        var loggedNext = Optional(LoggedEvent.request(request, consume next))
        let isDue = state.withLock { state in
            state.put(&logged, role, of: eventSink)
            state.put(&loggedNext, nextRole, of: eventSink)
            return state.isDue
        }
        if isDue { drain() }
    }

    /// Adds an event and returns whether a delivery has to be scheduled.
    @inline(__always)
    private func put(_ event: consuming RequestEvent, of eventSink: RequestEventSink) -> Bool {
        let role = event.role
        var logged = Optional(LoggedEvent.request(eventSink.summary, consume event))
        return state.withLock { state in
            state.put(&logged, role, of: eventSink)
            return state.isDue
        }
    }

    /// Reports that the session ended, after the last event of its requests. Further calls do nothing.
    func end(_ session: SessionID, dueTo error: ApusError?) {
        state.withLock { state in
            if let end = state.ending.end(session, error) { state.log.put(.sessionEnd(end)) }
        }
        drain()
    }

    /// Delivers an event of another dispatcher, which has already decided when its session ends.
    func relay(_ event: LoggedEvent) {
        append(event)
        drain()
    }

    /// Adds an event of another dispatcher without delivering it.
    func append(_ event: LoggedEvent) {
        state.withLock { $0.log.put(event) }
    }

    /// Schedules the delivery of all events.
    func drain() {
        let (idle, early) = state.withLock { $0.schedule() }
        for index in idle {
            if let latency = latencies[index] {
                queues[index].asyncAfter(deadline: .now() + latency) { self.deliver(index) }
            } else {
                queues[index].async { self.deliver(index) }
            }
        }
        for index in early where latencies[index] != nil {
            queues[index].async { self.deliver(index, isEarly: true) }
        }
    }

    private func deliver(_ index: Int, isEarly: Bool = false) {
        let taken = take(by: index, isEarly: isEarly)
        previous?.deliverAll(on: queues[index])
        deliver(consume taken)
    }

    /// Delivers the events of all monitors on a queue at once. Called on this queue.
    private func deliverAll(on queue: DispatchQueue) {
        var all = UniqueDeque<EventLog.Taken>()
        for index in queues.indices where queues[index] === queue { all.append(take(by: index, isEarly: true)) }
        previous?.deliverAll(on: queue)
        while let taken = all.popFirst() { deliver(taken) }
    }

    /// An early delivery leaves the scheduled one, which takes the events that follow.
    private func take(by index: Int, isEarly: Bool) -> EventLog.Taken {
        state.withLock { state in
            if isEarly {
                state.isEarly[index] = false
            } else {
                state.isScheduled[index] = false
                state.hasIdle = true
            }
            return state.log.take(by: index)
        }
    }

    private func deliver(_ taken: consuming EventLog.Taken) {
        let (monitor, receivesProgress) = (monitors[taken.monitor], wantsProgress[taken.monitor])
        var events = UniqueDeque<LoggedEvent>()
        swap(&events, &taken.events)
        // Moved out, so that each event is released right after its delivery.
        while let next = events.popFirst() {
            if self.receivesProgress, next.isProgress {
                let isSuperseded = !events.isEmpty && events[0].supersedes(next)
                if isSuperseded || !receivesProgress { continue }
            }
            switch consume next {
            case .request(let entry): monitor.request(entry.request, did: entry.event)
            case .sessionEnd(let end): monitor.session(end.session, didEndDueTo: end.error)
            }
        }
        var emptied = Optional(events)
        state.withLock { state in
            if let storage = emptied.take() { state.log.reuse(storage) }
        }
    }
}

extension RequestEvent {
    /// The role of an event, for code that ignores its payload.
    enum Role {
        /// A possible first event of a request.
        case beginning
        case step
        /// Replaced by the next event of its kind.
        case progress
        case end
    }

    var role: Role {
        switch self {
        // A request that is used after its end, and then cancelled, begins and finishes once more.
        case .resumed, .cancelled, .created, .creationFailed: .beginning
        case .contentSent, .contentReceived: .progress
        case .finished: .end
        default: .step
        }
    }
}

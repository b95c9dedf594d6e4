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
    /// The deliveries to one monitor that are under way.
    private struct Deliveries {
        /// Whether the monitor has a latency, so that a full batch can be delivered earlier.
        let isDelayed: Bool
        var isScheduled = false
        var isEarly = false
    }

    /// A reason to deliver the events of a monitor.
    private enum Occasion {
        /// Its latency, if it has one, is over.
        case scheduled
        /// A batch is full.
        case early
        /// Another monitor on the same queue is next, and must get its events after this one.
        case joint
    }

    private struct State: ~Copyable {
        private var log: EventLog
        private var ending = SessionEndTracker()
        /// The deliveries to each monitor.
        private var deliveries: [Deliveries]
        private var hasIdle = true
        /// The number of items of the log since the last full batch.
        private var unbatched = 0

        /// The number of items that are delivered before the latency is over. The requests of more would fill the
        /// caches of the processor with memory that waits to be released.
        private static let batchCount = 512

        init(wantsProgress: [Bool], isDelayed: [Bool]) {
            log = EventLog(wantsProgress: wantsProgress)
            deliveries = isDelayed.map { Deliveries(isDelayed: $0) }
        }

        /// Whether `schedule()` has something to do.
        var isDue: Bool { hasIdle || unbatched >= Self.batchCount }

        /// Adds an event. Moves it instead of copying, because most events hold references.
        @inline(__always)
        mutating func put(_ event: inout LoggedEvent?, _ role: RequestEvent.Role, of eventSink: RequestEventSink) {
            if let event = event.take() { put(consume event, isProgress: role == .progress) }
            guard role == .beginning || role == .end else { return }
            guard let end = ending.note(role, isUnfinished: eventSink.isUnfinished) else { return }
            put(.sessionEnd(end), isProgress: false)
        }

        @inline(__always)
        mutating func put(_ event: consuming LoggedEvent, isProgress: Bool) {
            log.put(consume event, isProgress: isProgress)
            unbatched += 1
        }

        /// Adds the end of the session, unless a request is unfinished.
        mutating func end(_ session: SessionID, _ error: ApusError?) {
            if let end = ending.end(session, error) { put(.sessionEnd(end), isProgress: false) }
        }

        /// Returns the monitors that have events but no scheduled delivery, and marks them as scheduled. Then those
        /// whose scheduled delivery would come late, because a batch is full.
        mutating func schedule() -> (idle: [Int], early: [Int]) {
            let isFull = unbatched >= Self.batchCount
            if isFull { unbatched = 0 }
            var (idle, early): ([Int], [Int]) = ([], [])
            for index in deliveries.indices where log.hasMore(for: index) {
                let current = deliveries[index]
                if !current.isScheduled {
                    deliveries[index].isScheduled = true
                    idle.append(index)
                } else if isFull, current.isDelayed, !current.isEarly {
                    deliveries[index].isEarly = true
                    early.append(index)
                }
            }
            hasIdle = deliveries.contains { !$0.isScheduled }
            return (idle, early)
        }

        /// Takes the events of a monitor. Only a scheduled delivery makes it idle: one that is under way stays so after
        /// the others, and takes the events that follow.
        mutating func take(by monitor: Int, on occasion: Occasion) -> EventLog.Taken {
            switch occasion {
            case .scheduled:
                deliveries[monitor].isScheduled = false
                hasIdle = true
            case .early: deliveries[monitor].isEarly = false
            case .joint: break
            }
            return log.take(by: monitor)
        }

        /// Keeps emptied storage for reuse.
        mutating func reuse(_ storage: consuming UniqueDeque<LoggedEvent>) {
            log.reuse(consume storage)
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
        self.state = Lock(State(wantsProgress: wantsProgress, isDelayed: latencies.map { $0 != nil }))
    }

    /// Adds an event without delivering it, for callers that hold a lock. They call `drain()` after releasing it.
    func append(_ event: consuming RequestEvent, of eventSink: RequestEventSink) {
        _ = put(consume event, then: nil, of: eventSink)
    }

    /// Adds an event and schedules its delivery. One with a follower is neither the beginning of a request nor progress.
    func post(
        _ event: consuming RequestEvent,
        then follower: RequestEvent.Follower? = nil,
        of eventSink: RequestEventSink
    ) {
        if put(consume event, then: follower, of: eventSink) { drain() }
    }

    /// Adds an event and returns whether a delivery has to be scheduled.
    @inline(__always)
    private func put(
        _ event: consuming RequestEvent,
        then follower: RequestEvent.Follower?,
        of eventSink: RequestEventSink
    ) -> Bool {
        let role = follower == .finished ? .end : event.role
        var logged = Optional(LoggedEvent.request(eventSink.summary, consume event, then: follower))
        return state.withLock { state in
            state.put(&logged, role, of: eventSink)
            return state.isDue
        }
    }

    /// Reports that the session ended, after the last event of its requests. Further calls do nothing.
    func end(_ session: SessionID, dueTo error: ApusError?) {
        state.withLock { $0.end(session, error) }
        drain()
    }

    /// Delivers an event of another dispatcher, which has already decided when its session ends.
    func relay(_ event: LoggedEvent) {
        append(event)
        drain()
    }

    /// Adds an event of another dispatcher without delivering it.
    func append(_ event: LoggedEvent) {
        state.withLock { $0.put(event, isProgress: event.isProgress) }
    }

    /// Schedules the delivery of all events.
    func drain() {
        let (idle, early) = state.withLock { $0.schedule() }
        for index in idle {
            if let latency = latencies[index] {
                queues[index].asyncAfter(deadline: .now() + latency) { self.deliver(index, on: .scheduled) }
            } else {
                queues[index].async { self.deliver(index, on: .scheduled) }
            }
        }
        for index in early { queues[index].async { self.deliver(index, on: .early) } }
    }

    private func deliver(_ index: Int, on occasion: Occasion) {
        let taken = state.withLock { $0.take(by: index, on: occasion) }
        previous?.deliverAll(on: queues[index])
        deliver(consume taken)
    }

    /// Delivers the events of all monitors on a queue at once. Called on this queue.
    private func deliverAll(on queue: DispatchQueue) {
        var all = UniqueDeque<EventLog.Taken>()
        for index in queues.indices where queues[index] === queue {
            all.append(state.withLock { $0.take(by: index, on: .joint) })
        }
        previous?.deliverAll(on: queue)
        while let taken = all.popFirst() { deliver(taken) }
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
            case .request(let entry):
                monitor.request(entry.request, did: entry.event)
                if let follower = entry.follower { monitor.request(entry.request, did: follower.event) }
            case .sessionEnd(let end): monitor.session(end.session, didEndDueTo: end.error)
            }
        }
        var emptied = Optional(events)
        state.withLock { state in
            if let storage = emptied.take() { state.reuse(storage) }
        }
    }
}

extension RequestEvent {
    /// An event that may happen together with another one, right after it.
    package enum Follower: Sendable {
        /// The validators have accepted the response.
        case validated
        case finished

        var event: RequestEvent {
            switch self {
            case .validated: .validated(nil)
            case .finished: .finished
            }
        }
    }

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

internal import Dispatch

/// The events of a session on their way to its monitors, which all get them in the order in which they were put in.
///
/// There is one log of what some monitor was not told yet, and each monitor has its place in it. What is put in gathers
/// for as long as the latency of a monitor allows. It is told all of that in one turn of its queue, however much it is:
///
///     idle ── put in ──→ scheduled ── the queue's turn: all that has gathered is taken ──→ idle
///
/// A monitor is idle again before it is told, so that what comes meanwhile has a turn of its own, behind whatever else
/// waits on that queue. No lock is held while a monitor is told; it may make requests itself.
final class EventPump: Sendable {
    private struct State {
        var log: EventLog
        /// For each monitor: whether its queue knows that something waits.
        var isScheduled: [Bool]
        var hasIdle = true
        var ending = SessionEnding()

        /// Puts in what happened to a request. It is moved there and not copied: most events hold references.
        @inline(__always)
        mutating func put(_ told: inout Told?, _ role: RequestEvent.Role, of outbox: Outbox) {
            log.put(&told)
            guard role == .beginning || role == .end else { return }
            guard let end = ending.note(role, isUnfinished: outbox.isUnfinished) else { return }
            log.put(.sessionEnd(end))
        }

        /// The monitors whose queues do not know yet that something waits for them.
        mutating func schedule() -> [Int] {
            let idle = isScheduled.indices.filter { !isScheduled[$0] && log.hasMore(for: $0) }
            for index in idle { isScheduled[index] = true }
            hasIdle = isScheduled.contains(false)
            return idle
        }
    }

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
        self.state = Lock(
            State(log: EventLog(hearProgress: hearProgress), isScheduled: self.monitors.map { _ in false })
        )
    }

    /// Puts an event in without handing over: for callers that hold a lock; they call `drain()` after it.
    func append(_ event: consuming RequestEvent, of outbox: Outbox) {
        _ = put(consume event, of: outbox)
    }

    /// Puts in what happened.
    func post(_ event: consuming RequestEvent, of outbox: Outbox) {
        if put(consume event, of: outbox) { drain() }
    }

    /// Puts in two things that happened together.
    func post(_ event: consuming RequestEvent, _ next: consuming RequestEvent, of outbox: Outbox) {
        let (role, nextRole) = (event.role, next.role)
        var told = Optional(Told.request(outbox.request, consume event))
        var toldNext = Optional(Told.request(outbox.request, consume next))
        let hasIdle = state.withLock { state in
            state.put(&told, role, of: outbox)
            state.put(&toldNext, nextRole, of: outbox)
            return state.hasIdle
        }
        if hasIdle { drain() }
    }

    /// Returns whether the queue of a monitor does not know that something waits.
    @inline(__always)
    private func put(_ event: consuming RequestEvent, of outbox: Outbox) -> Bool {
        let role = event.role
        var told = Optional(Told.request(outbox.request, consume event))
        return state.withLock { state in
            state.put(&told, role, of: outbox)
            return state.hasIdle
        }
    }

    /// Has told that the session is over, once its requests have told everything; the second call does nothing.
    func end(_ session: SessionID, dueTo error: ApusError?) {
        state.withLock { state in
            if let end = state.ending.end(session, error) { state.log.put(.sessionEnd(end)) }
        }
        drain()
    }

    /// Hands on what another pump has told: it knows when a session ends.
    func relay(_ told: Told) {
        state.withLock { $0.log.put(told) }
        drain()
    }

    /// Has handed over what was put in.
    func drain() {
        wake(state.withLock { $0.schedule() })
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
        let monitor = monitors[index]
        let hearsProgress = hearProgress[index]
        let taken = state.withLock { state in
            state.isScheduled[index] = false
            state.hasIdle = true
            return state.log.take(by: index)
        }
        tell(consume taken, to: monitor, hearsProgress: hearsProgress)
    }

    private func tell(_ taken: consuming EventLog.Taken, to monitor: any EventMonitor, hearsProgress: Bool) {
        let count = taken.count
        var told = taken.told
        taken.told = []
        for index in 0..<count {
            // Moved out, since each goes away once it is told.
            guard let next = told[index].take() else { continue }
            if self.hearsProgress, next.isProgress {
                let isSuperseded = index + 1 < count && told[index + 1]?.supersedes(next) == true
                if isSuperseded || !hearsProgress { continue }
            }
            switch consume next {
            case .request(let request, let event): monitor.request(request, did: event)
            case .sessionEnd(let end): monitor.session(end.session, didEndDueTo: end.error)
            }
        }
        state.withLock { [told] in $0.log.reuse(told) }
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

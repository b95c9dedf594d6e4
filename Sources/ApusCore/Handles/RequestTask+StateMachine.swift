/// Why a request was given up.
package enum CancelReason: Sendable, Hashable {
    case user
    case task
    case deadline(Duration)
    case sessionShutDown
    case sessionGone

    package var error: ApusError {
        switch self {
        case .user: ApusError(.cancelled, "cancel() was called")
        case .task: ApusError(.cancelled, "the task that waited for it was cancelled")
        case .deadline(let duration): ApusError(.deadlineExceeded, "it had not ended after \(duration.spoken)")
        case .sessionShutDown: ApusError(.sessionShutDown, "its session was shut down")
        case .sessionGone: ApusError(.sessionGone, "nothing holds its session any more; keep a reference to it")
        }
    }
}

/// The life of one request, as its user sees it and as the work goes on behind it.
///
/// ```
///   life    initialized → resumed ⇄ suspended → cancelled | finished      (a late serializer: finished → resumed)
///   work    idle → queued → running → serializing → ended                 (a late serializer: ended → serializing)
///                              ↑____________|                              (held: retriers are asked; rewound)
/// ```
///
/// `initialized` goes anywhere; `cancelled` and `finished` end it for the user; the same state twice is ignored.
/// Serializers run one after the other; completions are held back and fired together after the last.
struct RequestStateMachine<Serializer, Completion, Gate> {
    enum Life: Sendable { case initialized, resumed, suspended, cancelled, finished }

    enum Work: Sendable { case idle, queued, running, serializing, ended }

    private(set) var life = Life.initialized
    private(set) var work = Work.idle
    private(set) var reason: CancelReason?
    private var serializers = ShortList<Serializer>()
    private var serializerIndex = 0
    private var completions = ShortList<Completion>()
    private var gates: [Gate] = []

    enum ResumeAction {
        case ignore
        case start
        case open([Gate])
    }

    mutating func resume() -> ResumeAction {
        switch life {
        case .initialized, .suspended:
            life = .resumed
            guard work == .idle else {
                defer { gates = [] }
                return .open(gates)
            }
            work = .queued
            return .start
        case .resumed, .cancelled, .finished:
            return .ignore
        }
    }

    /// Whether it took effect.
    mutating func suspend() -> Bool {
        guard life == .initialized || life == .resumed else { return false }
        life = .suspended
        return true
    }

    enum CancelAction {
        case ignore
        /// Nothing is under way: the request is over now.
        case finish
        /// It may be withdrawn from the queue; where that comes too late, the work ends by itself.
        case withdraw
        /// The work is under way and ends soon; those who wait at the gate go on, to find out.
        case stop([Gate])
        /// The result is there already and stays what it is.
        case note
    }

    mutating func cancel(_ reason: CancelReason) -> CancelAction {
        guard life != .cancelled, life != .finished else { return .ignore }
        life = .cancelled
        switch work {
        case .idle:
            self.reason = reason
            work = .serializing
            return .finish
        case .queued:
            self.reason = reason
            return .withdraw
        case .running:
            self.reason = reason
            defer { gates = [] }
            return .stop(gates)
        case .serializing, .ended:
            return .note
        }
    }

    /// The place in the queue was withdrawn, or refused.
    mutating func leaveQueue() {
        work = .serializing
    }

    /// The place was granted; `false` where the request was cancelled in the meantime.
    mutating func beginWork() -> Bool {
        work = .running
        return life != .cancelled
    }

    /// Where work waits while the request is suspended; `false` where it need not.
    mutating func wait(at gate: Gate) -> Bool {
        guard life == .suspended else { return false }
        gates.append(gate)
        return true
    }

    var isSuspended: Bool { life == .suspended }

    /// The attempt is over; serializers are next.
    mutating func endWork() {
        work = .serializing
    }

    enum AppendAction {
        /// Those who run serializers find it.
        case wait
        /// Nobody runs serializers any more: run this one.
        case run
    }

    mutating func append(_ serializer: Serializer) -> AppendAction {
        serializers.append(serializer)
        guard work == .ended else { return .wait }
        work = .serializing
        if life == .finished { life = .resumed }
        return .run
    }

    enum SerializeAction {
        case run(Serializer)
        /// All have run: the request is over. They are handed out too, to be let go of outside of any lock.
        case fire(ShortList<Completion>, spent: ShortList<Serializer>)
    }

    mutating func nextStep(after completion: Completion?) -> SerializeAction {
        if let serializer = nextSerializer(after: completion) { return .run(serializer) }
        serializerIndex = 0
        work = .ended
        if life != .cancelled { life = .finished }
        defer {
            completions = ShortList()
            serializers = ShortList()
        }
        return .fire(completions, spent: serializers)
    }

    enum HoldAction {
        case run(Serializer)
        /// All have run, and what they made is held back until retriers have spoken; unless the request was given up
        /// meanwhile.
        case hold(isGivenUp: Bool)
    }

    mutating func nextStepBeforeRetriers(after completion: Completion?) -> HoldAction {
        if let serializer = nextSerializer(after: completion) { return .run(serializer) }
        // What is given up from here on ends at once, as while it is on its way.
        if life != .cancelled { work = .running }
        return .hold(isGivenUp: life == .cancelled)
    }

    /// The attempt counts no longer: serializers run again, on what comes of another. What they had made is handed out,
    /// to be let go of outside of any lock.
    mutating func rewind() -> ShortList<Completion> {
        serializerIndex = 0
        defer { completions = ShortList() }
        return completions
    }

    private mutating func nextSerializer(after completion: Completion?) -> Serializer? {
        if let completion { completions.append(completion) }
        guard let next = serializers[serializerIndex] else { return nil }
        serializerIndex += 1
        return next
    }
}

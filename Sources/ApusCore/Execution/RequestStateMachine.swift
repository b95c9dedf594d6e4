/// The life cycle of one request, as its user sees it (`life`), and the state of its work (`work`).
///
/// ```
///   life    initialized → resumed ⇄ suspended → cancelled | finished      (a late serializer: finished → resumed)
///   work    idle → queued → running → serializing → ended                 (a late serializer: ended → serializing)
///                              ↑____________|                              (held: retriers decide; reset)
/// ```
///
/// `initialized` can change to any state. `cancelled` and `finished` are final for the user. A repeated state is
/// ignored. Serializers run one after the other. Completions are held back and called together after the last.
struct RequestStateMachine<Serializer, Completion, Gate> {
    enum Life: Sendable { case initialized, resumed, suspended, cancelled, finished }

    enum Work: Sendable { case idle, queued, running, serializing, ended }

    private(set) var life = Life.initialized
    private(set) var work = Work.idle
    private(set) var reason: CancelReason?
    /// Whether the request was completed before its work returned.
    private(set) var isAbandoned = false
    private(set) var serializers = ShortList<Serializer>()
    private var serializerIndex = 0
    private(set) var completions = ShortList<Completion>()
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

    /// Suspends the request. Returns whether that had an effect.
    mutating func suspend() -> Bool {
        guard life == .initialized || life == .resumed else { return false }
        life = .suspended
        return true
    }

    enum CancelAction {
        case ignore
        /// No work has started: the request is complete now.
        case finish
        /// Remove the request from the queue. If it is too late for that, the work ends by itself.
        case withdraw
        /// The work is running and ends soon. Resume the waiting gates, so that they see the cancellation.
        case stop([Gate])
        /// The result is already known and does not change.
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

    /// Records that the request was withdrawn from the queue, or rejected.
    mutating func leaveQueue() {
        work = .serializing
    }

    /// Records that the request has a slot. Returns `false` if it was cancelled in the meantime.
    mutating func beginWork() -> Bool {
        work = .running
        return life != .cancelled
    }

    /// Keeps a gate until a suspended request is resumed. Returns `false` if the request is not suspended.
    mutating func wait(at gate: Gate) -> Bool {
        guard life == .suspended else { return false }
        gates.append(gate)
        return true
    }

    var isSuspended: Bool { life == .suspended }

    /// Records the end of the attempt. Serializers run next. Returns `false` if the request was abandoned before.
    mutating func endWork() -> Bool {
        if !isAbandoned { work = .serializing }
        return !isAbandoned
    }

    /// Completes a cancelled request whose work still runs. Returns the reason of the cancellation, or `nil` if there is
    /// no such work.
    mutating func abandon() -> CancelReason? {
        guard work == .running, let reason else { return nil }
        (work, isAbandoned) = (.serializing, true)
        return reason
    }

    enum AppendAction {
        /// The running loop over serializers reaches it.
        case wait
        /// No loop over serializers is active: run this one.
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
        /// All have run. Their completions are held back until the retriers have decided, unless the request was
        /// cancelled.
        case hold(isCancelled: Bool)
        /// All have run: the request is complete. The serializers are returned for release outside any lock.
        case fire(ShortList<Completion>, spent: ShortList<Serializer>)
    }

    /// Returns the next serializer to run, or the action after the last.
    ///
    /// - Parameters:
    ///   - completion: The completion of the serializer that has just run.
    ///   - holding: Whether retriers still have to decide about the response.
    /// - Returns: The action to take.
    mutating func nextStep(after completion: Completion?, holding: Bool = false) -> SerializeAction {
        if let serializer = nextSerializer(after: completion) { return .run(serializer) }
        guard !holding else {
            // A cancellation from here on stops the work, as during an attempt.
            if life != .cancelled { work = .running }
            return .hold(isCancelled: life == .cancelled)
        }
        serializerIndex = 0
        work = .ended
        if life != .cancelled { life = .finished }
        defer {
            completions = ShortList()
            serializers = ShortList()
        }
        return .fire(completions, spent: serializers)
    }

    /// Discards the attempt: serializers run again, on the result of the next. Returns their completions for release
    /// outside any lock.
    mutating func reset() -> ShortList<Completion> {
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

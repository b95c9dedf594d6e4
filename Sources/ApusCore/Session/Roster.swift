internal import DequeModule

/// Limits the number of requests in flight and queues the rest.
///
/// A request beyond the limit waits here before any work on it starts, and holds only its handle.
final class Roster: Sendable {
    /// A queued request.
    final class Applicant: Sendable {
        let enter: @Sendable (ApusError?) -> Void

        init(enter: @escaping @Sendable (ApusError?) -> Void) {
            self.enter = enter
        }
    }

    /// A slot that is held until a body has been read. Ending the session releases it early.
    protocol Lease: AnyObject, Sendable {
        func giveUp(_ error: ApusError)
    }

    /// A request that waits for user code or a retry delay, and can be cancelled.
    final class Pause: Sendable {
        let giveUp: @Sendable (ApusError) -> Void

        init(giveUp: @escaping @Sendable (ApusError) -> Void) {
            self.giveUp = giveUp
        }
    }

    private struct WeakLease {
        weak var lease: (any Lease)?
    }

    /// A task that waits until certain handles are complete.
    private struct Farewell {
        var handles: Set<ObjectIdentifier>
        let continuation: UnsafeContinuation<Void, Never>
    }

    /// The outcome of asking for a slot.
    enum Admission {
        case admitted
        case waiting
        case refused(ApusError)
    }

    private struct State {
        var inFlight = 0
        var waiting = Deque<Applicant>()
        var handles = SlotList<RequestTask>()
        var leases: [ObjectIdentifier: WeakLease] = [:]
        /// The number of requests without a handle that have released their slot and may need another.
        var absent = 0
        var pauses: [ObjectIdentifier: Pause] = [:]
        var refusal: ApusError?
        var dismissal: ApusError?
        var idleWaiters: [UnsafeContinuation<Void, Never>] = []
        var farewells: [Farewell] = []

        var isIdle: Bool { inFlight == 0 && waiting.isEmpty && handles.isEmpty && absent == 0 }

        mutating func takeIdleWaiters() -> [UnsafeContinuation<Void, Never>] {
            guard isIdle else { return [] }
            defer { idleWaiters = [] }
            return idleWaiters
        }

        mutating func takeFarewells(to handle: ObjectIdentifier) -> [UnsafeContinuation<Void, Never>] {
            guard !farewells.isEmpty else { return [] }
            for index in farewells.indices { farewells[index].handles.remove(handle) }
            defer { farewells.removeAll { $0.handles.isEmpty } }
            return farewells.filter(\.handles.isEmpty).map(\.continuation)
        }
    }

    /// The rosters whose slot holders wait for the current code. Requests that it sends there need not be queued.
    @TaskLocal private static var awaited: [ObjectIdentifier] = []

    private let limit: Int
    private let state = Lock(State())

    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// Runs user code that slot holders wait for. Requests that the code sends with the same session are not queued,
    /// since the waiting requests may hold all slots.
    func awaiting<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await Self.$awaited.withValue(Self.awaited + [ObjectIdentifier(self)]) { try await operation() }
    }

    /// Does the same for code that starts such an operation.
    func beginningAwaited<Value>(_ operation: () -> Value) -> Value {
        Self.$awaited.withValue(Self.awaited + [ObjectIdentifier(self)], operation: operation)
    }

    /// Whether the caller is user code that requests of any session wait for.
    static var isAskedByUserCode: Bool { !awaited.isEmpty }

    private var isAwaited: Bool { Self.awaited.contains(ObjectIdentifier(self)) }

    /// Asks for a slot. Calls `applicant` only if the request has to wait.
    ///
    /// - Parameters:
    ///   - again: Whether the request held a slot before. While a session is shutting down, only such requests, and
    ///     requests that they wait for, are admitted.
    ///   - applicant: Creates the queue entry.
    /// - Returns: Whether the request was admitted, queued or refused.
    func enter(again: Bool = false, _ applicant: () -> Applicant) -> Admission {
        state.withLock { state in
            if let refusal = state.refusal {
                if let dismissal = state.dismissal { return .refused(dismissal) }
                guard again || isAwaited else { return .refused(refusal) }
            }
            guard state.inFlight >= limit || !state.waiting.isEmpty, !isAwaited else {
                state.inFlight += 1
                return .admitted
            }
            state.waiting.append(applicant())
            return .waiting
        }
    }

    /// Takes a slot if one is free and no request waits. Returns `false` otherwise, without any change.
    func entersAtOnce() -> Bool {
        state.withLock { state in
            guard state.refusal == nil, state.inFlight < limit, state.waiting.isEmpty else { return false }
            state.inFlight += 1
            return true
        }
    }

    /// Releases a slot, and hands it to the first queued request.
    ///
    /// - Parameter isAbsent: Whether its request has no handle and may need another slot. It counts as absent until
    ///   `endAbsence()`.
    func leave(isAbsent: Bool = false) {
        let (next, idle) = state.withLock { state -> (Applicant?, [UnsafeContinuation<Void, Never>]) in
            if isAbsent { state.absent += 1 }
            // Re-entrant requests bypass the limit, so their slot is not handed to a waiter.
            if state.inFlight <= limit, let next = state.waiting.popFirst() { return (next, []) }
            state.inFlight -= 1
            return (nil, state.takeIdleWaiters())
        }
        next?.enter(nil)
        for waiter in idle { waiter.resume() }
    }

    /// Ends an absence: the request has another slot, or needs none.
    func endAbsence() {
        let idle = state.withLock { state in
            state.absent -= 1
            return state.takeIdleWaiters()
        }
        for waiter in idle { waiter.resume() }
    }

    /// Registers a pause. Cancels it at once if all requests were already cancelled.
    func begin(_ pause: Pause) {
        let dismissal = state.withLock { state in
            state.pauses[ObjectIdentifier(pause)] = pause
            return state.dismissal
        }
        if let dismissal { pause.giveUp(dismissal) }
    }

    func end(_ pause: Pause) {
        state.withLock { $0.pauses[ObjectIdentifier(pause)] = nil }
    }

    /// The requests that wait for user code or a retry delay.
    var pauses: [Pause] { state.withLock { Array($0.pauses.values) } }

    /// Removes a request from the queue. Returns `false` if it was already admitted.
    func withdraw(_ applicant: Applicant) -> Bool {
        let (isWithdrawn, idle) = state.withLock { state -> (Bool, [UnsafeContinuation<Void, Never>]) in
            guard let index = state.waiting.firstIndex(where: { $0 === applicant }) else { return (false, []) }
            state.waiting.remove(at: index)
            return (true, state.takeIdleWaiters())
        }
        for waiter in idle { waiter.resume() }
        return isWithdrawn
    }

    /// Removes many requests from the queue in one pass. Returns those that were still queued.
    func withdraw(_ applicants: [Applicant]) -> [Applicant] {
        guard !applicants.isEmpty else { return [] }
        let unwanted = Set(applicants.map { ObjectIdentifier($0) })
        let (withdrawn, idle) = state.withLock { state -> ([Applicant], [UnsafeContinuation<Void, Never>]) in
            let withdrawn = state.waiting.filter { unwanted.contains(ObjectIdentifier($0)) }
            state.waiting.removeAll { unwanted.contains(ObjectIdentifier($0)) }
            return (Array(withdrawn), state.takeIdleWaiters())
        }
        for waiter in idle { waiter.resume() }
        return withdrawn
    }

    /// Registers a handle until its request is complete. Returns the index to remove it with.
    func insert(_ task: RequestTask) -> Int { state.withLock { $0.handles.insert(task) } }

    func remove(_ task: RequestTask, at place: Int) {
        let (idle, farewells) = state.withLock { state in
            _ = state.handles.remove(at: place)
            return (state.takeIdleWaiters(), state.takeFarewells(to: ObjectIdentifier(task)))
        }
        for waiter in idle { waiter.resume() }
        for waiter in farewells { waiter.resume() }
    }

    /// Returns when all of these handles are complete.
    func waitUntilGone(_ handles: [RequestTask]) async {
        await withUnsafeContinuation { continuation in
            let areGone = state.withLock { state in
                let listed = state.handles.elements.map { ObjectIdentifier($0) }
                let waited = Set(handles.map { ObjectIdentifier($0) }).intersection(listed)
                if !waited.isEmpty { state.farewells.append(Farewell(handles: waited, continuation: continuation)) }
                return waited.isEmpty
            }
            if areGone { continuation.resume() }
        }
    }

    /// Registers the holder of a slot. Ends it at once if all requests were already cancelled.
    func insert(_ lease: some Lease) {
        let dismissal = state.withLock { state in
            state.leases[ObjectIdentifier(lease)] = WeakLease(lease: lease)
            return state.dismissal
        }
        if let dismissal { lease.giveUp(dismissal) }
    }

    func remove(_ lease: some Lease) {
        state.withLock { $0.leases[ObjectIdentifier(lease)] = nil }
    }

    /// The response bodies that are still being read or held.
    var leases: [any Lease] { state.withLock { $0.leases.values.compactMap(\.lease) } }

    /// The handles that were started and are not complete.
    var handles: [RequestTask] { state.withLock { $0.handles.elements } }

    /// The number of requests in flight, and the number of queued ones.
    var counts: (inFlight: Int, waiting: Int) { state.withLock { ($0.inFlight, $0.waiting.count) } }

    /// Refuses new requests from now on. Queued requests remain queued.
    func close(with refusal: ApusError) {
        state.withLock { $0.refusal = $0.refusal ?? refusal }
    }

    /// Refuses all queued requests. The caller must cancel the slot holders.
    func turnAway(with refusal: ApusError) {
        let (waiting, idle) = state.withLock { state -> (Deque<Applicant>, [UnsafeContinuation<Void, Never>]) in
            state.dismissal = state.dismissal ?? refusal
            let waiting = state.waiting
            state.waiting = []
            return (waiting, state.takeIdleWaiters())
        }
        for applicant in waiting { applicant.enter(refusal) }
        for waiter in idle { waiter.resume() }
    }

    /// Returns when no request is in flight, queued or absent, and all handles are complete.
    func waitUntilIdle() async {
        await withUnsafeContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.isIdle { state.idleWaiters.append(continuation) }
                return state.isIdle
            }
            if isIdle { continuation.resume() }
        }
    }
}

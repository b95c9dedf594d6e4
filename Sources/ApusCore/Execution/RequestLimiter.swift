internal import DequeModule

/// Limits the number of requests in flight and queues the rest.
///
/// A request beyond the limit waits here before any work on it starts, and holds only its handle. Waiting requests are
/// admitted by their priority, and those of one priority in the order of their arrival.
final class RequestLimiter: Sendable {
    /// A queued request.
    final class Waiter: Sendable {
        let priority: RequestPriority
        let enter: @Sendable (ApusError?) -> Void

        init(priority: RequestPriority = .normal, enter: @escaping @Sendable (ApusError?) -> Void) {
            self.priority = priority
            self.enter = enter
        }
    }

    /// A slot that is held until a body has been read, or a stream handle. Ending the session ends it early.
    protocol SlotHolder: AnyObject, Sendable {
        func fail(_ error: ApusError)
    }

    /// A request that waits for user code or a retry delay, and can be cancelled.
    final class PausedRequest: Sendable {
        let fail: @Sendable (ApusError) -> Void

        init(fail: @escaping @Sendable (ApusError) -> Void) {
            self.fail = fail
        }
    }

    private struct WeakSlotHolder {
        weak var holder: (any SlotHolder)?
    }

    /// A task that waits until certain handles are complete.
    private struct CompletionWaiter {
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
        /// The queued requests, the next one first.
        var waiting = Deque<Waiter>()
        var handles = SlotList<RequestTask>()
        var slotHolders: [ObjectIdentifier: WeakSlotHolder] = [:]
        /// The stream handles that were started and are not complete.
        var streams: [ObjectIdentifier: WeakSlotHolder] = [:]
        /// The number of requests without a handle that have released their slot and may need another.
        var retrying = 0
        var pausedRequests: [ObjectIdentifier: PausedRequest] = [:]
        var refusal: ApusError?
        var dismissal: ApusError?
        var idleWaiters: [UnsafeContinuation<Void, Never>] = []
        var completionWaiters: [CompletionWaiter] = []

        var isIdle: Bool {
            inFlight == 0 && waiting.isEmpty && handles.isEmpty && retrying == 0 && streams.isEmpty
        }

        mutating func takeIdleWaiters() -> [UnsafeContinuation<Void, Never>] {
            guard isIdle else { return [] }
            defer { idleWaiters = [] }
            return idleWaiters
        }

        mutating func takeCompletionWaiters(to handle: ObjectIdentifier) -> [UnsafeContinuation<Void, Never>] {
            guard !completionWaiters.isEmpty else { return [] }
            for index in completionWaiters.indices { completionWaiters[index].handles.remove(handle) }
            defer { completionWaiters.removeAll { $0.handles.isEmpty } }
            return completionWaiters.filter(\.handles.isEmpty).map(\.continuation)
        }
    }

    /// The limiters whose slot holders wait for the current code. Requests that it sends there need not be queued.
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
    func startingAwaited<Value>(_ operation: () -> Value) -> Value {
        Self.$awaited.withValue(Self.awaited + [ObjectIdentifier(self)], operation: operation)
    }

    /// Whether the caller is user code that requests of any session wait for.
    static var isInUserCode: Bool { !awaited.isEmpty }

    private var isAwaited: Bool { Self.awaited.contains(ObjectIdentifier(self)) }

    /// Asks for a slot. Calls `waiter` only if the request has to wait.
    ///
    /// - Parameters:
    ///   - again: Whether the request held a slot before. While a session is shutting down, only such requests, and
    ///     requests that they wait for, are admitted.
    ///   - waiter: Creates the queue entry.
    /// - Returns: Whether the request was admitted, queued or rejected.
    func enter(again: Bool = false, _ waiter: () -> Waiter) -> Admission {
        state.withLock { state in
            if let refusal = state.refusal {
                if let dismissal = state.dismissal { return .refused(dismissal) }
                guard again || isAwaited else { return .refused(refusal) }
            }
            guard state.inFlight >= limit || !state.waiting.isEmpty, !isAwaited else {
                state.inFlight += 1
                return .admitted
            }
            let newWaiter = waiter()
            let place = state.waiting.insertionIndex(for: newWaiter.priority, by: \.priority)
            state.waiting.insert(newWaiter, at: place)
            return .waiting
        }
    }

    /// Throws the reason once new requests are rejected.
    func checkOpen() throws(ApusError) {
        if let refusal = state.withLock({ $0.dismissal ?? $0.refusal }) { throw refusal }
    }

    /// Takes a slot if one is free and no request waits. Returns `false` otherwise, without any change.
    func enterIfFree() -> Bool {
        state.withLock { state in
            guard state.refusal == nil, state.inFlight < limit, state.waiting.isEmpty else { return false }
            state.inFlight += 1
            return true
        }
    }

    /// Releases a slot, and hands it to the first queued request, which is that of the highest priority.
    ///
    /// - Parameter isRetrying: Whether its request has no handle and may need another slot. It counts as retrying until
    ///   `endRetrying()`.
    func leave(isRetrying: Bool = false) {
        let (next, idle) = state.withLock { state -> (Waiter?, [UnsafeContinuation<Void, Never>]) in
            if isRetrying { state.retrying += 1 }
            // Re-entrant requests bypass the limit, so their slot is not handed to a waiter.
            if state.inFlight <= limit, let next = state.waiting.popFirst() { return (next, []) }
            state.inFlight -= 1
            return (nil, state.takeIdleWaiters())
        }
        next?.enter(nil)
        for waiter in idle { waiter.resume() }
    }

    /// Ends the retrying: the request has another slot, or needs none.
    func endRetrying() {
        let idle = state.withLock { state in
            state.retrying -= 1
            return state.takeIdleWaiters()
        }
        for waiter in idle { waiter.resume() }
    }

    /// Registers a pause. Cancels it at once if all requests were already cancelled.
    func begin(_ paused: PausedRequest) {
        let dismissal = state.withLock { state in
            state.pausedRequests[ObjectIdentifier(paused)] = paused
            return state.dismissal
        }
        if let dismissal { paused.fail(dismissal) }
    }

    func end(_ paused: PausedRequest) {
        state.withLock { $0.pausedRequests[ObjectIdentifier(paused)] = nil }
    }

    /// The requests that wait for user code or a retry delay.
    var pausedRequests: [PausedRequest] { state.withLock { Array($0.pausedRequests.values) } }

    /// Removes a request from the queue. Returns `false` if it was already admitted.
    func withdraw(_ waiter: Waiter) -> Bool {
        let (isWithdrawn, idle) = state.withLock { state -> (Bool, [UnsafeContinuation<Void, Never>]) in
            guard let index = state.waiting.firstIndex(where: { $0 === waiter }) else { return (false, []) }
            state.waiting.remove(at: index)
            return (true, state.takeIdleWaiters())
        }
        for waiter in idle { waiter.resume() }
        return isWithdrawn
    }

    /// Removes many requests from the queue in one pass. Returns those that were still queued.
    func withdraw(_ waiters: [Waiter]) -> [Waiter] {
        guard !waiters.isEmpty else { return [] }
        let unwanted = Set(waiters.map { ObjectIdentifier($0) })
        let (withdrawn, idle) = state.withLock { state -> ([Waiter], [UnsafeContinuation<Void, Never>]) in
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
        let (idle, completionWaiters) = state.withLock { state in
            _ = state.handles.remove(at: place)
            return (state.takeIdleWaiters(), state.takeCompletionWaiters(to: ObjectIdentifier(task)))
        }
        for waiter in idle { waiter.resume() }
        for waiter in completionWaiters { waiter.resume() }
    }

    /// Returns when all of these handles are complete.
    func waitUntilComplete(_ handles: [RequestTask]) async {
        await withUnsafeContinuation { continuation in
            let areGone = state.withLock { state in
                let listed = state.handles.elements.map { ObjectIdentifier($0) }
                let waited = Set(handles.map { ObjectIdentifier($0) }).intersection(listed)
                if !waited.isEmpty {
                    state.completionWaiters.append(CompletionWaiter(handles: waited, continuation: continuation))
                }
                return waited.isEmpty
            }
            if areGone { continuation.resume() }
        }
    }

    /// Registers the holder of a slot. Ends it at once if all requests were already cancelled.
    func insert(_ holder: some SlotHolder) {
        let dismissal = state.withLock { state in
            state.slotHolders[ObjectIdentifier(holder)] = WeakSlotHolder(holder: holder)
            return state.dismissal
        }
        if let dismissal { holder.fail(dismissal) }
    }

    func remove(_ holder: some SlotHolder) {
        state.withLock { $0.slotHolders[ObjectIdentifier(holder)] = nil }
    }

    /// Registers a stream handle until its completion handlers have been scheduled. Ends it at once if all requests
    /// were already cancelled.
    func insertStream(_ stream: some SlotHolder) {
        let dismissal = state.withLock { state in
            state.streams[ObjectIdentifier(stream)] = WeakSlotHolder(holder: stream)
            return state.dismissal
        }
        if let dismissal { stream.fail(dismissal) }
    }

    func removeStream(_ stream: some SlotHolder) {
        let idle = state.withLock { state in
            state.streams[ObjectIdentifier(stream)] = nil
            return state.takeIdleWaiters()
        }
        for waiter in idle { waiter.resume() }
    }

    /// The stream handles that are not complete, and then the response bodies that are still being read or held. A
    /// handle ends its own body.
    var slotHolders: [any SlotHolder] {
        state.withLock { $0.streams.values.compactMap(\.holder) + $0.slotHolders.values.compactMap(\.holder) }
    }

    /// The handles that were started and are not complete.
    var handles: [RequestTask] { state.withLock { $0.handles.elements } }

    /// The number of requests in flight, and the number of queued ones.
    var counts: (inFlight: Int, waiting: Int) { state.withLock { ($0.inFlight, $0.waiting.count) } }

    /// Rejects new requests from now on. Queued requests remain queued.
    func close(with refusal: ApusError) {
        state.withLock { $0.refusal = $0.refusal ?? refusal }
    }

    /// Rejects all queued requests. The caller must cancel the slot holders.
    func rejectQueued(with refusal: ApusError) {
        let (waiting, idle) = state.withLock { state -> (Deque<Waiter>, [UnsafeContinuation<Void, Never>]) in
            state.dismissal = state.dismissal ?? refusal
            let waiting = state.waiting
            state.waiting = []
            return (waiting, state.takeIdleWaiters())
        }
        for waiter in waiting { waiter.enter(refusal) }
        for waiter in idle { waiter.resume() }
    }

    /// Returns when no request is in flight, queued or retrying, and all handles and stream handles are complete.
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

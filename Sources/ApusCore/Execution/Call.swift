internal import HTTPTypes

/// A request that is run: a direct call, a streamed call, or that of a handle.
///
/// All three take the same steps: wait for a slot, run the interceptors, make an attempt on the executor of the origin,
/// release the slot, report the outcome. `perform` takes them all. A handle waits for its slot without a task, and
/// takes the others by itself.
protocol Call: Sendable {
    associatedtype Output: Sendable

    var core: SessionCore { get }

    var context: RequestContext { get }

    /// The handle of the request. Without one, the request is built once and its response is not serialized. Default:
    /// `nil`.
    var handle: RequestTask? { get }

    /// Whether a response keeps its slot in the limit of requests in flight. Default: `false`.
    var keepsSlot: Bool { get }

    /// Makes one attempt at an adapted request.
    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> Output

    /// Returns the attempt as retriers see it.
    func requestAttempt(at request: RequestMessage, _ output: Output) -> RequestAttempt

    /// Returns the status of a response.
    func status(of output: Output) -> HTTPResponse.Status

    /// Discards a response that is not used, for example because its caller no longer waits.
    func discard(_ output: Output)

    /// Serializes a response before the retriers decide, if the request has a handle.
    func process(_ output: Output, of request: RequestMessage) async -> ProcessingResult

    /// Discards the result of an attempt that is retried.
    func reset(_ output: Output?) async
}

extension Call {
    var handle: RequestTask? { nil }

    var keepsSlot: Bool { false }

    func discard(_ output: Output) {}

    func process(_ output: Output, of request: RequestMessage) async -> ProcessingResult { .processed(nil) }

    func reset(_ output: Output?) async {
        if let output { discard(output) }
    }
}

// MARK: Steps

extension Call {
    /// Runs a request from the wait for a slot to its response, within its deadline.
    @inline(__always)
    func perform(_ request: RequestMessage) async throws(ApusError) -> Output {
        if let limit = core.timeLimit(for: request.options) { return try await perform(request, within: limit) }
        return try await performNow(request)
    }

    @inline(never)
    private func perform(_ request: RequestMessage, within limit: Duration) async throws(ApusError) -> Output {
        let discardLate = { @Sendable (output: Output) in
            discard(output)
            if keepsSlot { core.limiter.leave() }
        }
        return try await core.bounded(by: limit, of: context, to: request.target.origin, late: discardLate) {
            () async throws(ApusError) in
            try await performNow(request)
        }
    }

    private func performNow(_ request: RequestMessage) async throws(ApusError) -> Output {
        let interceptors = core.interceptors(for: request.options)
        if !interceptors.adapters.isEmpty { context.noteStart() }
        if try !core.enterIfFree() { try await core.enter(with: request.options) }
        guard interceptors.isEmpty else { return try await intercepted(request, by: interceptors) }
        return try await attemptOnce(request)
    }

    /// A separate function, so that a waiting call has a small frame.
    @inline(never)
    private func intercepted(
        _ request: RequestMessage,
        by interceptors: InterceptorSet
    ) async throws(ApusError) -> Output {
        try await AttemptLoop(call: self, interceptors: interceptors).run(request).result.get()
    }

    /// Makes the only attempt at a request without interceptors, and releases its slot.
    ///
    /// That happens on the executor of the attempt, so that it needs no thread of the caller: a queued handle may wait
    /// for the slot.
    @inline(__always)
    func attemptOnce(_ request: RequestMessage, isOnExecutor: Bool = false) async throws(ApusError) -> Output {
        try await attemptOnExecutor(request, because: .first, isThere: isOnExecutor, isLast: true)
    }

    /// Makes an attempt on the executor of the request's origin.
    ///
    /// `isThere`: Whether the task is known to run on that executor. `isLast`: Whether the slot is released afterwards.
    @inline(__always)
    func attemptOnExecutor(
        _ request: RequestMessage,
        because cause: ExchangeCause,
        isThere: Bool = false,
        isLast: Bool = false
    ) async throws(ApusError) -> Output {
        // Most callers in a loop are already on the executor. They need no closure and no frame for it.
        guard !isThere, let executor = core.executorToEnter(for: request.target.origin, from: #isolation) else {
            return try await attemptHere(request, because: cause, isLast: isLast)
        }
        return try await withTaskExecutorPreference(executor) { () async throws(ApusError) in
            try await attemptHere(request, because: cause, isLast: isLast)
        }
    }

    @inline(__always)
    private func attemptHere(
        _ request: RequestMessage,
        because cause: ExchangeCause,
        isLast: Bool
    ) async throws(ApusError) -> Output {
        do throws(ApusError) {
            let output = try await attempt(request, because: cause)
            if isLast, !keepsSlot { core.limiter.leave() }
            return output
        } catch {
            if isLast { core.limiter.leave() }
            throw error
        }
    }

    /// Reports the failure of a request without a handle. Returns the error for its caller.
    func reportFailure(_ error: ApusError, of request: RequestMessage) -> ApusError {
        let error = context.described(error, of: request)
        context.post(.completed(summary(of: error, request)), then: .finished)
        return error
    }

    private func summary(of error: ApusError, _ request: RequestMessage) -> ResponseSummary {
        context.summary(of: RawResponse(request: request, metrics: context.metrics, error: error))
    }
}

internal import Foundation
internal import HTTPTypes

/// The parts of a session, kept apart so that a running request does not keep its session alive.
package final class SessionCore: Sendable {
    /// The time that user code has to return after its request was cancelled: 1 s. The request then ends without it.
    static let patience = Duration.seconds(1)

    let id = SessionID.next()
    let environment: SessionEnvironment
    let chain: Chain
    let limiter: RequestLimiter
    private let interceptors: InterceptorSet
    package let mainQueueWatch: MainQueueWatch

    var configuration: SessionConfiguration { environment.configuration }

    package init(environment: SessionEnvironment, chain: Chain) {
        self.environment = environment
        self.chain = chain
        self.limiter = environment.limiter
        self.interceptors = InterceptorSet(environment.configuration.interceptor)
        self.mainQueueWatch = MainQueueWatch(logger: environment.configuration.logger)
    }

    /// Whether the session has adapters.
    var hasAdapters: Bool { !interceptors.adapters.isEmpty }

    /// Returns the interceptors of a request: those of the session, followed by those of its options, and by those of
    /// its handle.
    func interceptors(for options: RequestOptions, _ added: InterceptorSet = InterceptorSet()) -> InterceptorSet {
        let own = options.isEmpty ? nil : options[Interceptor.self]
        guard own != nil || !added.isEmpty else { return interceptors }
        var all = interceptors
        if let own { all.append(own) }
        all.append(contentsOf: added)
        return all
    }

    /// Returns the maximum duration of a request, or `nil` if it has none.
    func timeLimit(for options: RequestOptions) -> Duration? {
        guard !options.isEmpty, let own = options[RequestDeadline.self] else { return configuration.timeouts.request }
        return own.duration
    }

    /// Whether a request has validators that are not those of its handle.
    func validates(_ options: RequestOptions) -> Bool {
        !options.isEmpty || !configuration.validation.validation.isEmpty
    }

    /// Returns the validators of a request that are not those of its handle.
    func validation(for options: RequestOptions) -> Validation {
        (options.isEmpty ? nil : options[ResponseValidation.self])?.validation ?? configuration.validation.validation
    }

    /// Collects the body of a rejected response for its error, within the limits on size and time.
    func beginning(of body: consuming ResponseBody, for options: RequestOptions) async -> Data {
        let session = configuration.timeouts
        let patience = (options[RequestTimeouts.self]?.applied(to: session) ?? session).errorBody
        let limit = configuration.limits.errorBodyBytes
        return await body.collectPrefix(limit, within: patience, by: environment.time, environment.counters)
    }

    /// Takes a slot if one is free. Synchronous, since most requests need not wait and save a frame this way.
    func enterIfFree() throws(ApusError) -> Bool {
        guard !Task.isCancelled else { throw CancelReason.task.error }
        return limiter.enterIfFree()
    }

    /// Waits for a slot in the limit of requests in flight, with the priority in `options`.
    func enter(again: Bool = false, with options: RequestOptions) async throws(ApusError) {
        guard !Task.isCancelled else { throw CancelReason.task.error }
        // Created only if no slot is free, so that the common call allocates nothing here.
        var waiting: (waiter: RequestLimiter.Waiter, outcome: Deferred<ApusError?>)?
        let admission = limiter.enter(again: again) {
            let outcome = Deferred<ApusError?>()
            let waiter = RequestLimiter.Waiter(priority: options.priority) { outcome.fulfill($0) }
            waiting = (waiter, outcome)
            return waiter
        }
        switch admission {
        case .admitted:
            return
        case .refused(let refusal):
            throw refusal
        case .waiting:
            guard let (waiter, outcome) = waiting else { return }
            let refusal = await withTaskCancellationHandler {
                await outcome.value
            } onCancel: {
                if limiter.withdraw(waiter) { outcome.fulfill(CancelReason.task.error) }
            }
            if let refusal { throw refusal }
        }
    }

    /// Returns the executor that an exchange with `origin` has to run on, or `nil` if the current task already runs
    /// there.
    ///
    /// A task that prefers the executor of the origin's event loop stays on it. A caller on the global executor gets the
    /// loop's guest executor. Callers on actors, and those with an executor of their own, do not: their responses must
    /// not wait for the threads of the global executor, which may be busy.
    func executorToEnter(for origin: Origin, from actor: (any Actor)?) -> (any TaskExecutor)? {
        guard let executor = chain.executor(for: origin) else { return nil }
        let preferred = preferredExecutor
        if preferred == ObjectIdentifier(executor) { return nil }
        guard let guest = chain.eventLoopTransport?.guestExecutor(for: origin),
            configuration.handlerExecution == .concurrent
        else { return executor }
        if preferred == ObjectIdentifier(guest) { return nil }
        return isGlobal(preferred, on: actor) ? guest : executor
    }

    /// Returns the executor for a task that does the caller's work: the global one if the caller runs there, else that
    /// of the event loop of `origin`.
    func executor(ofCallerOn actor: (any Actor)?, for origin: Origin) -> any TaskExecutor {
        if isGlobal(preferredExecutor, on: actor) { return globalConcurrentExecutor }
        return chain.executor(for: origin) ?? globalConcurrentExecutor
    }

    private var preferredExecutor: ObjectIdentifier? {
        withUnsafeCurrentTask { task in task?.preferredExecutor.map { ObjectIdentifier($0) } }
    }

    private func isGlobal(_ preferred: ObjectIdentifier?, on actor: (any Actor)?) -> Bool {
        actor == nil && (preferred == nil || preferred == ObjectIdentifier(globalConcurrentExecutor))
    }

    /// Rejects all waiting requests and all further ones.
    func rejectQueued(_ reason: CancelReason) {
        limiter.close(with: reason.error)
        limiter.rejectQueued(with: reason.error)
    }

    /// Notifies the monitors that the session has ended: `nil` if it was shut down. Only the first call has an effect.
    func reportEnd(dueTo reason: CancelReason?) {
        environment.dispatcher?.end(id, dueTo: reason?.error)
    }

    /// Waits until all cancelled requests have ended, for a moment at most. Then completes those whose user code has not
    /// returned.
    func settle() async {
        let time = environment.time
        let isOver = Deferred<Void>()
        let patience = Task {
            try? await time.sleep(until: time.now.advanced(by: Self.patience))
            guard !Task.isCancelled else { return }
            let abandoned = limiter.handles.filter { $0.abandon() }
            await limiter.waitUntilComplete(abandoned)
            isOver.fulfill(())
        }
        Task {
            await limiter.waitUntilIdle()
            isOver.fulfill(())
        }
        await isOver.value
        patience.cancel()
    }

    /// Cancels all running and all queued requests.
    func cancelAll(_ reason: CancelReason) {
        rejectQueued(reason)
        for handle in limiter.handles { handle.cancel(reason) }
        for holder in limiter.slotHolders { holder.fail(reason.error) }
        for paused in limiter.pausedRequests { paused.fail(reason.error) }
    }
}

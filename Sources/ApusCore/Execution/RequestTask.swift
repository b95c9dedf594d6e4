internal import Foundation
internal import HTTPTypes
internal import Synchronization

/// The implementation behind every handle: one lock around one state machine, and one task.
///
/// Lock order: after the limiter's lock, before the event dispatcher's. Never held together with any
/// other lock.
package final class RequestTask: Sendable {
    typealias Gate = UnsafeContinuation<Void, Never>

    struct State {
        var machine = RequestStateMachine<Serializer, Completion, Gate>()
        var validation = Validation()
        var credential: RequestCredential?
        /// The interceptors that were added to the handle. They follow those of the session and of the options.
        var interceptors = InterceptorSet()
        var raw: RawResponse?
        var task: Task<Void, Never>?
        var stage = Stage.rebuilding
        /// Runs from the cancellation of a running request.
        var patienceTimer: DeadlineTimer?
        var waiter: RequestLimiter.Waiter?
        var transfers = Transfers()

        /// Removes the closures of the user, which may hold the request. Returns them for release outside the lock.
        mutating func takeClosures() -> (Validation, InterceptorSet, Transfers)? {
            transfers.isOver = true
            guard validation.hasClosures || !interceptors.isEmpty || transfers.isTracked else { return nil }
            defer { (validation, interceptors) = (.none, InterceptorSet()) }
            return (validation, interceptors, transfers)
        }
    }

    /// The stage of the work that `State.task` runs.
    enum Stage: Int {
        case rebuilding, adaptation, attempts
    }

    package let core: SessionCore
    let context: RequestContext
    /// The file of the response body. `nil` for memory.
    let download: PartialDownload?
    let source: Source
    let state: Lock<State>
    /// The index of the request in the limiter, or -1 if it is not listed.
    private let indexInLimiter = Atomic(-1)

    init(core: SessionCore, source: consuming Source, options: RequestOptions, download: PartialDownload? = nil) {
        self.core = core
        self.download = download
        self.context = RequestContext(
            core: core,
            options: options,
            keepsSent: true,
            collectsBody: download == nil,
            isSuspendable: true
        )
        self.source = source.overriding(context.options)
        self.state = Lock(State())
        if let eventSink = context.eventSink, let message = self.source.message { eventSink.note(message) }
    }

    deinit {
        guard state.withLock({ $0.machine.work == .idle }) else { return }
        let raw = failure(ApusError(.cancelled, "it was released before it was sent"))
        context.end(raw.sending)
        let serializers = state.withLock { $0.machine.serializers }
        guard serializers[0] != nil else { return }
        context.post(.completed(context.summary(of: raw)), then: .finished)
        for serializer in serializers {
            // An error needs no async step.
            if case .now(let completion) = serializer.serialize(raw, self) { completion.deliver() }
        }
    }

    var life: RequestStateMachine<Serializer, Completion, Gate>.Life { state.withLock { $0.machine.life } }

    var raw: RawResponse? { state.withLock { $0.raw } }

    // MARK: User actions

    func append(_ validator: Validator) {
        state.withLock { $0.validation.append(validator) }
    }

    func append(_ validation: Validation) {
        state.withLock { $0.validation.append(contentsOf: validation) }
    }

    /// Sets the credential for authentication challenges, in place of that of the request's options and its session.
    /// Has no effect once the request is running.
    package func authenticate(with credential: RequestCredential) {
        // Released outside the lock: the replaced credential may hold the last reference to user objects.
        let replaced = state.withLock { state in
            defer { state.credential = credential }
            return state.credential
        }
        withExtendedLifetime(replaced) {}
    }

    /// Adds a monitor that is notified of this request alone, after the monitors of the session. Has no effect after the
    /// end: the monitor would never be released, and it may hold the request.
    func add(_ monitor: any EventMonitor) { if raw == nil { context.add(monitor, to: source.message) } }

    /// Changes the interceptors. Has no effect once the request is running.
    func intercept(_ change: (inout InterceptorSet) -> Void) {
        state.withLock { change(&$0.interceptors) }
    }

    /// A preview of the request that would be sent. `nil` once the request was started.
    var preview: RequestPreview? {
        let (isStarted, interceptors, credential) = state.withLock { state in
            (state.machine.work != .idle, state.interceptors, state.credential)
        }
        guard !isStarted else { return nil }
        return RequestPreview(core: core, options: context.options, adding: interceptors, credential: credential)
    }

    func resume() {
        let (action, adapts) = state.withLock { state in
            let action = state.machine.resume()
            if case .ignore = action {} else { context.eventSink?.append(.resumed) }
            return (action, !state.interceptors.adapters.isEmpty)
        }
        context.eventSink?.drain()
        switch action {
        case .ignore: break
        case .start: start(adapts: adapts)
        case .open(let gates):
            context.contentHold?.release()
            for gate in gates { gate.resume() }
        }
    }

    func suspend() {
        let isStarted = state.withLock { state in
            guard state.machine.suspend() else { return false }
            context.eventSink?.append(.suspended)
            return state.machine.work != .idle
        }
        context.eventSink?.drain()
        // A request that has not started sends nothing, and its start releases nothing.
        if isStarted { context.contentHold?.hold() }
    }

    /// Cancels the request: stores the reason, then cancels the task. The error is made from the stored reason, never
    /// from a `CancellationError`. All cancellations of a handle end here.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - withdrawing: Whether to remove a queued request from the queue. `false` leaves that to the caller.
    /// - Returns: The queue entry that the caller must remove, if any.
    @discardableResult
    func cancel(_ reason: CancelReason, withdrawing: Bool = true) -> RequestLimiter.Waiter? {
        let (action, task, waiter) = state.withLock { state in
            let action = state.machine.cancel(reason)
            if case .ignore = action {} else { context.eventSink?.append(.cancelled) }
            return (action, state.task, state.waiter)
        }
        context.eventSink?.drain()
        switch action {
        case .ignore, .note:
            break
        case .finish:
            end(with: reason.error)
        case .withdraw:
            guard withdrawing else { return waiter }
            withdraw(reason)
        case .stop(let gates):
            task?.cancel()
            for gate in gates { gate.resume() }
            // The session waits for all its requests together.
            if reason != .sessionShutDown, reason != .sessionGone { armPatience() }
        }
        return nil
    }

    private func withdraw(_ reason: CancelReason) {
        guard let waiter = state.withLock({ $0.waiter }), core.limiter.withdraw(waiter) else { return }
        state.withLock { $0.machine.leaveQueue() }
        end(with: reason.error)
    }

    /// Appends a serializer. The first one starts the request if the session is configured to do so.
    func append(resuming: Bool = true, _ serialize: @escaping @Sendable (RawResponse, RequestTask) -> Serialized) {
        let (raw, isInitialized) = state.withLock { state -> (RawResponse?, Bool) in
            let action = state.machine.append(Serializer(serialize: serialize))
            return (action == .run ? state.raw : nil, state.machine.life == .initialized)
        }
        if let raw {
            spawn { await $0.serialize(raw) }
        } else if resuming, isInitialized, core.configuration.startRequestsImmediately {
            resume()
        }
    }

    // MARK: Execution

    private func start(adapts: Bool) {
        indexInLimiter.store(core.limiter.insert(self), ordering: .relaxed)
        armDeadline(mayChange: adapts || rebuildsRequest || core.hasAdapters)
        let admission = core.limiter.enter {
            let waiter = RequestLimiter.Waiter(priority: priority) { [weak self] refusal in
                // Runs in the releasing request's task, whose task-local values must not be inherited.
                self?.spawn(inheriting: false) { $0.enter(refusal: refusal) }
            }
            state.withLock { $0.waiter = waiter }
            return waiter
        }
        switch admission {
        case .admitted: enter(refusal: nil)
        case .refused(let refusal): enter(refusal: refusal)
        case .waiting:
            // A request that was cancelled between its start and its entry into the queue has not been withdrawn yet.
            if let reason = state.withLock({ $0.machine.reason }) { withdraw(reason) }
        }
    }

    private func enter(refusal: ApusError?) {
        if let refusal {
            state.withLock { $0.machine.leaveQueue() }
            return end(with: refusal)
        }
        let (isWanted, added) = state.withLock { ($0.machine.beginWork(), $0.interceptors) }
        guard isWanted else {
            return end(with: state.withLock { $0.machine.reason }?.error ?? CancelReason.user.error, leaving: true)
        }
        switch source {
        case .message, .failure: launch(added)
        case .user: spawn { $0.launch(added) }
        }
    }

    /// Builds the request and starts the work.
    private func launch(_ added: InterceptorSet) {
        do throws(ApusError) {
            adaptAndLaunch(try make(), added)
        } catch {
            rebuild(after: error, added)
        }
    }

    /// Starts the work on the executor of the request's origin. Adapters that may wait run first, on another executor.
    func adaptAndLaunch(_ message: RequestMessage, _ added: InterceptorSet) {
        if rebuildsRequest { changeDeadline(to: message) }
        let interceptors = core.interceptors(for: message.options, added)
        // The adapters of the options, and those that were added in the queue, may set a deadline too.
        if !interceptors.adapters.isEmpty, !context.hasLimit { armDeadline(mayChange: true) }
        core.environment.counters.add(to: .tasks)
        let staysOnLoop = interceptors.synchronousAdapters != nil || core.configuration.handlerExecution == .eventLoop
        if staysOnLoop { return launch(message, interceptors) }
        let adaptation = Adaptation(context: context, interceptors: interceptors)
        let task = Task(executorPreference: globalConcurrentExecutor) {
            self.launch(message, interceptors, adapted: await adaptation.result(of: message))
        }
        keep(task, of: .adaptation)
    }

    private func launch(
        _ message: RequestMessage,
        _ interceptors: InterceptorSet,
        adapted: Result<RequestMessage, ApusError>? = nil
    ) {
        // An adapter may have changed the origin.
        let origin = if case .success(let adapted)? = adapted { adapted.target.origin } else { message.target.origin }
        let executor = core.chain.executor(for: origin) ?? globalConcurrentExecutor
        let task = Task(executorPreference: executor) { await self.run(message, interceptors, adapted: adapted) }
        keep(task, of: .attempts)
    }

    /// Keeps the task for `cancel` to stop. A stage may begin the next one before it is kept itself.
    func keep(_ task: Task<Void, Never>, of stage: Stage) {
        let isCancelled = state.withLock { state in
            if state.machine.work == .running, state.stage.rawValue <= stage.rawValue {
                state.task = task
                state.stage = stage
            }
            return state.machine.life == .cancelled
        }
        if isCancelled { task.cancel() }
    }

    private func run(
        _ message: RequestMessage,
        _ interceptors: InterceptorSet,
        adapted: Result<RequestMessage, ApusError>?
    ) async {
        await finish(await attempted(message, interceptors, adapted: adapted))
        core.environment.counters.remove(from: .tasks)
    }

    // Two frames, one after the other, keep memory low: a task allocates memory by the frame.
    @inline(never)
    private func attempted(
        _ message: RequestMessage,
        _ interceptors: InterceptorSet,
        adapted: Result<RequestMessage, ApusError>?
    ) async -> AttemptOutcome<CollectedResponse> {
        guard interceptors.isEmpty else { return await intercepted(message, interceptors, adapted: adapted) }
        do throws(ApusError) {
            return AttemptOutcome(
                request: message,
                result: .success(try await attemptOnce(message, isOnExecutor: true))
            )
        } catch {
            return AttemptOutcome(request: message, result: .failure(error))
        }
    }

    @inline(never)
    private func intercepted(
        _ message: RequestMessage,
        _ interceptors: InterceptorSet,
        adapted: Result<RequestMessage, ApusError>?
    ) async -> AttemptOutcome<CollectedResponse> {
        await AttemptLoop(call: self, interceptors: interceptors).run(message, adapted: adapted)
    }

    /// Returns an attempt with the validators and the credential that are set now.
    func nextAttempt(for options: RequestOptions) -> Attempt {
        var (validation, credential) = state.withLock { ($0.validation, $0.credential) }
        if download != nil || core.validates(options) { validation = combined(validation, options) }
        return Attempt(core: core, context: context, validation: validation, handle: self, credential: credential)
    }

    /// Returns the validators of the session and of the options, followed by those of the handle.
    @inline(never)
    private func combined(_ added: Validation, _ options: RequestOptions) -> Validation {
        var validation = core.validation(for: options)
        // A file must not hold the page of an error by mistake.
        if download != nil, !validation.checksStatus, !added.checksStatus { validation.append(.status(200..<300)) }
        validation.append(contentsOf: added)
        return validation
    }

    @inline(never)
    private func finish(_ outcome: consuming AttemptOutcome<CollectedResponse>) async {
        let (isAwaited, reason) = state.withLock { state in
            state.task = nil
            return (state.machine.endWork(), state.machine.reason)
        }
        // The branch avoids the cost of the call for requests without a file.
        if download != nil { outcome = await placing(outcome, reason) }
        guard isAwaited else { return }
        let origin = outcome.request.target.origin
        let (raw, isReported) = response(to: outcome, reason)
        record(raw, isReported: isReported)
        await serialize(raw, from: origin)
    }

    /// Ends a request that was never sent, or abandoned. A held slot is released in a new task: the next request may end
    /// the same way, which would nest the calls.
    func end(with error: ApusError, leaving: Bool = false) {
        let raw = failure(error)
        spawn { task in
            if leaving { task.core.limiter.leave() }
            task.record(raw, isReported: false)
            await task.serialize(raw)
        }
    }

    /// Returns the response to serialize, and whether monitors were already notified of the completed exchange.
    private func response(
        to outcome: AttemptOutcome<CollectedResponse>,
        _ reason: CancelReason?
    ) -> (RawResponse, isReported: Bool) {
        if outcome.isProcessed, reason == nil, let output = outcome.output, let processed = self.raw {
            // The serialized values already use the file's final URL. The handle does so from now on.
            return (processed.file == nil ? processed : processed.with(content: output.content), true)
        }
        // Discards the serialized values: the request did not succeed after all.
        if outcome.isProcessed {
            let discarded = state.withLock { $0.machine.reset() }
            withExtendedLifetime(discarded) {}
        }
        return (raw(outcome, reason), false)
    }

    /// Records the result of the exchange.
    private func record(_ raw: RawResponse, isReported: Bool) {
        let (timer, spent) = state.withLock { state in
            state.raw = raw
            return (state.patienceTimer.take(), state.takeClosures())
        }
        // Released outside the lock, since releasing the closures may cancel the request.
        withExtendedLifetime(spent) { timer?.cancel() }
        if let spent { endObservers(of: spent.0, spent.2) }
        context.end(raw.sending)
        download?.end(after: raw.error)
        if !isReported { context.post(.completed(context.summary(of: raw))) }
    }

    /// Runs the serializers before the retriers decide. Their completions are held back until then.
    func process(_ raw: RawResponse) async -> ProcessingResult {
        let isAwaited = state.withLock { state in
            guard state.machine.endWork() else { return false }
            state.raw = raw
            return true
        }
        guard isAwaited else { return .cancelled }
        context.post(.completed(context.summary(of: raw)))
        if case .hold(isCancelled: true) = await runSerializers(raw, holding: true) { return .cancelled }
        return .processed(state.withLock { $0.machine.completions.lazy.compactMap(\.failure).first })
    }

    /// Runs the serializers, one after the other. Returns the action that follows.
    @inline(__always)
    private func runSerializers(
        _ raw: RawResponse,
        holding: Bool
    ) async -> RequestStateMachine<Serializer, Completion, Gate>.SerializeAction {
        var completion: Completion?
        while true {
            switch state.withLock({ $0.machine.nextStep(after: completion, holding: holding) }) {
            case .run(let serializer): completion = await run(serializer, raw)
            case let action: return action
            }
        }
    }

    // The branch avoids an async call: most serializers finish at once.
    @inline(__always)
    private func run(_ serializer: Serializer, _ raw: RawResponse) async -> Completion {
        switch serializer.serialize(raw, self) {
        case .now(let completion): completion
        case .later(let work): await work()
        }
    }

    /// Discards the result of an attempt, and removes its file.
    func reset(_ collected: CollectedResponse?) async {
        let discarded = state.withLock { state -> Any? in
            guard !state.machine.isAbandoned else { return nil }
            defer { state.raw = nil }
            return (state.machine.reset(), state.raw)
        }
        withExtendedLifetime(discarded) {}
        // A download may be continued, so its progress does not go back yet.
        if download?.holdsPart != true { noteReceived(0, of: nil) }
        if case .file(let file)? = collected?.content { await file.discard() }
    }

    /// Runs the remaining serializers, one after the other, then calls all completions together.
    private func serialize(_ raw: RawResponse, from origin: Origin? = nil) async {
        guard case .fire(let completions, let spent) = await runSerializers(raw, holding: false) else { return }
        // Released outside the lock, since releasing them may call into the request.
        withExtendedLifetime(spent) {}
        // Posted first: a task that awaits the response then finds the request finished.
        context.post(.finished)
        // Leaves the limiter last: waiters for the session's end then find all completions called.
        let finish = { @Sendable [self] in
            for completion in completions { completion.deliver() }
            leaveLimiter()
        }
        if let origin, let transport = core.chain.eventLoopTransport {
            transport.wake(for: origin, finish)
        } else {
            finish()
        }
    }

    /// Removes the request from the limiter, once. Does nothing for a late serializer or a request that was never
    /// started.
    private func leaveLimiter() {
        let place = indexInLimiter.exchange(-1, ordering: .relaxed)
        if place >= 0 { core.limiter.remove(self, at: place) }
    }

    private func spawn(inheriting: Bool = true, _ work: @escaping @Sendable (RequestTask) async -> Void) {
        core.environment.counters.add(to: .tasks)
        let operation = { @Sendable () async in
            await work(self)
            self.core.environment.counters.remove(from: .tasks)
        }
        if inheriting { Task { await operation() } } else { Task.detached { await operation() } }
    }

    // MARK: Gate

    var isSuspended: Bool { state.withLock { $0.machine.isSuspended } }

    /// Waits while the request is suspended.
    func passGate() async throws(ApusError) {
        guard isSuspended else { return }
        core.environment.counters.add(to: .continuations)
        await withUnsafeContinuation { gate in
            let waits = state.withLock { $0.machine.wait(at: gate) }
            if !waits { gate.resume() }
        }
        core.environment.counters.remove(from: .continuations)
        if let reason = state.withLock({ $0.machine.reason }) { throw reason.error }
    }
}

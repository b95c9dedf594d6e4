internal import HTTPTypes

/// The implementation behind a stream handle: one lock around one state machine, and one task that reads the body.
///
/// The request itself is that of `Session.stream`. The task reads a chunk only if the slowest handler has had enough of
/// the earlier ones, so the server is held back by it.
///
/// Lock order: before the event dispatcher's. Never held together with any other lock.
final class StreamRunner: RequestLimiter.SlotHolder {
    private struct State {
        var machine: StreamStateMachine
        /// The session, until the request starts.
        weak var session: Session?
        /// The session, while the request runs.
        var runningSession: Session?
        /// Whether the limiter lists the request.
        var isListed = false
        var validation = Validation()
        /// The request that was sent, or will be.
        var request: RequestMessage?
        var head: ResponseHead?
        var error: ApusError?
        var task: Task<Void, Never>?
        /// The body that is read now.
        var body: (any RequestLimiter.SlotHolder)?
        /// Ends the request at its deadline, since the task may wait for a handler then.
        var timer: DeadlineTimer?

        mutating func takeExchange(_ effects: StreamStateMachine.Effects, wasIdle: Bool = false) -> Ending {
            defer { (task, body, timer) = (nil, nil, nil) }
            return Ending(effects: effects, wasIdle: wasIdle, task: task, body: body, timer: timer)
        }
    }

    /// The objects of an exchange that has ended. They are ended or released outside the lock.
    private struct Ending: Sendable {
        let effects: StreamStateMachine.Effects
        let wasIdle: Bool
        let task: Task<Void, Never>?
        let body: (any RequestLimiter.SlotHolder)?
        let timer: DeadlineTimer?
    }

    let core: SessionCore
    let context: RequestContext
    private let source: RequestTask.Source
    /// Whether a serializer's error cancels the request.
    private let cancelsOnError: Bool
    private let state: Lock<State>

    init(session: Session, source: consuming RequestTask.Source, options: RequestOptions, cancelsOnError: Bool) {
        self.core = session.core
        self.context = RequestContext(
            core: session.core,
            options: options,
            collectsBody: false,
            isSuspendable: true
        )
        self.source = source.overriding(context.options)
        self.cancelsOnError = cancelsOnError
        let limit = context.options[ChunksInFlight.self]?.count ?? ChunksInFlight.defaultCount
        // The session of a context has no other owner, and keeps nothing alive.
        let held = session.isOwner ? nil : session
        self.state = Lock(State(machine: StreamStateMachine(limit: limit), session: session, runningSession: held))
        if let eventSink = context.eventSink, let message = self.source.message { eventSink.note(message) }
    }

    var life: RequestState { state.withLock { $0.machine.life } }

    var isCancelled: Bool { life == .cancelled }

    var error: ApusError? { state.withLock { $0.error } }

    /// The request that was sent, or will be. `nil` until it is built.
    var request: RequestMessage? { state.withLock { $0.request } }

    /// The response head, once it has arrived.
    var response: HTTPResponse? {
        let (head, error) = state.withLock { ($0.head, $0.error) }
        return head?.response ?? error?.response
    }

    /// Returns the end of the request for a handler, which may have an error of its own.
    func completion(endedBy error: ApusError? = nil) -> DataStreamRequest.Completion {
        DataStreamRequest.Completion(
            request: request,
            response: response,
            metrics: context.metrics,
            error: error ?? self.error
        )
    }

    // MARK: User actions

    func append(_ validation: Validation) {
        state.withLock { $0.validation.append(contentsOf: validation) }
    }

    func append(_ validator: Validator) {
        state.withLock { $0.validation.append(validator) }
    }

    /// Adds a monitor of this request alone. Has no effect after the end: the monitor would never be released.
    func add(_ monitor: any EventMonitor) {
        guard ![.cancelled, .finished].contains(life) else { return }
        context.add(monitor, to: source.message)
    }

    /// Adds a handler. The first one starts the request if the session is configured to do so. Returns its number.
    @discardableResult
    func append(_ handler: StreamHandler) -> Int {
        let (id, effects, isInitialized) = state.withLock { state in
            let isInitialized = state.machine.life == .initialized
            let (id, effects) = state.machine.add(handler)
            return (id, effects, isInitialized)
        }
        apply(effects)
        if handler.takesChunks, isInitialized, core.configuration.startRequestsImmediately { resume() }
        return id
    }

    func resume() {
        let (action, session) = state.withLock { state in
            let action = state.machine.resume()
            if case .ignore = action {} else { context.eventSink?.append(.resumed) }
            if case .start = action { state.runningSession = state.runningSession ?? state.session }
            return (action, state.runningSession)
        }
        context.eventSink?.drain()
        switch action {
        case .ignore: break
        case .start: start(in: session)
        case .proceed(let effects):
            context.contentHold?.release()
            apply(effects)
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

    /// Cancels the request. Handlers get no further chunks. All cancellations end here.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - isReported: Whether the monitors were already notified of the end.
    func cancel(_ error: ApusError, isReported: Bool = false) {
        let error = described(error)
        let ending = state.withLock { state -> Ending? in
            let wasIdle = state.machine.work == .idle
            guard let effects = state.machine.cancel() else { return nil }
            // An earlier failure stays the result.
            if state.error == nil { state.error = error }
            if !isReported { context.eventSink?.append(.cancelled) }
            return state.takeExchange(effects, wasIdle: wasIdle)
        }
        if let ending { end(ending, error) }
    }

    private func end(_ ending: Ending, _ error: ApusError) {
        context.eventSink?.drain()
        if ending.wasIdle { reportEnd(error) }
        ending.timer?.cancel()
        ending.body?.fail(error)
        ending.task?.cancel()
        apply(ending.effects)
    }

    /// Ends the request with its session.
    func fail(_ error: ApusError) { cancel(error) }

    /// Ends a request whose handle was released, if no handler waits for it or it was never started.
    func release() {
        let reason = state.withLock { state -> String? in
            let machine = state.machine
            switch machine.work {
            case .idle: return machine.hasHandlers ? "it was released before it was sent" : nil
            case .reading where machine.life == .suspended: return "it was released while it was suspended"
            case .reading where machine.hadReceivers && !machine.hasReceivers, .reading where !machine.hasHandlers,
                .draining where !machine.hasHandlers:
                return "it was released, and no handler waits for it"
            case .reading, .draining, .over: return nil
            }
        }
        let error = reason.map { ApusError(.cancelled, $0) }
        if let error { cancel(error) }
    }

    // MARK: Execution

    private func start(in session: Session?) {
        guard let session else { return finish(CancelReason.sessionGone.error, isReported: false) }
        core.limiter.insertStream(self)
        let isListed = state.withLock { state in
            state.isListed = state.machine.work != .over
            return state.isListed
        }
        guard isListed else {
            reportEnd(error)
            return core.limiter.removeStream(self)
        }
        core.environment.counters.add(to: .tasks)
        let task = Task(executorPreference: globalConcurrentExecutor) {
            await self.run(in: session)
            self.core.environment.counters.remove(from: .tasks)
        }
        let isWanted = state.withLock { state in
            let isReading = state.machine.work == .reading
            if isReading { state.task = task }
            return isReading
        }
        if !isWanted { task.cancel() }
    }

    private func run(in session: Session) async {
        // Otherwise it was cancelled before it began.
        guard state.withLock({ $0.machine.work == .reading }) else { return reportEnd(error) }
        let message: RequestMessage
        do throws(ApusError) {
            message = try source.make(in: context)
        } catch {
            context.post(.creationFailed(error))
            return finish(error, isReported: false)
        }
        state.withLock { $0.request = message }
        do throws(ApusError) {
            try await read(message, in: session)
            finish(nil)
        } catch {
            finish(error)
        }
    }

    private func read(_ message: RequestMessage, in session: Session) async throws(ApusError) {
        let call = StreamCall(session: session, request: message, context: context) {
            self.state.withLock { $0.validation }
        }
        let response = try await call.response()
        guard begin(response) else { return }
        var chunks = response.body.makeAsyncIterator()
        while await passGate() {
            guard let chunk = try await chunks.next() else { return }
            // It may have been suspended in the meantime.
            guard await passGate() else { return }
            apply(state.withLock { $0.machine.append(chunk) })
        }
    }

    /// Keeps the response. Returns `false` if the request was cancelled.
    private func begin(_ response: StreamedResponse) -> Bool {
        var body: (any RequestLimiter.SlotHolder)?
        if case .stream(let stream) = response.body.storage { body = stream.source as? any RequestLimiter.SlotHolder }
        let holder = body
        let isWanted = state.withLock { state in
            guard state.machine.work == .reading else { return false }
            state.request = response.request
            state.head = ResponseHead(status: response.status, fields: response.fields)
            state.body = holder
            return true
        }
        guard isWanted else {
            holder?.fail(error ?? CancelReason.user.error)
            return false
        }
        if let deadline = context.deadline { endAt(deadline.instant, after: deadline.limit) }
        return true
    }

    private func endAt(_ instant: MonotonicInstant, after limit: Duration) {
        let timer = DeadlineTimer(at: instant, in: core.environment) { [weak self] in
            self?.cancel(CancelReason.deadline(limit).error, isReported: true)
        }
        let isReading = state.withLock { state in
            let isReading = state.machine.work == .reading
            if isReading { state.timer = timer }
            return isReading
        }
        if !isReading { timer.cancel() }
    }

    /// Waits while the request is suspended, or the slowest handler has enough chunks. Returns `false` if the request
    /// has ended.
    private func passGate() async -> Bool {
        while true {
            switch state.withLock({ $0.machine.passage() }) {
            case .open:
                return true
            case .closed:
                return false
            case .wait(let gate):
                core.environment.counters.add(to: .continuations)
                await gate.value
                core.environment.counters.remove(from: .continuations)
            }
        }
    }

    /// Records the end of the exchange. Handlers still get the chunks that were received, except after a cancellation.
    private func finish(_ error: ApusError?, isReported: Bool = true) {
        if !isReported { reportEnd(error) }
        if let error, error.phase == .cancelled { return cancel(error, isReported: true) }
        let error = error.map { described($0) }
        let ending = state.withLock { state -> Ending? in
            guard let effects = state.machine.finishReading() else { return nil }
            state.error = error
            return state.takeExchange(effects)
        }
        guard let ending else { return }
        ending.timer?.cancel()
        apply(ending.effects)
    }

    /// Notifies the monitors of the end of a request that was never sent.
    private func reportEnd(_ error: ApusError?) {
        let error = error ?? CancelReason.user.error
        let raw = RawResponse(request: nil, metrics: context.metrics, error: described(error))
        context.post(.completed(context.summary(of: raw)), then: .finished)
    }

    private func described(_ error: ApusError) -> ApusError {
        let (request, head) = state.withLock { ($0.request, $0.head) }
        guard let request = request ?? source.message else { return error }
        return context.described(error, of: request).with(response: error.response ?? head?.response)
    }

    private func apply(_ effects: StreamStateMachine.Effects) {
        for (handler, id) in effects.woken { handler.wake(self, id) }
        effects.gate?.fulfill(())
        if effects.isOver { leave() }
    }

    /// Leaves the limiter last: waiters for the session's end then find all completions scheduled.
    private func leave() {
        let (session, validation, isListed) = state.withLock { state in
            defer {
                (state.runningSession, state.validation) = (nil, .none)
                state.isListed = false
            }
            return (state.runningSession, state.validation, state.isListed)
        }
        if isListed { core.limiter.removeStream(self) }
        // Released outside the lock, since they may hold the last reference to the session or to user objects.
        withExtendedLifetime(session) {}
        withExtendedLifetime(validation) {}
    }
}

// MARK: Steps of the handlers

extension StreamRunner {
    /// Takes the next step of a handler on its queue: passes on one chunk, and its completion if there are no more.
    func step(_ id: Int) {
        guard let (chunk, handler) = nextChunk(for: id) else { return }
        do { try handler.receive(chunk, self) } catch { return fail(id, with: error) }
        apply(state.withLock { $0.machine.advance(id) })
        // One chunk for each turn of the queue, which may have other work.
        if nextChunk(for: id) != nil { handler.wake(self, id) }
    }

    /// Returns the next chunk of a handler. Completes the handler if there are no more.
    private func nextChunk(for id: Int) -> (chunk: BodyChunk, handler: StreamHandler)? {
        switch state.withLock({ $0.machine.step(id) }) {
        case .wait:
            return nil
        case .chunk(let chunk, let handler):
            return (chunk, handler)
        case .complete(let handler):
            handler.complete(completion(), self)
            return nil
        }
    }

    /// The result of asking for a chunk.
    enum Pull: Sendable {
        /// There is none yet. The handler is woken for it.
        case wait
        case chunk(BodyChunk)
        case complete(DataStreamRequest.Completion)
    }

    /// Takes the next step of a handler that is read.
    func pull(_ id: Int) -> Pull {
        let (step, effects) = state.withLock { state in
            let step = state.machine.step(id)
            guard case .chunk = step else { return (step, StreamStateMachine.Effects()) }
            return (step, state.machine.advance(id))
        }
        apply(effects)
        switch step {
        case .wait: return .wait
        case .chunk(let chunk, _): return .chunk(chunk)
        case .complete: return .complete(completion())
        }
    }

    /// Removes a handler that is not read any further.
    func detach(_ id: Int) {
        if let removed = state.withLock({ $0.machine.remove(id) }) { apply(removed.effects) }
    }

    /// Ends a handler because of an error of its own. Cancels the request if no handler is left that takes chunks, or
    /// if each error cancels it.
    func fail(_ id: Int, with error: any Error) {
        let failure = failure(of: error)
        let (ending, removed) = state.withLock { state in
            var ending: Ending?
            // Before the removal, which may end the request.
            let cancels = cancelsOnError || !state.machine.hasReceivers(besides: id)
            let isReading = state.machine.work == .reading
            if state.machine.hasHandler(id), cancels, let effects = state.machine.cancel() {
                if state.error == nil { state.error = failure }
                if isReading { context.eventSink?.append(.cancelled) }
                ending = state.takeExchange(effects)
            }
            return (ending, state.machine.remove(id))
        }
        if let ending { end(ending, failure) }
        guard let removed else { return }
        apply(removed.effects)
        removed.handler.complete(completion(endedBy: failure), self)
    }

    /// Returns the error of a request for one that a handler has thrown.
    func failure(of error: any Error) -> ApusError {
        described(ApusError(wrapping: error, as: .serializerFailed, by: "a stream handler"))
    }

    /// Cancels the request because of a serializer's error, if each error cancels it.
    func noteFailure(_ error: any Error) {
        guard cancelsOnError else { return }
        let failure = failure(of: error)
        cancel(failure)
        // If it was the last value, the request is over.
        state.withLock { if $0.error == nil { $0.error = failure } }
    }
}

internal import Foundation
internal import HTTPTypes
internal import Synchronization

/// The one engine room behind every handle: one lock around one state machine, one task.
///
/// The lock comes after the roster's, before the outbox's, and beside no other.
package final class RequestTask: Sendable {
    typealias Gate = UnsafeContinuation<Void, Never>

    private struct State {
        var machine = RequestStateMachine<Serializer, Completion, Gate>()
        var validation = Validation()
        var credential: RequestCredential?
        var interception: Interception
        var raw: RawResponse?
        var task: Task<Void, Never>?
        var stage = Stage.adaptation
        var deadlineTimer: Task<Void, Never>?
        var applicant: Roster.Applicant?
        var listeners: [(direction: Direction, listener: ProgressListener)] = []
    }

    /// What `State.task` does.
    private enum Stage: Int {
        case adaptation, attempts
    }

    /// Which way a content goes whose progress is told.
    enum Direction {
        case upload
        case download
    }

    let core: SessionCore
    let context: RequestContext
    /// Where the content goes; `nil` is memory.
    let destination: DownloadDestination?
    let source: Source
    private let state: Lock<State>
    /// -1 where it has none.
    private let placeInRoster = Atomic(-1)

    init(core: SessionCore, source: Source, options: RequestOptions, destination: DownloadDestination? = nil) {
        self.core = core
        self.source = source
        self.destination = destination
        self.context = RequestContext(environment: core.environment, options: options, keepsSent: true)
        self.state = Lock(State(interception: core.interception(of: context)))
    }

    deinit {
        context.endSending(.failure(ApusError(.cancelled, "it was let go before it was sent")))
    }

    var life: RequestStateMachine<Serializer, Completion, Gate>.Life { state.withLock { $0.machine.life } }

    var raw: RawResponse? { state.withLock { $0.raw } }

    // MARK: What the user does

    func append(_ validator: Validator) {
        state.withLock { $0.validation.append(validator) }
    }

    func append(_ validation: Validation) {
        state.withLock { $0.validation.append(contentsOf: validation) }
    }

    /// Sets what challenges are answered with, in place of what the request's options and its session say; too late once
    /// the request is on its way.
    package func authenticate(with credential: RequestCredential) {
        // What was set before may be the last to hold somebody's objects: it goes away outside of the lock.
        let replaced = state.withLock { state in
            defer { state.credential = credential }
            return state.credential
        }
        withExtendedLifetime(replaced) {}
    }

    /// Adds who has a say in the request, after those it has; too late once it is on its way.
    func intercept(_ change: (inout Interception) -> Void) {
        state.withLock { change(&$0.interception) }
    }

    /// What tells what would be sent; `nil` once the request was started.
    var rehearsal: Rehearsal? {
        let (isStarted, interception, credential) = state.withLock { state in
            (state.machine.work != .idle, state.interception, state.credential)
        }
        guard !isStarted else { return nil }
        return Rehearsal(core: core, options: context.options, interception: interception, credential: credential)
    }

    func resume() {
        let action = state.withLock { state in
            let action = state.machine.resume()
            if case .ignore = action {} else { context.outbox?.append(.resumed) }
            return action
        }
        context.outbox?.drain()
        switch action {
        case .ignore: break
        case .start: start()
        case .open(let gates): for gate in gates { gate.resume() }
        }
    }

    func suspend() {
        state.withLock { state in
            if state.machine.suspend() { context.outbox?.append(.suspended) }
        }
        context.outbox?.drain()
    }

    /// Gives the request up.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - withdrawing: Whether its place in the queue is withdrawn too; else that is left to who gives up many.
    /// - Returns: What is left to be withdrawn.
    @discardableResult
    func cancel(_ reason: CancelReason, withdrawing: Bool = true) -> Roster.Applicant? {
        let (action, task, applicant) = state.withLock { state in
            let action = state.machine.cancel(reason)
            if case .ignore = action {} else { context.outbox?.append(.cancelled) }
            return (action, state.task, state.applicant)
        }
        context.outbox?.drain()
        switch action {
        case .ignore, .note:
            break
        case .finish:
            end(with: reason.error)
        case .withdraw:
            guard withdrawing else { return applicant }
            withdraw(reason)
        case .stop(let gates):
            task?.cancel()
            for gate in gates { gate.resume() }
        }
        return nil
    }

    private func withdraw(_ reason: CancelReason) {
        guard let applicant = state.withLock({ $0.applicant }), core.roster.withdraw(applicant) else { return }
        state.withLock { $0.machine.leaveQueue() }
        end(with: reason.error)
    }

    /// Appends a serializer; the first one starts the request where the session says so.
    func append(resuming: Bool = true, _ serialize: @escaping @Sendable (RawResponse) -> Serialized) {
        let (action, raw) = state.withLock { ($0.machine.append(Serializer(serialize: serialize)), $0.raw) }
        if case .run = action, let raw {
            spawn { await $0.serialize(raw) }
        } else if resuming, core.configuration.startRequestsImmediately, life == .initialized {
            resume()
        }
    }

    func listen(to direction: Direction, _ listener: ProgressListener) {
        let isInTime = state.withLock { state in
            // After the end there is nothing to tell, and a listener would be kept for ever: it may hold the request.
            guard state.raw == nil else { return false }
            state.listeners.append((direction, listener))
            return true
        }
        guard isInTime, direction == .upload else { return }
        context.watchUpload { [weak self] in self?.report(.upload, completed: $0, total: $1) }
    }

    // MARK: The work

    private func start() {
        placeInRoster.store(core.roster.insert(self), ordering: .relaxed)
        armDeadline()
        let admission = core.roster.enter {
            let applicant = Roster.Applicant { [weak self] refusal in
                // Whoever gives its place up calls, and its task-local values are none of this request's.
                self?.spawn(inheriting: false) { $0.enter(refusal: refusal) }
            }
            state.withLock { $0.applicant = applicant }
            return applicant
        }
        switch admission {
        case .admitted: enter(refusal: nil)
        case .refused(let refusal): enter(refusal: refusal)
        case .waiting:
            // Whoever gave it up between its start and its place in the queue found nothing to withdraw.
            if let reason = state.withLock({ $0.machine.reason }) { withdraw(reason) }
        }
    }

    private func enter(refusal: ApusError?) {
        if let refusal {
            state.withLock { $0.machine.leaveQueue() }
            return end(with: refusal)
        }
        guard state.withLock({ $0.machine.beginWork() }) else {
            return end(with: state.withLock { $0.machine.reason }?.error ?? CancelReason.user.error, leaving: true)
        }
        switch source {
        case .message, .failure: launch()
        case .user: spawn { $0.launch() }
        }
    }

    /// The request as its user makes it.
    private func make() throws(ApusError) -> RequestMessage {
        do throws(ApusError) {
            let message = try source.make()
            context.post(.created(message))
            return message
        } catch {
            context.post(.creationFailed(error))
            throw error
        }
    }

    /// Starts the work on the executor of the origin that the request is for; adapters come before it, elsewhere.
    private func launch() {
        let message: RequestMessage
        do throws(ApusError) {
            message = try make()
        } catch {
            state.withLock { $0.machine.endWork() }
            return end(with: error, leaving: true)
        }
        core.environment.counters.add(to: .tasks)
        let interception = state.withLock { $0.interception }
        let staysOnLoop = interception.eagerAdapters != nil || core.configuration.userCode == .onLoop
        if staysOnLoop { return launch(message) }
        let adaptation = Adaptation(context: context, interception: interception)
        let task = Task(executorPreference: globalConcurrentExecutor) {
            self.launch(message, adapted: await adaptation.result(of: message))
        }
        keep(task, of: .adaptation)
    }

    private func launch(_ message: RequestMessage, adapted: Result<RequestMessage, ApusError>? = nil) {
        // An adapter may have led it to another origin.
        let home = if case .success(let adapted)? = adapted { adapted.target } else { message.target }
        let executor = core.chain.transport.executor(for: home.origin) ?? globalConcurrentExecutor
        let task = Task(executorPreference: executor) { await self.run(message, adapted: adapted, home: home) }
        keep(task, of: .attempts)
    }

    /// Keeps what `cancel` stops. A stage may begin the next before it is kept itself.
    private func keep(_ task: Task<Void, Never>, of stage: Stage) {
        let isCancelled = state.withLock { state in
            if state.machine.work == .running, state.stage.rawValue <= stage.rawValue {
                state.task = task
                state.stage = stage
            }
            return state.machine.life == .cancelled
        }
        if isCancelled { task.cancel() }
    }

    private func run(_ message: RequestMessage, adapted: Result<RequestMessage, ApusError>?, home: TargetURI) async {
        await finish(await attempted(message, adapted: adapted, home: home))
        core.environment.counters.remove(from: .tasks)
    }

    // The frames of an attempt and of what follows it are two, one after the other: a task gets memory by the frame.
    @inline(never)
    private func attempted(
        _ message: RequestMessage,
        adapted: Result<RequestMessage, ApusError>?,
        home: TargetURI
    ) async -> AttemptOutcome<Collected> {
        guard state.withLock({ $0.interception.isEmpty }) else {
            return await intercepted(message, adapted: adapted, home: home)
        }
        let result = await attempt.result(of: message)
        core.roster.leave()
        return AttemptOutcome(request: message, result: result)
    }

    @inline(never)
    private func intercepted(
        _ message: RequestMessage,
        adapted: Result<RequestMessage, ApusError>?,
        home: TargetURI
    ) async -> AttemptOutcome<Collected> {
        let interception = state.withLock { $0.interception }
        let work = AttemptedHandle(task: self, attempt: attempt, home: home)
        return await AttemptLoop(work: work, interception: interception).run(message, adapted: adapted)
    }

    private var attempt: Attempt {
        let (validation, credential) = state.withLock { ($0.validation, $0.credential) }
        return Attempt(core: core, context: context, validation: validation, handle: self, credential: credential)
    }

    @inline(never)
    private func finish(_ outcome: consuming AttemptOutcome<Collected>) async {
        let reason = state.withLock { state in
            state.task = nil
            state.machine.endWork()
            return state.machine.reason
        }
        // A branch ahead of the call: a request without a file pays nothing for it.
        if destination != nil { outcome = await placing(outcome, reason) }
        let origin = outcome.request.target.origin
        let (raw, isTold) = answer(outcome, reason)
        note(raw, isTold: isTold)
        await serialize(raw, from: origin)
    }

    /// The end of a request that never got to the wire. Where it has a place, that is given back by a task of its own:
    /// whoever gets it may end the same way, and so may the next.
    private func end(with error: ApusError, leaving: Bool = false) {
        let raw = RawResponse(request: nil, metrics: context.metrics, error: error)
        spawn { task in
            if leaving { task.core.roster.leave() }
            task.note(raw, isTold: false)
            await task.serialize(raw)
        }
    }

    /// What is to be made something of, and whether monitors know already that the work on the wire is over.
    private func answer(_ outcome: AttemptOutcome<Collected>, _ reason: CancelReason?) -> (RawResponse, isTold: Bool) {
        if outcome.isSettled, reason == nil, let answer = outcome.answer, let settled = self.raw {
            // The serialized values name the place of the file already; the handle does from now on.
            return (settled.file == nil ? settled : settled.with(content: answer.content), true)
        }
        // Discards the serialized values: the request did not succeed after all.
        if outcome.isSettled {
            let rewound = state.withLock { $0.machine.rewind() }
            withExtendedLifetime(rewound) {}
        }
        return (raw(outcome, reason), false)
    }

    /// Keeps how the work on the wire has ended.
    private func note(_ raw: RawResponse, isTold: Bool) {
        let (timer, listeners) = state.withLock { state in
            defer {
                state.raw = raw
                state.deadlineTimer = nil
                // Their closures may well hold the request.
                state.listeners = []
            }
            return (state.deadlineTimer, state.listeners)
        }
        // What they hold may cancel the request when it goes away, and so goes away outside of the lock.
        withExtendedLifetime(listeners) { timer?.cancel() }
        context.endSending(raw.sending)
        if !isTold { context.post(.completed(raw.error)) }
    }

    /// Runs the serializers, one after the other, and holds back what they made until the retriers have spoken.
    func settle(_ raw: RawResponse) async -> Settlement {
        context.post(.completed(nil))
        state.withLock { state in
            state.raw = raw
            state.machine.endWork()
        }
        var failure: ApusError?
        var completion: Completion?
        while true {
            switch state.withLock({ $0.machine.nextStepBeforeRetriers(after: completion) }) {
            case .run(let serializer):
                completion = await run(serializer, raw)
                failure = failure ?? completion?.failure
            case .hold(let isGivenUp):
                return isGivenUp ? .over : .settled(failure)
            }
        }
    }

    // A branch ahead of the call: most serializers need not be waited for.
    @inline(__always)
    private func run(_ serializer: Serializer, _ raw: RawResponse) async -> Completion {
        switch serializer.serialize(raw) {
        case .now(let completion): completion
        case .later(let work): await work()
        }
    }

    /// Forgets an attempt, and removes the file that it has written.
    func rewind(_ collected: Collected?) async {
        let rewound = state.withLock { state in
            defer { state.raw = nil }
            return (state.machine.rewind(), state.raw)
        }
        withExtendedLifetime(rewound) {}
        report(.download, completed: 0, total: nil)
        if case .file(let file)? = collected?.content { await file.discard() }
    }

    var isRemade: Bool { if case .user = source { true } else { false } }

    func remake() async throws(ApusError) -> RequestMessage {
        guard isRemade else { return try make() }
        return try await offLoop { () throws(ApusError) in try self.make() }
    }

    /// Runs the serializers that have not run, one after the other, then fires all completions together.
    private func serialize(_ raw: RawResponse, from origin: Origin? = nil) async {
        var completion: Completion?
        while true {
            switch state.withLock({ $0.machine.nextStep(after: completion) }) {
            case .run(let serializer):
                completion = await run(serializer, raw)
            case .fire(let completions, let spent):
                // What they hold may ask something of the request when it goes away: not under the lock.
                withExtendedLifetime(spent) {}
                // Ahead of the completions: a task that awaits the response finds the request finished.
                context.post(.finished)
                // Those who wait for the session to be done find that all were told.
                let finish = { @Sendable [self] in
                    for completion in completions { completion.tell() }
                    leaveRoster()
                }
                if let origin { core.chain.transport.wake(for: origin, finish) } else { finish() }
                return
            }
        }
    }

    /// The request leaves the roster once. A late serializer finds no place, and neither does a request that was never
    /// started.
    private func leaveRoster() {
        let place = placeInRoster.exchange(-1, ordering: .relaxed)
        if place >= 0 { core.roster.remove(self, at: place) }
    }

    private func spawn(inheriting: Bool = true, _ work: @escaping @Sendable (RequestTask) async -> Void) {
        core.environment.counters.add(to: .tasks)
        let operation = { @Sendable () async in
            await work(self)
            self.core.environment.counters.remove(from: .tasks)
        }
        if inheriting { Task { await operation() } } else { Task.detached { await operation() } }
    }

    // MARK: Deadline, gate and progress

    private func armDeadline() {
        guard let duration = core.deadline(of: context) else { return }
        let time = context.time
        let deadline = time.now.advanced(by: duration)
        context.note(deadline: deadline)
        let counters = core.environment.counters
        counters.add(to: .timers)
        let timer = Task { [weak self] in
            try? await time.sleep(until: deadline)
            counters.remove(from: .timers)
            if !Task.isCancelled { self?.cancel(.deadline(duration)) }
        }
        state.withLock { $0.deadlineTimer = timer }
    }

    var isSuspended: Bool { state.withLock { $0.machine.isSuspended } }

    /// Returns at once, or when a suspended request is resumed.
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

    /// Collects the content, holding back while the request is suspended.
    func collect(_ body: ResponseBody, upTo limit: Int, expecting: Int64?) async throws(ApusError) -> Data {
        guard case .stream = body.storage else {
            let data = try await body.collect(upTo: limit)
            try await passGate()
            report(.download, completed: Int64(data.count), total: Int64(data.count))
            return data
        }
        return try await gated(body, expecting: expecting).collect(upTo: limit, expecting: expecting)
    }

    /// The content, holding back while the request is suspended, and counted.
    func gated(_ body: ResponseBody, expecting: Int64?) -> ResponseBody {
        if body.isEmpty { report(.download, completed: 0, total: 0) }
        return .stream(GatedBody(body, task: self, expecting: expecting))
    }

    func report(_ direction: Direction, completed: Int64, total: Int64?) {
        let listeners = state.withLock { $0.listeners }
        for (other, listener) in listeners where other == direction {
            listener.report(completed: completed, total: total)
        }
    }
}

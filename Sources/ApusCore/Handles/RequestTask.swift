internal import Foundation
internal import HTTPTypes

/// The one engine room behind every handle: one lock around one state machine, one task.
///
/// The lock comes after the roster's, before the outbox's, and beside no other.
package final class RequestTask: Sendable {
    typealias Completion = @Sendable () -> Void
    typealias Serializer = @Sendable (RawResponse) async -> Completion
    typealias Gate = UnsafeContinuation<Void, Never>

    /// Where the request comes from: parts that are put together on the way, or code of the user's, which may block.
    enum Source: Sendable {
        case parts(@Sendable () throws -> RequestMessage)
        case user(@Sendable () throws -> RequestMessage)
    }

    private struct State {
        var machine = RequestStateMachine<Serializer, Completion, Gate>()
        var validation = Validation()
        var credential: RequestCredential?
        var raw: RawResponse?
        var task: Task<Void, Never>?
        var deadlineTimer: Task<Void, Never>?
        var applicant: Roster.Applicant?
        var listeners: [(direction: Direction, listener: ProgressListener)] = []
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
    private let source: Source
    private let state = Lock(State())

    init(core: SessionCore, source: Source, options: RequestOptions, destination: DownloadDestination? = nil) {
        self.core = core
        self.source = source
        self.destination = destination
        self.context = RequestContext(environment: core.environment, options: options)
    }

    var life: RequestStateMachine<Serializer, Completion, Gate>.Life { state.withLock { $0.machine.life } }

    var raw: RawResponse? { state.withLock { $0.raw } }

    // MARK: What the user does

    func append(_ validator: Validator) {
        state.withLock { $0.validation.append(validator) }
    }

    /// Sets what challenges are answered with, in place of what the request's options and its session say; too late once
    /// the request is on its way.
    package func authenticate(with credential: RequestCredential) {
        state.withLock { $0.credential = credential }
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

    func cancel(_ reason: CancelReason) {
        let (action, task) = state.withLock { state in
            let action = state.machine.cancel(reason)
            if case .ignore = action {} else { context.outbox?.append(.cancelled) }
            return (action, state.task)
        }
        context.outbox?.drain()
        switch action {
        case .ignore, .note:
            break
        case .finish:
            end(with: reason.error)
        case .withdraw:
            withdraw(reason)
        case .stop(let gates):
            task?.cancel()
            for gate in gates { gate.resume() }
        }
    }

    private func withdraw(_ reason: CancelReason) {
        guard let applicant = state.withLock({ $0.applicant }), core.roster.withdraw(applicant) else { return }
        state.withLock { $0.machine.leaveQueue() }
        end(with: reason.error)
    }

    /// Appends a serializer; the first one starts the request where the session says so.
    func append(resuming: Bool = true, _ serializer: @escaping Serializer) {
        let (action, raw) = state.withLock { ($0.machine.append(serializer), $0.raw) }
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
        core.roster.insert(self)
        armDeadline()
        let admission = core.roster.enter {
            let applicant = Roster.Applicant { [weak self] in self?.enter(refusal: $0) }
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
        case .parts(let make):
            launch { try make() }
        case .user(let make):
            spawn { task in
                do {
                    let message = try make()
                    task.launch { message }
                } catch {
                    task.launch { throw error }
                }
            }
        }
    }

    /// Starts the task on the executor of the origin that the request is for.
    private func launch(_ make: () throws -> RequestMessage) {
        let message: RequestMessage
        do {
            message = try make()
        } catch {
            let failure = ApusError.wrapping(error) {
                ApusError(.requestBuildingFailed, Redaction.text(String(describing: $0)), underlying: $0)
            }
            context.post(.creationFailed(failure))
            state.withLock { $0.machine.endWork() }
            return end(with: failure, leaving: true)
        }
        context.post(.created(message))
        core.environment.counters.add(to: .tasks)
        let executor = core.chain.transport.executor(for: message.target.origin)
        let task = Task(executorPreference: executor ?? globalConcurrentExecutor) { await self.run(message) }
        let isCancelled = state.withLock { state in
            if state.machine.work == .running { state.task = task }
            return state.machine.life == .cancelled
        }
        if isCancelled { task.cancel() }
    }

    private func run(_ message: RequestMessage) async {
        let (validation, credential) = state.withLock { ($0.validation, $0.credential) }
        let outcome: Result<Collected, ApusError>
        do throws(ApusError) {
            let loop = AttemptLoop(
                core: core,
                context: context,
                validation: validation,
                handle: self,
                credential: credential
            )
            outcome = .success(try await loop.run(message))
        } catch {
            outcome = .failure(error)
        }
        core.roster.leave()
        let reason = state.withLock { state in
            state.task = nil
            state.machine.endWork()
            return state.machine.reason
        }
        await conclude(raw(outcome, of: message, reason), from: message.target.origin)
        core.environment.counters.remove(from: .tasks)
    }

    /// What came of the attempt. Where the request was given up the reason counts, and not what the wire made of it;
    /// but for a file that is in its place already: it stays there, and so it is said to be there.
    private func raw(
        _ outcome: Result<Collected, ApusError>,
        of message: RequestMessage,
        _ reason: CancelReason?
    ) -> RawResponse {
        let metrics = context.metrics
        if let reason, !outcome.isFile {
            let cause = outcome.failure
            var error = reason.error.about(method: message.method, target: message.target)
            error.contents.underlying = cause?.code == .cancelled ? nil : cause
            error = error.with(response: cause?.response, data: cause?.data).with(hops: context.hops(endedBy: error))
            return RawResponse(request: message, metrics: metrics, error: error)
        }
        switch outcome {
        case .success(let collected):
            return RawResponse(request: message, collected: collected, metrics: metrics)
        case .failure(let error):
            return RawResponse(
                request: message,
                metrics: metrics,
                error: error.with(hops: context.hops(endedBy: error))
            )
        }
    }

    /// The end of a request that never got to the wire. Where it has a place, that is given back by a task of its own:
    /// whoever gets it may end the same way, and so may the next.
    private func end(with error: ApusError, leaving: Bool = false) {
        let raw = RawResponse(request: nil, metrics: context.metrics, error: error)
        spawn { task in
            if leaving { task.core.roster.leave() }
            await task.conclude(raw)
        }
    }

    private func conclude(_ raw: RawResponse, from origin: Origin? = nil) async {
        let timer = state.withLock { state in
            state.raw = raw
            // Their closures may well hold the request.
            state.listeners = []
            defer { state.deadlineTimer = nil }
            return state.deadlineTimer
        }
        timer?.cancel()
        context.post(.completed(raw.error))
        await serialize(raw, from: origin)
    }

    /// Runs the serializers that have not run, one after the other, then fires all completions together.
    private func serialize(_ raw: RawResponse, from origin: Origin? = nil) async {
        var completion: Completion?
        while true {
            switch state.withLock({ $0.machine.nextStep(after: completion) }) {
            case .run(let serializer):
                completion = await serializer(raw)
            case .fire(let completions):
                context.post(.finished)
                // Those who wait for the session to be done find that all were told.
                let finish = { @Sendable [self] in
                    for completion in completions { completion() }
                    core.roster.remove(self)
                }
                if let origin { core.chain.transport.wake(for: origin, finish) } else { finish() }
                return
            }
        }
    }

    private func spawn(_ work: @escaping @Sendable (RequestTask) async -> Void) {
        core.environment.counters.add(to: .tasks)
        Task {
            await work(self)
            core.environment.counters.remove(from: .tasks)
        }
    }

    // MARK: Deadline, gate and progress

    private func armDeadline() {
        guard let duration = core.deadline(of: context) else { return }
        let time = context.time
        let deadline = time.now.advanced(by: duration)
        let counters = core.environment.counters
        counters.add(to: .timers)
        let timer = Task { [weak self] in
            try? await time.sleep(until: deadline)
            counters.remove(from: .timers)
            if !Task.isCancelled { self?.cancel(.deadline(duration)) }
        }
        state.withLock { $0.deadlineTimer = timer }
    }

    /// Returns at once, or when a suspended request is resumed.
    func passGate() async throws(ApusError) {
        guard state.withLock({ $0.machine.isSuspended }) else { return }
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

    fileprivate func report(_ direction: Direction, completed: Int64, total: Int64?) {
        let listeners = state.withLock { $0.listeners }
        for (other, listener) in listeners where other == direction {
            listener.report(completed: completed, total: total)
        }
    }
}

extension Result<Collected, ApusError> {
    fileprivate var isFile: Bool {
        if case .success(let collected) = self, case .file = collected.content { true } else { false }
    }
}

/// A body that holds back while its request is suspended, and counts.
private final class GatedBody: BodySource {
    private let body: ResponseBody
    private let task: RequestTask
    private let expecting: Int64?
    private let completed = Lock<Int64>(0)

    init(_ body: ResponseBody, task: RequestTask, expecting: Int64?) {
        self.body = body
        self.task = task
        self.expecting = expecting
    }

    func next() async throws(ApusError) -> BodyChunk? {
        try await task.passGate()
        guard let chunk = try await nextChunk() else { return nil }
        let completed = completed.withLock { completed in
            completed += Int64(chunk.count)
            return completed
        }
        task.report(.download, completed: completed, total: expecting)
        return chunk
    }

    private func nextChunk() async throws(ApusError) -> BodyChunk? {
        switch body.storage {
        case .empty: return nil
        case .stream(let stream): return try await stream.source.next()
        case .whole(let chunk):
            let isFirst = completed.withLock { $0 == 0 }
            return isFirst ? chunk : nil
        }
    }

    func cancel() {
        if case .stream(let stream) = body.storage { stream.source.cancel() }
    }
}

/// Someone who wants to know how far a request is; told at most as often as its queue keeps up.
final class ProgressListener: Sendable {
    private struct State {
        var latest: (completed: Int64, total: Int64?)?
        var isScheduled = false
    }

    private let queue: DispatchQueue
    private let handler: @Sendable (Int64, Int64?) -> Void
    private let state = Lock(State())

    init(queue: DispatchQueue, handler: @escaping @Sendable (Int64, Int64?) -> Void) {
        self.queue = queue
        self.handler = handler
    }

    func report(completed: Int64, total: Int64?) {
        let schedules = state.withLock { state in
            state.latest = (completed, total)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        queue.async { [self] in
            let latest = state.withLock { state in
                state.isScheduled = false
                return state.latest
            }
            if let latest { handler(latest.completed, latest.total) }
        }
    }
}

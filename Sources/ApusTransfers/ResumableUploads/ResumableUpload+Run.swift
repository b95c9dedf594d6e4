internal import ApusCore
internal import Foundation
internal import HTTPTypes

/// The course of an upload. `ResumableUploadStateMachine` decides, and this sends, waits and reports.
extension ResumableUpload {
    /// The origin of an upload.
    enum Source: Sendable {
        /// Builds the request that begins the upload.
        case new(@Sendable () throws(ApusError) -> RequestMessage)
        /// An upload that has begun before, with its body if the caller has it.
        case continuation(State, RequestBody?, RequestFields, RequestOptions)
    }

    /// The parts of an upload that stay the same.
    struct Plan: Sendable {
        /// The request that begins the upload. `nil` for an upload that has begun before.
        let beginning: RequestMessage?
        let body: RequestBody
        let file: State.File?
        /// The fields and options of the requests to the upload resource.
        let fields: HTTPFields
        let options: RequestOptions
        /// The machine at the beginning.
        let machine: ResumableUploadStateMachine

        var rules: ResumableUploadStateMachine.Rules { machine.rules }
    }

    /// Runs the upload to its end.
    func run() async -> Outcome {
        let plan: Plan
        do throws(ApusError) {
            plan = try makePlan()
        } catch {
            return end(.failure(error), removing: false)
        }
        var machine = plan.machine
        var action = machine.beginning
        var outcome = Outcome.failure(CancelReason.user.error)
        /// Whether the last request was sent to the target of the upload, whose responses are those of the caller.
        var isOfTarget = true
        publish(machine, plan)
        progress.report(machine.acknowledged, of: plan.rules.length)
        while case .send(let step, let number) = action {
            if let number {
                guard let delay = policy.delay(before: number, wish: retryAfter(of: outcome)) else { break }
                await wait(delay)
            }
            guard !isCancelled else {
                outcome = .failure(CancelReason.user.error)
                break
            }
            if case .create = step { isOfTarget = true } else { isOfTarget = false }
            outcome = await send(step, of: plan, machine)
            action = Self.take(outcome, into: &machine, isInterruption: isInterruption)
            publish(machine, plan)
            // Only now the server has confirmed its number of bytes.
            if case .send(.append, _) = action { progress.report(machine.acknowledged, of: plan.rules.length) }
        }
        switch action {
        case .finish:
            if case .success(let response) = outcome, response.status.kind == .successful {
                progress.report(plan.rules.length, of: plan.rules.length)
            }
            return end(outcome, removing: true)
        case .fail(let fault, let discards):
            let isRemoved = await discard(machine, plan, ifWanted: discards)
            return end(.failure(fault.error(after: outcome)), removing: isRemoved)
        case .send:
            // Cancelled, or the server asks for too long a pause.
            let isRemoved = await discard(machine, plan, ifWanted: false)
            // A success of the target would look like the response of a complete upload.
            guard case .success(let response) = outcome, !isOfTarget || response.status.kind == .successful else {
                return end(outcome, removing: isRemoved)
            }
            return end(.failure(UploadFault.refused.error(after: outcome)), removing: isRemoved)
        }
    }

    // MARK: Beginning and end

    private func makePlan() throws(ApusError) -> Plan {
        switch source {
        case .new(let make):
            let request = try make()
            let body = request.body.isNone ? RequestBody.string("") : request.body
            let rules = try rules(body, policy.interopVersion, mayBeginAnew: policy.mayBeginAnew(request))
            return Plan(
                beginning: request,
                body: body,
                file: State.file(of: body),
                fields: request.fields.forUploadResource,
                options: request.options,
                machine: ResumableUploadStateMachine(rules)
            )
        case .continuation(let state, let given, let fields, let options):
            let body = try state.body(given)
            let resource = try TargetURI(state.resource)
            let rules = try rules(body, state.interopVersion, mayBeginAnew: false)
            return Plan(
                beginning: nil,
                body: body,
                file: State.file(of: body),
                fields: try fields.checked().forUploadResource,
                options: options,
                machine: ResumableUploadStateMachine(rules, continuingAt: resource, from: state.offset)
            )
        }
    }

    private func rules(
        _ body: RequestBody,
        _ version: InteropVersion,
        mayBeginAnew: Bool
    ) throws(ApusError) -> ResumableUploadStateMachine.Rules {
        guard let length = body.length, !body.isReadOnce, !body.hasTrailers else {
            throw ApusError(
                .bodyNotReplayable,
                "a resumable upload needs a body that has a known length and no trailers, and that can be read again",
                hint: "use a file, data, or RequestBody.replayable with a length"
            )
        }
        return ResumableUploadStateMachine.Rules(
            length: length,
            version: version,
            retryLimit: policy.retryLimit,
            mayBeginAnew: mayBeginAnew
        )
    }

    /// Ends the upload. `removing`: there is nothing left to continue.
    private func end(_ outcome: Outcome, removing: Bool) -> Outcome {
        let watchers = status.withLock { status in
            status.isOver = true
            if removing { status.state = nil }
            defer { status.watchers = [:] }
            return Array(status.watchers.values)
        }
        for watcher in watchers { watcher.finish() }
        progress.end()
        return outcome
    }

    /// Removes the upload resource, if the machine or the caller wants that. Returns whether it was tried.
    private func discard(
        _ machine: ResumableUploadStateMachine,
        _ plan: Plan,
        ifWanted isWanted: Bool
    ) async -> Bool {
        guard isWanted || status.withLock({ $0.isCancelled && $0.discards }), let resource = machine.resource else {
            return false
        }
        let request = resourceRequest(.delete, at: resource, plan)
        // The upload ends with any answer.
        _ = try? await session.send(request)
        return true
    }

    // MARK: Requests

    private func send(
        _ step: ResumableUploadStateMachine.Step,
        of plan: Plan,
        _ machine: ResumableUploadStateMachine
    ) async -> Outcome {
        let request: RequestMessage
        do throws(ApusError) {
            request = try self.request(for: step, machine, plan)
        } catch {
            return .failure(error)
        }
        return await send(request, from: machine.acknowledged, plan, machine)
    }

    /// Sends a request whose body begins at an offset of the upload.
    private func send(
        _ request: RequestMessage,
        from offset: Int64,
        _ plan: Plan,
        _ machine: ResumableUploadStateMachine
    ) async -> Outcome {
        let number = status.withLock { status in
            status.requestNumber += 1
            return status.requestNumber
        }
        let watch = InterimWatch(machine) { [weak self] in self?.publish($0, plan, during: number) }
        let (session, progress, length) = (session, progress, plan.rules.length)
        let task = Task { () async -> Outcome in
            do throws(ApusError) {
                let response = try await session.send(request, notifying: watch) { byteCount in
                    progress.report(offset + byteCount, of: length)
                }
                return .success(response)
            } catch {
                return .failure(error)
            }
        }
        let isCancelled = status.withLock { status in
            status.request = task
            return status.isCancelled
        }
        if isCancelled { task.cancel() }
        let outcome = await task.value
        status.withLock { $0.request = nil }
        return outcome
    }

    private func request(
        for step: ResumableUploadStateMachine.Step,
        _ machine: ResumableUploadStateMachine,
        _ plan: Plan
    ) throws(ApusError) -> RequestMessage {
        switch step {
        case .create(let length, let isLast):
            guard var request = plan.beginning else { preconditionFailure("a continued upload never begins anew") }
            request.body = isLast ? plan.body : try part(0..<length, of: plan)
            request.fields[.uploadDraftInteropVersion] = "\(plan.rules.version.rawValue)"
            request.fields[.uploadComplete] = UploadFields.text(isLast)
            request.fields[.uploadLength] = "\(plan.rules.length)"
            request.options[ManagedTransfer.self] = ManagedTransfer()
            return request
        case .retrieveOffset:
            return resourceRequest(.head, at: Self.resource(of: machine), plan)
        case .append(let range, let isLast):
            var request = resourceRequest(.patch, at: Self.resource(of: machine), plan)
            request.body = try part(range, of: plan)
            request.fields[.contentType] = UploadFields.partialContentType
            request.fields[.uploadOffset] = "\(range.lowerBound)"
            request.fields[.uploadComplete] = UploadFields.text(isLast)
            return request
        }
    }

    private static func resource(of machine: ResumableUploadStateMachine) -> TargetURI {
        guard let resource = machine.resource else { preconditionFailure("there is no upload resource") }
        return resource
    }

    private func resourceRequest(_ method: HTTPRequest.Method, at resource: TargetURI, _ plan: Plan) -> RequestMessage {
        var request = RequestMessage(method: method, target: resource, fields: plan.fields, options: plan.options)
        request.fields[.uploadDraftInteropVersion] = "\(plan.rules.version.rawValue)"
        request.options[ManagedTransfer.self] = ManagedTransfer()
        // The machine follows them, since credentials must not leave the origin.
        request.options[RedirectPolicy.self] = .refuse
        return request
    }

    private func part(_ range: Range<Int64>, of plan: Plan) throws(ApusError) -> RequestBody {
        if let part = plan.body.slice(range) { return part }
        throw ApusError(.bodyNotReplayable, "the bytes \(range) of the body can't be read again")
    }

    // MARK: Results

    /// Passes the result of a request on to the machine, with the interim responses before it.
    private static func take(
        _ outcome: Outcome,
        into machine: inout ResumableUploadStateMachine,
        isInterruption: (ApusError) -> Bool
    ) -> ResumableUploadStateMachine.Action {
        let exchanges =
            switch outcome {
            case .success(let response): response.metrics.exchanges
            case .failure(let error): error.exchanges
            }
        let origin = exchanges.first?.target.origin
        if let last = exchanges.last, let origin {
            for interim in last.informational where interim.status.code == 104 {
                machine.note(interim.headerFields, from: last.target, of: origin)
            }
        }
        switch outcome {
        case .success(let response):
            let answer = ResumableUploadStateMachine.Answer(
                status: response.status,
                fields: response.fields,
                target: response.target,
                origin: origin ?? response.target.origin
            )
            return machine.receive(answer)
        case .failure(let error):
            if error.isValidation, let head = error.response, let target = exchanges.last?.target, let origin {
                let answer = ResumableUploadStateMachine.Answer(
                    status: head.status,
                    fields: head.headerFields,
                    target: target,
                    origin: origin
                )
                return machine.receive(answer)
            }
            guard isInterruption(error) else { return machine.receive(.other) }
            // An earlier exchange may have had an effect.
            return machine.receive(.interruption(isUnsent: error.isConnect && exchanges.count <= 1))
        }
    }

    /// Whether the network or the server has interrupted the request.
    private func isInterruption(_ error: ApusError) -> Bool {
        guard !isCancelled else { return false }
        if RetryPolicy.transientCodes.contains(error.code) { return true }
        // The server has reported its progress more often than the session allows in one response.
        let limit = session.configuration.limits.informationalResponses
        return error.code == .responseTooLarge && error.exchanges.last.map { $0.informational.count >= limit } ?? false
    }

    /// Returns the pause that the server asks for, if any.
    private func retryAfter(of outcome: Outcome) -> Duration? {
        let value =
            switch outcome {
            case .success(let response): response.fields[.retryAfter]
            case .failure(let error): error.response?.headerFields[.retryAfter]
            }
        return value.flatMap { RetryAfter($0, now: session.configuration.time.wallClock) }?.delay
    }

    private var isCancelled: Bool { status.withLock { $0.isCancelled } }

    /// Waits until a pause is over or the upload is cancelled.
    private func wait(_ delay: Duration) async {
        guard delay > .zero else { return }
        let time = session.configuration.time
        let deadline = time.now.advanced(by: delay)
        let pause = Task { () async -> Void in
            // A cancelled pause ends early.
            try? await time.sleep(until: deadline)
            return
        }
        let isCancelled = status.withLock { status in
            status.pause = pause
            return status.isCancelled
        }
        if isCancelled { pause.cancel() }
        await pause.value
        status.withLock { $0.pause = nil }
    }

    // MARK: Reports

    /// Reports the state after a request. Reports of that request are ignored from now on.
    private func publish(_ machine: ResumableUploadStateMachine, _ plan: Plan) {
        let now = session.configuration.time.wallClock
        let (state, watchers) = status.withLock { status -> (State?, [AsyncStream<State>.Continuation]) in
            status.requestNumber += 1
            return status.note(machine, plan, now: now)
        }
        if let state { for watcher in watchers { watcher.yield(state) } }
    }

    /// Reports the state during a request, and stops the request if it has become pointless.
    private func publish(_ machine: ResumableUploadStateMachine, _ plan: Plan, during number: Int) {
        let now = session.configuration.time.wallClock
        let (state, watchers) = status.withLock { status -> (State?, [AsyncStream<State>.Continuation]) in
            guard status.requestNumber == number, !status.isOver else { return (nil, []) }
            return status.note(machine, plan, now: now)
        }
        if let state { for watcher in watchers { watcher.yield(state) } }
        guard machine.violation != nil else { return }
        let request = status.withLock { $0.requestNumber == number ? $0.request : nil }
        request?.cancel()
    }
}

extension ResumableUpload.Status {
    /// Records the state of a machine. Returns the state if it is another one than before, and the watchers to notify.
    fileprivate mutating func note(
        _ machine: ResumableUploadStateMachine,
        _ plan: ResumableUpload.Plan,
        now: Date
    ) -> (ResumableUpload.State?, [AsyncStream<ResumableUpload.State>.Continuation]) {
        // The lifetime counts from the response that has it.
        if machine.lifetimeCount != lifetimeCount {
            lifetimeCount = machine.lifetimeCount
            expiry = machine.limits.lifetime.map { now.addingTimeInterval(Double($0)) }
        }
        let new = machine.resource.map { resource in
            ResumableUpload.State(
                resource: resource.uri,
                length: plan.rules.length,
                offset: machine.acknowledged,
                expiry: expiry,
                interopVersion: plan.rules.version,
                file: plan.file
            )
        }
        guard state != new else { return (nil, []) }
        state = new
        return (new, Array(watchers.values))
    }
}

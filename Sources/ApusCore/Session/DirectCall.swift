internal import HTTPTypes

/// A direct call. Its values are stored here once, and not in the frame of each function, so that a waiting call needs
/// little memory.
final class DirectCall: Sendable {
    let core: SessionCore
    let context: RequestContext
    private let request: RequestMessage

    init(core: SessionCore, request: RequestMessage, options: RequestOptions) {
        self.core = core
        self.request = request
        self.context = RequestContext(environment: core.environment, options: options)
        context.post(.created(self.request))
    }

    /// Returns the response, or throws one error that names the request.
    func response() async throws(ApusError) -> Response {
        do throws(ApusError) {
            let deadline = core.deadline(of: context)
            let response = if let deadline { try await placed(within: deadline) } else { try await placed() }
            end(nil)
            return response
        } catch {
            throw failure(error)
        }
    }

    @inline(never)
    private func placed(within deadline: Duration) async throws(ApusError) -> Response {
        context.note(deadline: context.time.now.advanced(by: deadline))
        return try await core.bounded(by: deadline, to: request.target.origin) { () async throws(ApusError) in
            try await self.placed()
        }
    }

    private func placed() async throws(ApusError) -> Response {
        if try !core.enterIfFree() { try await core.enter() }
        let interceptors = core.interceptors(of: context)
        guard interceptors.isEmpty else { return try await intercepted(by: interceptors) }
        return try await core.onExecutor(for: request.target.origin) { () async throws(ApusError) in
            // Inside the closure, so that it needs no thread of the caller: a queued handle may wait for this slot.
            defer { core.limiter.leave() }
            return try await attempt(request, because: .first)
        }
    }

    /// A separate function, so that a waiting call has a small frame.
    @inline(never)
    private func intercepted(by interceptors: InterceptorSet) async throws(ApusError) -> Response {
        try await AttemptLoop(work: self, interceptors: interceptors).run(request).result.get()
    }

    private func failure(_ error: ApusError) -> ApusError {
        let error = error.about(method: request.method, target: request.target).with(exchanges: context.exchanges(endedBy: error))
        end(error)
        return error
    }

    private func end(_ error: ApusError?) {
        context.post(.completed(error), .finished)
    }
}

extension DirectCall: AttemptedWork {
    func remake() async throws(ApusError) -> RequestMessage { request }

    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> Response {
        let attempt = Attempt(core: core, context: context, validation: .none, handle: nil)
        let collected = try await attempt.run(request, because: cause)
        return Response(request: request, collected: collected, metrics: context.metrics)
    }

    func status(of answer: Response) -> HTTPResponse.Status { answer.status }

    func glimpse(of answer: Response) -> AnswerGlimpse {
        AnswerGlimpse(head: ResponseHead(status: answer.status, fields: answer.fields), data: answer.data)
    }
}

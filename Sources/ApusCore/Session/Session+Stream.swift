public import Foundation
public import HTTPTypes

extension Session {
    /// Sends a request and returns when the response head has arrived. The body is read with back-pressure.
    ///
    /// ```swift
    /// let answer = try await session.stream("https://example.org/large")
    /// for try await chunk in answer.body {
    ///     print(chunk.count)
    /// }
    /// ```
    ///
    /// The request counts as in flight until its body is read to the end or released.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - query: Items to add to the URL's query. Default: none.
    ///   - fields: The header fields. The session's default fields are added.
    ///   - body: The request body. Default: none.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The response head, with any status, and the body to be read.
    /// - Throws: `ApusError`, also if the task is cancelled.
    public func stream(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) async throws(ApusError) -> StreamedResponse {
        let message = try Self.build { () throws in
            try RequestMessage(url, method: method, query: query, fields: fields, body: body)
        }
        return try await stream(message, options: options)
    }

    /// Sends a request and returns when the response head has arrived. The body is read with back-pressure.
    ///
    /// ## Cancellation
    /// Cancelling the task before the head has arrived, or the task that reads the body, ends the exchange and closes
    /// the connection (HTTP/1.1). Releasing a body that was not read to its end does so too. The response, its body and
    /// every iterator of the body hold it.
    ///
    /// - Parameters:
    ///   - request: The request, or a type that builds it.
    ///   - options: Options that override the session's settings for this request.
    /// - Returns: The response head, with any status, and the body to be read.
    /// - Throws: `ApusError`, also if the task is cancelled.
    public func stream(
        _ request: some RequestConvertible,
        options: RequestOptions = .none
    ) async throws(ApusError) -> StreamedResponse {
        let message = try Self.build(request.asRequest)
        let context = RequestContext(environment: core.environment, options: options)
        context.post(.created(message))
        do throws(ApusError) {
            let begin = context.time.now
            let deadline = core.deadline(of: context)
            let (request, response) =
                if let deadline {
                    try await core.open(message, context, within: deadline, from: begin)
                } else {
                    try await core.open(message, context)
                }
            context.post(.responded(response.head))
            let end = deadline.map { (begin.advanced(by: $0), CancelReason.deadline($0)) }
            let body = context.counted(response.body, expecting: response.fields.promisedLength)
            let source = LeasedBody(body, of: request, session: self, context: context, deadline: end)
            return StreamedResponse(
                request: request,
                status: response.status,
                fields: response.fields,
                body: .stream(source),
                target: response.target,
                context: context
            )
        } catch {
            let failure = error.about(method: message.method, target: message.target)
                .with(exchanges: context.exchanges(endedBy: error))
            context.post(.completed(failure), .finished)
            throw failure
        }
    }
}

extension SessionCore {
    /// The request that was sent, and its response head.
    fileprivate typealias Opened = (request: RequestMessage, response: ResponseMessage)

    /// Takes a slot and runs the chain. The caller must release the slot after a success.
    fileprivate func open(
        _ message: RequestMessage,
        _ context: RequestContext
    ) async throws(ApusError) -> Opened {
        try RequestCheck.check(message, context)
        try await enter()
        let work = StreamWork(core: self, context: context, request: message)
        let interceptors = interceptors(of: context)
        guard interceptors.isEmpty else {
            let outcome = await AttemptLoop(work: work, interceptors: interceptors).run(message)
            return (outcome.request, try outcome.result.get())
        }
        do throws(ApusError) {
            let response = try await onExecutor(for: message.target.origin) { () async throws(ApusError) in
                try await work.attempt(message, because: .first)
            }
            return (message, response)
        } catch {
            limiter.leave()
            throw error
        }
    }

    /// Does the same, with a time limit.
    fileprivate func open(
        _ message: RequestMessage,
        _ context: RequestContext,
        within deadline: Duration,
        from begin: MonotonicInstant
    ) async throws(ApusError) -> Opened {
        context.note(deadline: begin.advanced(by: deadline))
        let operation = { @Sendable () async throws(ApusError) in try await self.open(message, context) }
        return try await bounded(by: deadline, to: message.target.origin, late: letGo, operation)
    }

    /// Discards a response that arrived after its caller stopped waiting.
    private func letGo(_ opened: Opened) {
        opened.response.discard()
        limiter.leave()
    }
}

/// The work of a streamed request until its response head has arrived. The response keeps the slot.
private struct StreamWork: AttemptedWork {
    let core: SessionCore
    let context: RequestContext
    let request: RequestMessage

    var holdsPlace: Bool { true }

    func remake() async throws(ApusError) -> RequestMessage { request }

    @concurrent
    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> ResponseMessage {
        do {
            try RequestCheck.check(request, context)
            return try await core.chain(request, context: context, because: cause)
        } catch {
            throw ApusError(wrapping: error, as: .middlewareFailed)
        }
    }

    func status(of answer: ResponseMessage) -> HTTPResponse.Status { answer.status }

    func glimpse(of answer: ResponseMessage) -> AnswerGlimpse {
        AnswerGlimpse(head: ResponseHead(status: answer.status, fields: answer.fields))
    }

    func rewind(_ answer: ResponseMessage?) async {
        answer?.discard()
    }
}

/// The body of a streamed response. Until its end it keeps the session alive and holds a slot. It fails when the
/// request's deadline has passed.
private final class LeasedBody: BodySource, RequestLimiter.SlotHolder {
    private struct State {
        var isOver = false
        var expiry: ApusError?
        var timer: Task<Void, Never>?
    }

    private let body: ResponseBody
    private let whole: Lock<BodyChunk?>
    private let session: Session
    private let context: RequestContext
    private let request: RequestMessage
    private let state = Lock(State())

    init(
        _ body: ResponseBody,
        of request: RequestMessage,
        session: Session,
        context: RequestContext,
        deadline: (instant: MonotonicInstant, reason: CancelReason)?
    ) {
        self.body = body
        self.request = request
        self.session = session
        self.context = context
        if case .whole(let chunk) = body.storage { self.whole = Lock(chunk) } else { self.whole = Lock(nil) }
        session.core.limiter.insert(self)
        guard let deadline else { return }
        let time = context.time
        let counters = session.core.environment.counters
        counters.add(to: .timers)
        let timer = Task { [weak self] in
            try? await time.sleep(until: deadline.instant)
            counters.remove(from: .timers)
            if !Task.isCancelled { self?.giveUp(deadline.reason.error) }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }

    var trailers: HTTPFields? { body.trailers }

    func next() async throws(ApusError) -> BodyChunk? {
        do throws(ApusError) {
            if let expiry = state.withLock({ $0.expiry }) { throw expiry }
            if let chunk = try await nextChunk() { return chunk }
            finish(nil)
            return nil
        } catch {
            let expiry = state.withLock { $0.expiry }
            let failure = (expiry ?? error).about(method: request.method, target: request.target)
            finish(failure)
            throw failure.with(exchanges: context.exchanges(endedBy: failure))
        }
    }

    private func nextChunk() async throws(ApusError) -> BodyChunk? {
        switch body.storage {
        case .empty:
            return nil
        case .whole:
            return whole.withLock { chunk in
                defer { chunk = nil }
                return chunk
            }
        case .stream(let stream):
            return try await stream.source.next()
        }
    }

    func cancel() {
        if case .stream(let stream) = body.storage { stream.source.cancel() }
        finish(CancelReason.user.error)
    }

    func discard() {
        body.discard()
        finish(nil)
    }

    /// Ends the body early. Releases the slot even if the body is never read again. A later read throws the error.
    func giveUp(_ error: ApusError) {
        let isRunning = state.withLock { state in
            if !state.isOver { state.expiry = error }
            return !state.isOver
        }
        guard isRunning else { return }
        if case .stream(let stream) = body.storage { stream.source.cancel() }
        finish(error.about(method: request.method, target: request.target))
    }

    private func finish(_ error: ApusError?) {
        let (isFirst, timer) = state.withLock { state in
            defer {
                state.isOver = true
                state.timer = nil
            }
            return (!state.isOver, state.timer)
        }
        guard isFirst else { return }
        timer?.cancel()
        session.core.limiter.remove(self)
        session.core.limiter.leave()
        context.post(.completed(error), .finished)
    }
}

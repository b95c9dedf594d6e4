public import Foundation
public import HTTPTypes

extension Session {
    /// Sends a request and returns with the head of its answer; the content comes under back-pressure.
    ///
    /// ```swift
    /// let answer = try await session.stream("https://example.org/large")
    /// for try await chunk in answer.body {
    ///     print(chunk.count)
    /// }
    /// ```
    ///
    /// The request counts as in flight until the content was read to its end or let go of.
    ///
    /// - Parameters:
    ///   - url: What the request is for.
    ///   - method: The method; GET by default.
    ///   - query: What is added to the URL's query; nothing by default.
    ///   - fields: The fields; the session's own are added to them.
    ///   - body: The content to send; none by default.
    ///   - options: What this request sets otherwise than the session.
    /// - Returns: The head of the answer, whatever its status, and the content to be read.
    /// - Throws: `ApusError`, for cancellation too.
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

    /// Sends a request and returns with the head of its answer; the content comes under back-pressure.
    ///
    /// ## Cancellation
    /// Cancelling the task until the head is here, or the task that reads the content, ends the exchange: the connection is
    /// closed (HTTP/1.1). So does letting go of a content that was not read to its end: of the answer, of its body and of
    /// every iterator of that, since each of them holds it.
    ///
    /// - Parameters:
    ///   - request: The request, or what builds it.
    ///   - options: What this request sets otherwise than the session.
    /// - Returns: The head of the answer, whatever its status, and the content to be read.
    /// - Throws: `ApusError`, for cancellation too.
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
                .with(hops: context.hops(endedBy: error))
            context.post(.completed(failure), .finished)
            throw failure
        }
    }
}

extension SessionCore {
    /// What was sent, and the head of the answer to it.
    fileprivate typealias Opened = (request: RequestMessage, response: ResponseMessage)

    /// A place and the chain; the place is the caller's to give back.
    fileprivate func open(
        _ message: RequestMessage,
        _ context: RequestContext
    ) async throws(ApusError) -> Opened {
        try RequestRules.check(message, context)
        try await enter()
        let work = StreamWork(core: self, context: context, request: message)
        let interception = interception(of: context)
        guard interception.isEmpty else {
            let outcome = await AttemptLoop(work: work, interception: interception).run(message)
            return (outcome.request, try outcome.result.get())
        }
        do throws(ApusError) {
            let response = try await onExecutor(for: message.target.origin) { () async throws(ApusError) in
                try await work.attempt(message, because: .first)
            }
            return (message, response)
        } catch {
            roster.leave()
            throw error
        }
    }

    /// The same, with a limit on its time.
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

    /// An answer came that nobody waits for any more.
    private func letGo(_ opened: Opened) {
        opened.response.discard()
        roster.leave()
    }
}

/// A stream on its way to the head of its answer, which goes on holding its place.
private struct StreamWork: AttemptedWork {
    let core: SessionCore
    let context: RequestContext
    let request: RequestMessage

    var holdsPlace: Bool { true }

    func remake() async throws(ApusError) -> RequestMessage { request }

    @concurrent
    func attempt(_ request: RequestMessage, because cause: HopCause) async throws(ApusError) -> ResponseMessage {
        do {
            try RequestRules.check(request, context)
            return try await core.chain(request, context: context, because: cause)
        } catch {
            throw ApusError.wrapping(error) {
                ApusError(.middlewareFailed, Redaction.text(String(describing: $0)), underlying: $0)
            }
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

/// The content of a streamed answer: it keeps the session, holds the place among those in flight until its end, and
/// ends with the deadline of the request.
private final class LeasedBody: BodySource, Roster.Lease {
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
        session.core.roster.insert(self)
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
            throw failure.with(hops: context.hops(endedBy: failure))
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

    /// Ends it from outside: the place is given back though nobody may ever read on; who does finds the error.
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
        session.core.roster.remove(self)
        session.core.roster.leave()
        context.post(.completed(error), .finished)
    }
}

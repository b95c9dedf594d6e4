internal import HTTPTypes

/// The body of a streamed response. Until its end it keeps the session alive and holds a slot. It fails when the
/// request's deadline has passed.
final class SlotHoldingBody: BodySource, RequestLimiter.SlotHolder {
    private struct State {
        var isOver = false
        var expiry: ApusError?
        var timer: DeadlineTimer?
    }

    private let body: ResponseBody
    private let whole: Lock<BodyChunk?>
    private let session: Session
    private let context: RequestContext
    private let request: RequestMessage
    private let head: ResponseHead
    private let state = Lock(State())

    init(
        _ body: ResponseBody,
        of request: RequestMessage,
        _ head: ResponseHead,
        session: Session,
        context: RequestContext
    ) {
        self.body = body
        self.request = request
        self.head = head
        self.session = session
        self.context = context
        if case .whole(let chunk) = body.storage { self.whole = Lock(chunk) } else { self.whole = Lock(nil) }
        session.core.limiter.insert(self)
        guard let deadline = context.deadline else { return }
        let timer = DeadlineTimer(at: deadline.instant, in: session.core.environment) { [weak self] in
            self?.fail(CancelReason.deadline(deadline.limit).error)
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
            return try await stream.next(for: self)
        }
    }

    func cancel() {
        if case .stream(let stream) = body.storage { stream.source.cancel() }
        finish(CancelReason.user.error)
    }

    func discard() {
        if case .stream(let stream) = body.storage { stream.discard(for: self) }
        finish(nil)
    }

    /// Ends the body early. Releases the slot even if the body is never read again. A later read throws the error.
    func fail(_ error: ApusError) {
        let isRunning = state.withLock { state in
            if !state.isOver { state.expiry = error }
            return !state.isOver
        }
        guard isRunning else { return }
        if case .stream(let stream) = body.storage { stream.source.cancel() }
        finish(error.about(method: request.method, target: request.target))
    }

    /// Ends the body early because its reader can't use it. Returns the error with its request and its exchanges.
    func refusing(_ error: ApusError) -> ApusError {
        let failure = error.about(method: request.method, target: request.target)
        let exchanges = context.exchanges(endedBy: failure)
        fail(failure)
        return failure.with(exchanges: exchanges)
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
        context.post(.completed(summary(error)), then: .finished)
    }

    private func summary(_ error: ApusError?) -> ResponseSummary {
        context.summary(of: RawResponse(request: request, head: head, metrics: context.metrics, error: error))
    }
}

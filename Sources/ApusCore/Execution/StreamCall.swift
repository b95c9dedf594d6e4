internal import HTTPTypes

/// A streamed call. It ends with the response head, and the body of the response then keeps its slot.
struct StreamCall: Call {
    /// The request that was sent, its response head, and whether the attempt has reported it.
    typealias Output = (request: RequestMessage, response: ResponseMessage, isReported: Bool)

    let session: Session
    let context: RequestContext
    private let request: RequestMessage
    /// Returns the validators of the handle, if the request has one.
    private let added: @Sendable () -> Validation

    init(session: Session, request: RequestMessage, options: RequestOptions) {
        let context = RequestContext(core: session.core, options: options, collectsBody: false)
        self.init(session: session, request: request, context: context) { .none }
    }

    /// Creates the call of a handle, which has made the context.
    init(
        session: Session,
        request: RequestMessage,
        context: RequestContext,
        adding added: @escaping @Sendable () -> Validation
    ) {
        self.session = session
        self.context = context
        self.request = request.overriding(context.options)
        self.added = added
        context.eventSink?.postCreated(self.request)
    }

    var core: SessionCore { session.core }

    var keepsSlot: Bool { true }

    /// Returns the response with its head, or throws one error that names the request.
    func response() async throws(ApusError) -> StreamedResponse {
        do throws(ApusError) {
            let (sent, response, isReported) = try await perform(request)
            if !isReported { context.post(.responded(response.head)) }
            let body = context.counted(
                response.body,
                of: response.record,
                expecting: response.fields.declaredLength
            )
            let head = ResponseHead(status: response.status, fields: response.fields)
            return StreamedResponse(
                request: sent,
                status: response.status,
                fields: response.fields,
                body: .stream(SlotHoldingBody(body, of: sent, head, session: session, context: context)),
                target: response.target,
                context: context
            )
        } catch {
            throw reportFailure(error, of: request)
        }
    }

    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> Output {
        var validation = core.validation(for: request.options)
        validation.append(contentsOf: added())
        let attempt = Attempt(core: core, context: context, validation: validation)
        // With validators, the attempt reports the head before they run.
        return (request, try await attempt.open(request, because: cause), !validation.isEmpty)
    }

    func requestAttempt(at request: RequestMessage, _ output: Output) -> RequestAttempt {
        let head = ResponseHead(status: output.response.status, fields: output.response.fields)
        return RequestAttempt(request: request, head: head, context: context)
    }

    func status(of output: Output) -> HTTPResponse.Status { output.response.status }

    func discard(_ output: Output) { output.response.discard() }
}

internal import HTTPTypes

/// A streamed call. It ends with the response head, and the body of the response then keeps its slot.
struct StreamCall: Call {
    /// The request that was sent, and its response head.
    typealias Output = (request: RequestMessage, response: ResponseMessage)

    let session: Session
    let context: RequestContext
    private let request: RequestMessage

    init(session: Session, request: RequestMessage, options: RequestOptions) {
        self.session = session
        self.context = RequestContext(
            environment: session.core.environment,
            options: options,
            collectsBody: false
        )
        self.request = request.overriding(context.options)
        context.post(.created(self.request))
    }

    var core: SessionCore { session.core }

    var keepsSlot: Bool { true }

    /// Returns the response with its head, or throws one error that names the request.
    func response() async throws(ApusError) -> StreamedResponse {
        do throws(ApusError) {
            let (sent, response) = try await perform(request)
            // Otherwise the attempt has posted it, before the validators ran.
            if core.validation(for: sent.options).isEmpty { context.post(.responded(response.head)) }
            let body = context.counted(response.body, expecting: response.fields.promisedLength)
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
        let attempt = Attempt(core: core, context: context, validation: core.validation(for: request.options))
        return (request, try await attempt.open(request, because: cause))
    }

    func requestAttempt(at request: RequestMessage, _ output: Output) -> RequestAttempt {
        let head = ResponseHead(status: output.response.status, fields: output.response.fields)
        return RequestAttempt(request: request, head: head, context: context)
    }

    func status(of output: Output) -> HTTPResponse.Status { output.response.status }

    func discard(_ output: Output) { output.response.discard() }
}

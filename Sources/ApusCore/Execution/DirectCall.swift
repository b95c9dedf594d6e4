internal import HTTPTypes

/// A direct call. Its values are stored here once, and not in the frame of each function, so that a waiting call needs
/// little memory.
final class DirectCall: Call {
    let core: SessionCore
    let context: RequestContext
    private let request: RequestMessage

    /// `make` builds the request with the options of the call and the base URL of the session.
    init(
        core: SessionCore,
        options: RequestOptions,
        _ make: (RequestContext) throws(ApusError) -> RequestMessage
    ) throws(ApusError) {
        self.core = core
        self.context = RequestContext(core: core, options: options)
        self.request = try make(context)
        context.eventSink?.postCreated(self.request)
    }

    /// Returns the response, or throws one error that names the request.
    func response() async throws(ApusError) -> Response {
        do throws(ApusError) {
            let response = try await perform(request)
            context.post(.completed(context.summary(of: response)), then: .finished)
            return response
        } catch {
            throw reportFailure(error, of: request)
        }
    }

    func attempt(_ request: RequestMessage, because cause: ExchangeCause) async throws(ApusError) -> Response {
        let attempt = Attempt(core: core, context: context, validation: core.validation(for: request.options))
        let collected = try await attempt.run(request, because: cause)
        return Response(request: request, collected: collected, metrics: context.metrics)
    }

    func requestAttempt(at request: RequestMessage, _ output: Response) -> RequestAttempt {
        let head = ResponseHead(status: output.status, fields: output.fields)
        return RequestAttempt(request: request, head: head, data: output.data, context: context)
    }

    func status(of output: Response) -> HTTPResponse.Status { output.status }
}

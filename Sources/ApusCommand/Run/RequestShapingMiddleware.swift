internal import Apus
internal import HTTPTypes

/// Network middleware: removes fields the user does not want, and reports each request and response to the transcript.
struct RequestShapingMiddleware: Middleware {
    let removedFields: Set<HTTPField.Name>
    let transcript: Transcript
    /// Whether redirects are followed. If so, their bodies are read here and not passed on.
    let followsRedirects: Bool
    let showsAll: Bool

    func handle(
        _ request: consuming RequestMessage,
        context: RequestContext,
        next: Next
    ) async throws -> ResponseMessage {
        var request = request
        for name in removedFields { request.fields[name] = nil }
        try MessageFraming.check(request)
        try await transcript.willSend(request)
        let response = try await next(request, context: context)
        let isHop = followsRedirects && RedirectRules.isFollowable(response.status, response.fields)
        guard showsAll, isHop else {
            await transcript.didReceive(response, content: [])
            return response
        }
        await transcript.didReceive(response, content: await RedirectContent.bytes(of: response, time: context.time))
        var bodyless = response
        bodyless.body = .empty
        return bodyless
    }
}

/// Returns an empty response without sending the request.
struct OfflineTransport: Transport {
    /// The engine's capabilities, so that the middleware adds the same fields as for a real request.
    let capabilities: TransportCapabilities = [.rawContentCoding, .rawRedirects]

    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        record.close(at: context.time.now)
        return ResponseMessage(status: .noContent, record: record)
    }
}

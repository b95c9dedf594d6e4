internal import Apus
internal import HTTPTypes

/// Next to the wire: takes away what the user does not want sent, and tells the transcript each request and response.
struct RequestShaping: Middleware {
    let removedFields: Set<HTTPField.Name>
    let transcript: Transcript
    /// Whether redirects are followed, so that their content goes no further than here.
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
        let isHop = followsRedirects && RedirectRules.leadsOn(response.status, response.fields)
        guard showsAll, isHop else {
            await transcript.didReceive(response, content: [])
            return response
        }
        await transcript.didReceive(response, content: await HopContent.bytes(of: response, time: context.time))
        var answer = response
        answer.body = .empty
        return answer
    }
}

/// Answers without sending anything.
struct OfflineTransport: Transport {
    /// Those of the engine, so that the chain adds what it would add ahead of it.
    let capabilities: TransportCapabilities = [
        .trailers, .informational, .expectContinue, .rawContentCoding, .duplex, .customTrust, .rawRedirects,
    ]

    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        record.close(at: context.time.now)
        return ResponseMessage(status: .noContent, record: record)
    }
}

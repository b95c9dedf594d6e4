internal import Apus
internal import HTTPTypes

/// Next to the wire: takes away what the user does not want sent, and tells the transcript each request and response.
struct RequestShaping: Middleware {
    /// More of a redirect's content is not kept to be shown.
    private static let keptContentBytes = 64 << 10

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
        let isHop = followsRedirects && Self.isRedirect(response.status, response.fields)
        guard showsAll, isHop else {
            await transcript.didReceive(response, content: [])
            return response
        }
        await transcript.didReceive(response, content: await shownContent(of: response))
        var answer = response
        answer.body = .empty
        return answer
    }

    /// The content of a redirect, decoded; what of it does not come, or can't be decoded, holds up nobody who follows it.
    private func shownContent(of response: ResponseMessage) async -> [UInt8] {
        let body = await Decompression(policy: .automatic, limits: Limits()).decoded(response).body
        var content: [UInt8] = []
        do {
            for try await chunk in body {
                chunk.withUnsafeBytes { content.append(contentsOf: $0) }
                if content.count > Self.keptContentBytes { break }
            }
        } catch {}
        return content
    }

    /// Whether there is somewhere to follow to.
    static func isRedirect(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
        [301, 302, 303, 307, 308].contains(status.code) && fields.contains(.location)
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

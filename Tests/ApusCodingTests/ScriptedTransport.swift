@testable internal import ApusCore

/// A transport that responds with a closure.
struct ScriptedTransport: Transport {
    let respond: @Sendable (RequestMessage, ExchangeRecord) async throws -> ResponseMessage

    init(_ respond: @escaping @Sendable (RequestMessage, ExchangeRecord) async throws -> ResponseMessage) {
        self.respond = respond
    }

    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        try await respond(request, record)
    }
}

@testable internal import ApusCore

/// A transport that answers as the test says.
struct ScriptedTransport: Transport {
    let answer: @Sendable (RequestMessage, ExchangeRecord) async throws -> ResponseMessage

    init(_ answer: @escaping @Sendable (RequestMessage, ExchangeRecord) async throws -> ResponseMessage) {
        self.answer = answer
    }

    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        try await answer(request, record)
    }
}

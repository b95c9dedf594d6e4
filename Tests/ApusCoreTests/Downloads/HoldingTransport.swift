internal import ApusTestSupport
internal import ApusTesting

@testable internal import ApusCore

/// Responds with bodies that stop after 50 bytes until the barrier is open. Without one, they never go on.
struct HoldingTransport: Transport {
    let origin: RangeOrigin
    var barrier: Barrier?

    var capabilities: TransportCapabilities { [.rawRedirects] }

    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        let response = origin.response(to: request)
        let body = HeldBody(response.chunks.map { String($0) }, before: 5, barrier ?? Barrier())
        return ResponseMessage(status: response.status, fields: response.fields, body: .stream(body), record: record)
    }
}

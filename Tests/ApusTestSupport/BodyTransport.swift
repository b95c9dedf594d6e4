package import ApusCore
package import HTTPTypes

/// A transport that responds with bodies made by a test.
package struct BodyTransport: Transport {
    package let status: HTTPResponse.Status
    package let fields: HTTPFields
    package let body: @Sendable (RequestMessage) -> ResponseBody

    package init(
        status: HTTPResponse.Status = .ok,
        fields: HTTPFields = [:],
        _ body: @escaping @Sendable (RequestMessage) -> ResponseBody
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package var capabilities: TransportCapabilities { [.rawRedirects] }

    package func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        ResponseMessage(status: status, fields: fields, body: body(request), record: record)
    }
}

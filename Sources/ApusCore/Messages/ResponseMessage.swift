public import HTTPTypes

/// A response as seen by the transport and the chain. Its head is complete, but its body may still be arriving.
///
/// A middleware must `discard()` each response that it does not return.
public struct ResponseMessage: Sendable {
    /// The status code and reason phrase.
    public var status: HTTPResponse.Status { didSet { isPlain = false } }
    /// The fields.
    public var fields: HTTPFields { didSet { isPlain = false } }
    /// The body.
    public var body: ResponseBody
    /// The record of the exchange that returned this response.
    public let record: ExchangeRecord
    /// Whether the transport has reported that the response is no redirect, has no content coding, sets no cookie, and has
    /// no policy of https. No synchronous link has to handle such a response, except one that handles every response.
    package private(set) var isPlain = false

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The fields. Default: none.
    ///   - body: The body. Default: empty.
    ///   - record: The record that the transport was given for this exchange.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields = [:],
        body: ResponseBody = .empty,
        record: ExchangeRecord
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.record = record
    }

    /// Creates a response for a transport that has examined all of its fields.
    package init(
        status: HTTPResponse.Status,
        fields: HTTPFields,
        body: ResponseBody,
        record: ExchangeRecord,
        isPlain: Bool
    ) {
        self.init(status: status, fields: fields, body: body, record: record)
        self.isPlain = isPlain
    }

    /// Creates a response without an exchange, for a middleware that responds by itself. It is not part of any metrics.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The fields. Default: none.
    ///   - body: The body. Default: empty.
    ///   - request: The request that is responded to.
    ///   - context: The context that the middleware was given.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields = [:],
        body: ResponseBody = .empty,
        answering request: RequestMessage,
        in context: RequestContext
    ) {
        let now = context.now
        let record = ExchangeRecord(method: request.method, target: request.target, cause: .first, begin: now)
        record.close(at: now) { $0.status = status }
        self.init(status: status, fields: fields, body: body, record: record)
    }

    /// The head as an `HTTPResponse` of swift-http-types.
    public var head: HTTPResponse { ResponseHead(status: status, fields: fields).response }

    /// The target of the request. After redirects, it is the last one.
    public var target: TargetURI { record.target }

    /// Discards the body, so that the connection can be reused.
    public func discard() { body.discard() }
}

extension ResponseMessage: CustomStringConvertible {
    /// The status and URI, without query values, fields and body.
    public var description: String { "\(status.code) \(target)" }
}

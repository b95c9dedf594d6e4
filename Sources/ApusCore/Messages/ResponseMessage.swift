public import HTTPTypes

/// A response as the transport and the chain hand it on: the head is here, the content may still be on its way.
///
/// A middleware that does not hand a response on has to `discard()` its body.
public struct ResponseMessage: Sendable {
    /// The status code and reason phrase.
    public var status: HTTPResponse.Status { didSet { isPlain = false } }
    /// The fields.
    public var fields: HTTPFields { didSet { isPlain = false } }
    /// The content.
    public var body: ResponseBody
    /// What was written down about the exchange that this is the answer of.
    public let record: ExchangeRecord
    /// Whether the transport says that this is no redirect, and that there is no content coding and no cookie to be set:
    /// no prompt link has to look at it.
    package private(set) var isPlain = false

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The fields; none by default.
    ///   - body: The content; empty by default.
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

    /// Makes a response of a transport that has seen all of its fields.
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

    /// Makes an answer without an exchange, for a middleware that answers by itself. It stands in no metrics.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The fields; none by default.
    ///   - body: The content; empty by default.
    ///   - request: What it is the answer to.
    ///   - context: The context that the middleware was given.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields = [:],
        body: ResponseBody = .empty,
        answering request: RequestMessage,
        in context: RequestContext
    ) {
        let now = context.time.now
        let record = ExchangeRecord(method: request.method, target: request.target, cause: .first, begin: now)
        record.close(at: now) { $0.status = status }
        self.init(status: status, fields: fields, body: body, record: record)
    }

    /// The head as the ecosystem's currency type.
    public var head: HTTPResponse { ResponseHead(status: status, fields: fields).response }

    /// What this is the answer to: after redirects, the last target.
    public var target: TargetURI { record.target }

    /// Lets go of the content, so that the connection can serve again.
    public func discard() { body.discard() }
}

extension ResponseMessage: CustomStringConvertible {
    /// The status and the URI, without the values of its query; no field and no byte of the content.
    public var description: String { "\(status.code) \(target)" }
}

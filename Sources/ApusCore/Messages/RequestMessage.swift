public import Foundation
public import HTTPTypes

/// A request as the chain and the transport see it.
///
/// See RFC 9110 §6, https://www.rfc-editor.org/rfc/rfc9110.html#section-6
public struct RequestMessage: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// What the request is for.
    public var target: TargetURI
    /// The fields. `Host`, `Content-Length` and `Transfer-Encoding` are the transport's to write.
    public var fields: HTTPFields
    /// The content.
    public var body: RequestBody

    /// Makes a request out of checked parts.
    ///
    /// - Parameters:
    ///   - method: The method; GET by default.
    ///   - target: What the request is for.
    ///   - fields: The fields; none by default.
    ///   - body: The content; none by default.
    public init(
        method: HTTPRequest.Method = .get,
        target: TargetURI,
        fields: HTTPFields = [:],
        body: RequestBody = .none
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - url: What the request is for.
    ///   - method: The method; GET by default.
    ///   - query: What is added to the URI's query; nothing by default.
    ///   - fields: The fields; none by default.
    ///   - body: The content; none by default.
    /// - Throws: `ApusError` with the code `invalidURL`, or what `url` throws.
    public init(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none
    ) throws {
        self.init(method: method, target: try url.asTarget().adding(query: query), fields: fields, body: body)
    }

    /// The head as the ecosystem's currency type.
    public var head: HTTPRequest {
        HTTPRequest(
            method: method,
            scheme: target.origin.scheme.rawValue,
            authority: target.authority,
            path: target.path,
            headerFields: fields
        )
    }
}

extension RequestMessage: RequestConvertible {
    public func asRequest() throws -> RequestMessage { self }
}

extension RequestMessage: CustomStringConvertible {
    /// Method and URI, without the values of its query; no field and no byte of the content.
    public var description: String { "\(method.rawValue) \(target)" }
}

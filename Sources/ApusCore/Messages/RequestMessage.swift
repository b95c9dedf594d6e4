public import Foundation
public import HTTPTypes

/// A request as seen by the chain and the transport.
///
/// See RFC 9110 §6, https://www.rfc-editor.org/rfc/rfc9110.html#section-6
public struct RequestMessage: Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The target of the request.
    public var target: TargetURI
    /// The fields. The transport writes `Host`, `Content-Length` and `Transfer-Encoding`.
    public var fields: HTTPFields
    /// The body.
    public var body: RequestBody

    /// Creates a request from checked parts.
    ///
    /// - Parameters:
    ///   - method: The method. Default: GET.
    ///   - target: The target of the request.
    ///   - fields: The fields. Default: none.
    ///   - body: The body. Default: none.
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

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - query: The items to add to the URL's query. Default: none.
    ///   - fields: The fields. Default: none.
    ///   - body: The body. Default: none.
    /// - Throws: `ApusError` with the code `invalidURL`, or the error that `url` throws.
    public init(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: HTTPFields = [:],
        body: RequestBody = .none
    ) throws {
        self.init(method: method, target: try url.asTarget().adding(query: query), fields: fields, body: body)
    }

    /// The head as an `HTTPRequest` of swift-http-types.
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
    /// The method and URI, without query values, fields and body.
    public var description: String { "\(method.rawValue) \(target)" }
}

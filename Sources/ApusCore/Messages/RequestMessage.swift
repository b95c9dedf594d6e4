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
    /// The settings of the session that this request overrides. They are never sent.
    public var options: RequestOptions

    /// Creates a request from checked parts.
    ///
    /// - Parameters:
    ///   - method: The method. Default: GET.
    ///   - target: The target of the request.
    ///   - fields: The fields. Default: none.
    ///   - body: The body. Default: none.
    ///   - options: The settings of the session to override. Default: none.
    public init(
        method: HTTPRequest.Method = .get,
        target: TargetURI,
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.options = options
    }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - method: The method. Default: GET.
    ///   - query: The items to add to the URL's query. Default: none.
    ///   - fields: The fields. Default: none.
    ///   - body: The body. Default: none.
    ///   - options: The settings of the session to override. Default: none.
    /// - Throws: `ApusError` with the code `invalidURL` or `invalidField`, or the error that `url` throws.
    public init(
        _ url: some URLConvertible,
        method: HTTPRequest.Method = .get,
        query: [URLQueryItem] = [],
        fields: RequestFields = [:],
        body: RequestBody = .none,
        options: RequestOptions = .none
    ) throws {
        try self.init(
            url,
            relativeTo: nil,
            method: method,
            query: query,
            fields: fields,
            body: body,
            options: options
        )
    }

    /// Creates a request of a session, which may have a base URL.
    package init(
        _ url: some URLConvertible,
        relativeTo base: TargetURI?,
        method: HTTPRequest.Method,
        query: [URLQueryItem] = [],
        fields: RequestFields,
        body: RequestBody,
        options: RequestOptions
    ) throws {
        let target = try url.target(below: base)
        self.init(
            method: method,
            target: target.adding(query: query),
            fields: try fields.checked(),
            body: body,
            options: options
        )
    }

    /// Returns the request with the options of its call, which take precedence.
    func overriding(_ options: RequestOptions) -> RequestMessage {
        guard !options.isEmpty else { return self }
        var request = self
        request.options.merge(options)
        return request
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

public import HTTPTypes

/// A redirect that was followed: the request, and the response that redirected it.
///
/// The redirects of a request, in order, are the `redirects` of its response and of its error.
public struct FollowedRedirect: Sendable, Hashable {
    /// The method of the request that was redirected.
    public let method: HTTPRequest.Method
    /// The target of the request that was redirected.
    public let target: TargetURI
    /// The status of the redirect.
    public let status: HTTPResponse.Status
    /// The fields of the redirect, with `Location` as received.
    public let fields: HTTPFields

    init(_ request: RequestMessage, _ response: ResponseMessage) {
        self.method = request.method
        self.target = request.target
        self.status = response.status
        self.fields = response.fields
    }

    /// The head of the redirect as an `HTTPResponse` of swift-http-types.
    public var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
}

extension FollowedRedirect: CustomStringConvertible {
    /// The status, method and URI, without query values and fields.
    public var description: String { "\(status.code) \(method.rawValue) \(target)" }
}

/// The exchanges of a request, and the redirects between them.
package struct ExchangeHistory: Sendable {
    package let exchanges: [ExchangeMetrics]
    package let redirects: [FollowedRedirect]
}

public import HTTPTypes

/// A redirect that was followed: what was asked for, and the answer that led elsewhere.
///
/// Those of a request, in their order, are the `history` of its answer and of its error.
public struct FollowedRedirect: Sendable, Hashable {
    /// The method of the request that was redirected.
    public let method: HTTPRequest.Method
    /// What that request was for.
    public let target: TargetURI
    /// The status of the redirect.
    public let status: HTTPResponse.Status
    /// The fields of the redirect; its `Location` is as it came.
    public let fields: HTTPFields

    init(_ request: RequestMessage, _ response: ResponseMessage) {
        self.method = request.method
        self.target = request.target
        self.status = response.status
        self.fields = response.fields
    }

    /// The head of the redirect as the ecosystem's currency type.
    public var head: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }
}

extension FollowedRedirect: CustomStringConvertible {
    /// Status, method and URI, without the values of its query; no field.
    public var description: String { "\(status.code) \(method.rawValue) \(target)" }
}

/// The exchanges of a request, and the redirects that led from one to another.
package struct RequestCourse: Sendable {
    package let hops: [HopMetrics]
    package let redirects: [FollowedRedirect]
}

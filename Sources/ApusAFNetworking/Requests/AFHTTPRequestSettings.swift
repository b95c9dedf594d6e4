internal import Apus
public import HTTPTypes

/// What all of AFNetworking's request serializers can be told; reached through each of them as its own properties.
///
/// AFNetworking's other options have no place here: the encoding is UTF-8; caching, cookies, pipelining, the cellular
/// radio and the type of service belong to no single request of this library.
public struct AFHTTPRequestSettings: Sendable {
    /// The fields that a request gets unless it has them. `User-Agent`, and `Accept-Language` where the environment
    /// names a language.
    public var httpRequestHeaders = Self.defaultHeaders

    /// The methods whose parameters go into the query, and not into the content. GET, HEAD, DELETE.
    public var httpMethodsEncodingParametersInURI: Set<HTTPRequest.Method> = [.get, .head, .delete]

    /// What writes queries and forms; `nil`, the default, is `QueryStringSerializer`.
    public var queryStringSerialization: QueryStringSerialization?

    /// How long a request may stand still: nothing read, or nothing written. `nil`, the default, is as the session has it.
    ///
    /// As in `NSURLRequest`, a transfer that goes on is not limited by it. The time for connecting is the session's.
    public var timeoutInterval: Duration?

    /// How long a whole request may take. `nil`, the default, is as the session has it.
    public var deadline: Duration?

    /// Makes the default settings.
    public init() {}

    private static let defaultHeaders = {
        var headers = SessionConfiguration.defaultFields
        headers[.accept] = nil
        return headers
    }()
}

internal import Apus
public import HTTPTypes

/// The settings common to AFNetworking's request serializers. Each serializer exposes them as properties.
///
/// AFNetworking's other options are not supported: the encoding is always UTF-8, and caching, cookies, pipelining,
/// cellular access and the type of service are not options of a single request in this library.
public struct AFHTTPRequestSettings: Sendable {
    /// The default fields. A field set by a request takes precedence. Default: `User-Agent`, and `Accept-Language` if
    /// the environment sets a language.
    public var httpRequestHeaders = Self.defaultHeaders

    /// The methods that send parameters in the query instead of the body. Default: GET, HEAD and DELETE.
    public var httpMethodsEncodingParametersInURI: Set<HTTPRequest.Method> = [.get, .head, .delete]

    /// The closure that encodes queries and forms. `nil` means `QueryStringSerializer`. Default: `nil`.
    public var queryStringSerialization: QueryStringSerialization?

    /// The time without a read or write after which a request fails. `nil` means the session's. Default: `nil`.
    ///
    /// As in `NSURLRequest`, it does not limit an active transfer. The connect timeout is the session's.
    public var timeoutInterval: Duration?

    /// The time that a whole request may take. `nil` means the session's. Default: `nil`.
    public var deadline: Duration?

    /// Creates the default settings.
    public init() {}

    private static let defaultHeaders = {
        var headers = SessionConfiguration.defaultFields
        headers[.accept] = nil
        return headers
    }()
}

public import Apus
public import Foundation
public import HTTPTypes

/// The settings common to AFNetworking's request serializers. Each serializer exposes them as properties.
///
/// AFNetworking's options for caching, pipelining, cellular access and the type of service are not supported.
public struct AFHTTPRequestSettings: Sendable {
    /// The default fields. A field set by a request takes precedence. Default: `User-Agent`, and `Accept-Language` if
    /// the environment sets a language.
    public var httpRequestHeaders = Self.defaultHeaders

    /// The methods that send parameters in the query instead of the body. Default: GET, HEAD and DELETE.
    public var httpMethodsEncodingParametersInURI: Set<HTTPRequest.Method> = [.get, .head, .delete]

    /// The closure that encodes queries and forms. `nil` means `QueryStringSerializer`. Default: `nil`.
    public var queryStringSerialization: QueryStringSerialization?

    /// The encoding of texts in forms, and in the parts that parameters have in multipart forms. Default: `.utf8`.
    ///
    /// With any other encoding, the content type has a `charset`. A character that is not in the encoding is an error.
    /// Queries and the names of parts are always UTF-8, and JSON and property lists have encodings of their own.
    public var stringEncoding = String.Encoding.utf8

    /// The options of each request, which override the session's configuration. Options of a request or of a call take
    /// precedence. Default: none.
    public var options = RequestOptions.none

    /// The time without a read or write after which a request fails. `nil` means the session's. Default: `nil`.
    ///
    /// As in `NSURLRequest`, it does not limit an active transfer. It is `idleRead` and `idleWrite` of the
    /// `RequestTimeouts` of each request. All other timeouts are the session's, unless `options` set them.
    public var timeoutInterval: Duration?

    /// Creates the default settings.
    public init() {}

    private static let defaultHeaders = {
        var headers = SessionConfiguration.defaultFields
        headers[.accept] = nil
        return headers
    }()
}

extension AFHTTPRequestSettings {
    /// The time that a whole request may take. `nil` means the session's. Default: `nil`.
    ///
    /// It is the `RequestDeadline` in `options`.
    public var deadline: Duration? {
        get { options[RequestDeadline.self]?.duration }
        set { options[RequestDeadline.self] = newValue.map { RequestDeadline($0) } }
    }

    /// Whether requests send and store cookies. `nil` means as the session does. Default: `nil`.
    ///
    /// It is the `CookieHandling` in `options`. `true` does not switch on cookies if they are off in the session, which
    /// has no jar in this case.
    public var httpShouldHandleCookies: Bool? {
        get {
            switch options[CookieHandling.self] {
            case nil: nil
            case .off?: false
            case .automatic?, .jar?: true
            }
        }
        set {
            switch newValue {
            case nil: options[CookieHandling.self] = nil
            case false?: options[CookieHandling.self] = .off
            case true?:
                // A jar in the options is kept.
                if httpShouldHandleCookies != true { options[CookieHandling.self] = .automatic }
            }
        }
    }

    /// The options with the timeouts of `timeoutInterval`.
    var requestOptions: RequestOptions {
        guard let timeoutInterval else { return options }
        var all = options
        all.setIdleTimeout(.after(timeoutInterval))
        return all
    }
}

extension AFHTTPRequestSettings: CustomStringConvertible, CustomReflectable {
    /// The fields, one a line. Secret values are redacted.
    public var description: String {
        Redaction.fields(httpRequestHeaders).map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// Empty, since reflection would print the values of the fields.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

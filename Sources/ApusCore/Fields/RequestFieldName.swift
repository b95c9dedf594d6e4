public import HTTPTypes

/// The name of a field in `RequestFields`, as a string or as a constant.
///
/// ```swift
/// let fields: RequestFields = ["X-Request-Tag": "blue", .accept: "text/html"]
/// ```
///
/// A constant of your own is an extension: `static let tag: RequestFieldName = "X-Request-Tag"`.
public struct RequestFieldName: Sendable, ExpressibleByStringLiteral {
    let checked: Result<HTTPField.Name, ApusError>

    /// Creates a name in any case. It is checked when the request is made.
    public init(_ name: String) {
        self.checked = Result { () throws(ApusError) in try HTTPField.Name(checking: name) }
    }

    /// Creates a name.
    public init(_ name: HTTPField.Name) {
        self.checked = .success(name)
    }

    /// Creates a name in any case. It is checked when the request is made.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}

/// The names that requests have.
extension RequestFieldName {
    /// `Accept`.
    public static var accept: Self { Self(HTTPField.Name.accept) }
    /// `Accept-Encoding`.
    public static var acceptEncoding: Self { Self(HTTPField.Name.acceptEncoding) }
    /// `Accept-Language`.
    public static var acceptLanguage: Self { Self(HTTPField.Name.acceptLanguage) }
    /// `Access-Control-Request-Headers`.
    public static var accessControlRequestHeaders: Self { Self(HTTPField.Name.accessControlRequestHeaders) }
    /// `Access-Control-Request-Method`.
    public static var accessControlRequestMethod: Self { Self(HTTPField.Name.accessControlRequestMethod) }
    /// `Authorization`.
    public static var authorization: Self { Self(HTTPField.Name.authorization) }
    /// `Cache-Control`.
    public static var cacheControl: Self { Self(HTTPField.Name.cacheControl) }
    /// `Connection`.
    public static var connection: Self { Self(HTTPField.Name.connection) }
    /// `Content-Disposition`.
    public static var contentDisposition: Self { Self(HTTPField.Name.contentDisposition) }
    /// `Content-Encoding`.
    public static var contentEncoding: Self { Self(HTTPField.Name.contentEncoding) }
    /// `Content-Language`.
    public static var contentLanguage: Self { Self(HTTPField.Name.contentLanguage) }
    /// `Content-Length`.
    public static var contentLength: Self { Self(HTTPField.Name.contentLength) }
    /// `Content-Location`.
    public static var contentLocation: Self { Self(HTTPField.Name.contentLocation) }
    /// `Content-Range`.
    public static var contentRange: Self { Self(HTTPField.Name.contentRange) }
    /// `Content-Type`.
    public static var contentType: Self { Self(HTTPField.Name.contentType) }
    /// `Cookie`.
    public static var cookie: Self { Self(HTTPField.Name.cookie) }
    /// `Date`.
    public static var date: Self { Self(HTTPField.Name.date) }
    /// `Early-Data`.
    public static var earlyData: Self { Self(HTTPField.Name.earlyData) }
    /// `ETag`.
    public static var eTag: Self { Self(HTTPField.Name.eTag) }
    /// `Expect`.
    public static var expect: Self { Self(HTTPField.Name.expect) }
    /// `From`.
    public static var from: Self { Self(HTTPField.Name.from) }
    /// `If-Match`.
    public static var ifMatch: Self { Self(HTTPField.Name.ifMatch) }
    /// `If-Modified-Since`.
    public static var ifModifiedSince: Self { Self(HTTPField.Name.ifModifiedSince) }
    /// `If-None-Match`.
    public static var ifNoneMatch: Self { Self(HTTPField.Name.ifNoneMatch) }
    /// `If-Range`.
    public static var ifRange: Self { Self(HTTPField.Name.ifRange) }
    /// `If-Unmodified-Since`.
    public static var ifUnmodifiedSince: Self { Self(HTTPField.Name.ifUnmodifiedSince) }
    /// `Last-Modified`.
    public static var lastModified: Self { Self(HTTPField.Name.lastModified) }
    /// `Max-Forwards`.
    public static var maxForwards: Self { Self(HTTPField.Name.maxForwards) }
    /// `Origin`.
    public static var origin: Self { Self(HTTPField.Name.origin) }
    /// `Priority`.
    public static var priority: Self { Self(HTTPField.Name.priority) }
    /// `Proxy-Authorization`. It is sent to a proxy that gets the request itself, without a tunnel, and to no server.
    public static var proxyAuthorization: Self { Self(HTTPField.Name.proxyAuthorization) }
    /// `Range`.
    public static var range: Self { Self(HTTPField.Name.range) }
    /// `Referer`.
    public static var referer: Self { Self(HTTPField.Name.referer) }
    /// `Sec-Purpose`.
    public static var secPurpose: Self { Self(HTTPField.Name.secPurpose) }
    /// `Sec-WebSocket-Protocol`.
    public static var secWebSocketProtocol: Self { Self(HTTPField.Name.secWebSocketProtocol) }
    /// `TE`.
    public static var te: Self { Self(HTTPField.Name.te) }
    /// `Traceparent`.
    public static var traceparent: Self { Self(HTTPField.Name.traceparent) }
    /// `Tracestate`.
    public static var tracestate: Self { Self(HTTPField.Name.tracestate) }
    /// `Trailer`.
    public static var trailer: Self { Self(HTTPField.Name.trailer) }
    /// `Transfer-Encoding`.
    public static var transferEncoding: Self { Self(HTTPField.Name.transferEncoding) }
    /// `Upgrade`.
    public static var upgrade: Self { Self(HTTPField.Name.upgrade) }
    /// `User-Agent`.
    public static var userAgent: Self { Self(HTTPField.Name.userAgent) }
    /// `Via`.
    public static var via: Self { Self(HTTPField.Name.via) }
}

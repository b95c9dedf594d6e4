public import HTTPTypes

/// A field in `RequestFields`, with constructors for the most common ones. It is checked when the request is made.
///
/// ```swift
/// let fields: RequestFields = [.authorization(bearerToken: token), .accept("text/html"), .init("X-Tag", "blue")]
/// ```
public struct RequestField: Sendable {
    let checked: Result<HTTPField, ApusError>

    /// Creates a field from a name and a value.
    public init(_ name: RequestFieldName, _ value: String) {
        self.init { () throws(ApusError) in try HTTPField(name: name.checked.get(), checking: value) }
    }

    /// Creates a field.
    public init(_ field: HTTPField) {
        self.checked = .success(field)
    }

    private init(_ make: () throws(ApusError) -> HTTPField) {
        self.checked = Result(catching: make)
    }

    /// Returns `Accept`: the acceptable media types.
    public static func accept(_ value: String) -> RequestField { Self(.accept, value) }

    /// Returns `Accept-Charset`: the acceptable character sets. RFC 9110 §12.5.2 advises against sending it.
    public static func acceptCharset(_ value: String) -> RequestField { Self("Accept-Charset", value) }

    /// Returns `Accept-Encoding`: the acceptable content codings. It replaces the library's own field.
    public static func acceptEncoding(_ value: String) -> RequestField { Self(.acceptEncoding, value) }

    /// Returns `Accept-Language`: the preferred languages.
    public static func acceptLanguage(_ value: String) -> RequestField { Self(.acceptLanguage, value) }

    /// Returns `Authorization` with a complete value.
    public static func authorization(_ value: String) -> RequestField { Self(.authorization, value) }

    /// Returns `Authorization` with the Bearer scheme, RFC 6750.
    public static func authorization(bearerToken: String) -> RequestField {
        Self { () throws(ApusError) in try .authorization(bearerToken: bearerToken) }
    }

    /// Returns `Authorization` with the Basic scheme, RFC 7617, in UTF-8.
    ///
    /// - Parameters:
    ///   - username: The user name. It can't contain a colon, which separates it from the password.
    ///   - password: The password.
    /// - Returns: The field.
    public static func authorization(username: String, password: String) -> RequestField {
        Self { () throws(ApusError) in try .authorization(username: username, password: password) }
    }

    /// Returns `Content-Disposition`: the purpose of the body.
    public static func contentDisposition(_ value: String) -> RequestField { Self(.contentDisposition, value) }

    /// Returns `Content-Encoding`: the content codings of the body.
    public static func contentEncoding(_ value: String) -> RequestField { Self(.contentEncoding, value) }

    /// Returns `Content-Type`: the media type of the body.
    public static func contentType(_ value: String) -> RequestField { Self(.contentType, value) }

    /// Returns `User-Agent`: the program that sends the request.
    public static func userAgent(_ value: String) -> RequestField { Self(.userAgent, value) }

    /// Returns `Sec-WebSocket-Protocol`: the offered subprotocols, RFC 6455 §11.3.4.
    public static func websocketProtocol(_ value: String) -> RequestField { Self(.secWebSocketProtocol, value) }
}

extension RequestField: CustomStringConvertible, CustomReflectable {
    /// The name and the value. A secret value is redacted.
    public var description: String { "\([self] as RequestFields)" }

    // Reflection would print the value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

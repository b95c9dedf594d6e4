public import HTTPTypes

/// The most common request fields, by name.
///
/// ```swift
/// let fields = HTTPFields([
///     try .accept("application/json"),
///     try .authorization(bearerToken: "mF_9.B5f-4.1JqM"),
/// ])
/// ```
///
/// Each throws `ApusError` with the code `invalidField` if a value has a control character other than the tab.
extension HTTPField {
    /// Returns `Accept`: the acceptable media types.
    public static func accept(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .accept, checking: value)
    }

    /// Returns `Accept-Charset`: the acceptable character sets. RFC 9110 §12.5.2 advises against sending it.
    public static func acceptCharset(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(checking: "Accept-Charset", value)
    }

    /// Returns `Accept-Encoding`: the acceptable content codings. It replaces the library's own field.
    public static func acceptEncoding(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .acceptEncoding, checking: value)
    }

    /// Returns `Accept-Language`: the preferred languages.
    public static func acceptLanguage(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .acceptLanguage, checking: value)
    }

    /// Returns `Authorization` with a complete value.
    public static func authorization(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .authorization, checking: value)
    }

    /// Returns `Authorization` with the Bearer scheme, RFC 6750.
    public static func authorization(bearerToken: String) throws(ApusError) -> HTTPField {
        try authorization("Bearer \(bearerToken)")
    }

    /// Returns `Authorization` with the Basic scheme, RFC 7617, in UTF-8.
    ///
    /// - Parameters:
    ///   - username: The user name. It can't contain a colon, which separates it from the password.
    ///   - password: The password.
    /// - Returns: The field.
    /// - Throws: `ApusError` with the code `invalidField` if the user name contains a colon, or if either contains a
    ///   control character.
    public static func authorization(username: String, password: String) throws(ApusError) -> HTTPField {
        guard !username.utf8.contains(UInt8(ascii: ":")) else {
            throw ApusError(.invalidField, "the user name contains a colon, which separates it from the password")
        }
        for (part, text) in [("user name", username), ("password", password)] {
            guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw ApusError(.invalidField, "the \(part) has a control character, which RFC 7617 does not allow")
            }
        }
        return HTTPField(name: .authorization, value: BasicCredentials.value(user: username, password: password))
    }

    /// Returns `Content-Disposition`: the purpose of the body.
    public static func contentDisposition(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .contentDisposition, checking: value)
    }

    /// Returns `Content-Encoding`: the content codings of the body.
    public static func contentEncoding(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .contentEncoding, checking: value)
    }

    /// Returns `Content-Type`: the media type of the body.
    public static func contentType(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .contentType, checking: value)
    }

    /// Returns `User-Agent`: the program that sends the request.
    public static func userAgent(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .userAgent, checking: value)
    }

    /// Returns `Sec-WebSocket-Protocol`: the offered subprotocols, RFC 6455 §11.3.4.
    public static func websocketProtocol(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .secWebSocketProtocol, checking: value)
    }
}

public import HTTPTypes

/// The fields that requests have most often, by name.
///
/// ```swift
/// let fields = HTTPFields([
///     try .accept("application/json"),
///     try .authorization(bearerToken: "mF_9.B5f-4.1JqM"),
/// ])
/// ```
///
/// Each refuses a value that has a control character other than the tab: `ApusError` with the code `invalidField`.
extension HTTPField {
    /// `Accept`: the media types that are wanted.
    public static func accept(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .accept, checking: value)
    }

    /// `Accept-Charset`: the character sets that are wanted. RFC 9110 §12.5.2 asks not to send it any more.
    public static func acceptCharset(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(checking: "Accept-Charset", value)
    }

    /// `Accept-Encoding`: the content codings that are wanted; with one of your own, nothing else is asked for.
    public static func acceptEncoding(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .acceptEncoding, checking: value)
    }

    /// `Accept-Language`: the languages that are wanted.
    public static func acceptLanguage(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .acceptLanguage, checking: value)
    }

    /// `Authorization`, as it is to be sent.
    public static func authorization(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .authorization, checking: value)
    }

    /// `Authorization` of the Bearer scheme, RFC 6750.
    public static func authorization(bearerToken: String) throws(ApusError) -> HTTPField {
        try authorization("Bearer \(bearerToken)")
    }

    /// `Authorization` of the Basic scheme, RFC 7617, in UTF-8.
    ///
    /// - Parameters:
    ///   - username: The user name. The first colon ends it, so it has none.
    ///   - password: The password.
    /// - Returns: The field.
    /// - Throws: `ApusError` with the code `invalidField` where the user name has a colon, or either has a control
    ///   character.
    public static func authorization(username: String, password: String) throws(ApusError) -> HTTPField {
        guard !username.utf8.contains(UInt8(ascii: ":")) else {
            throw ApusError(.invalidField, "the user name has a colon, which is where its password would begin")
        }
        for (what, text) in [("user name", username), ("password", password)] {
            guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw ApusError(.invalidField, "the \(what) has a control character, which RFC 7617 does not allow")
            }
        }
        return HTTPField(name: .authorization, value: BasicCredentials.value(user: username, password: password))
    }

    /// `Content-Disposition`: what the content is for.
    public static func contentDisposition(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .contentDisposition, checking: value)
    }

    /// `Content-Encoding`: how the content is coded.
    public static func contentEncoding(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .contentEncoding, checking: value)
    }

    /// `Content-Type`: the media type of the content.
    public static func contentType(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .contentType, checking: value)
    }

    /// `User-Agent`: the program that asks.
    public static func userAgent(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .userAgent, checking: value)
    }

    /// `Sec-WebSocket-Protocol`: the subprotocols that are offered, RFC 6455 §11.3.4.
    public static func websocketProtocol(_ value: String) throws(ApusError) -> HTTPField {
        try HTTPField(name: .secWebSocketProtocol, checking: value)
    }
}

internal import HTTPTypes

extension HTTP2StreamError {
    /// The error of a response that violates the protocol (RFC 9113 §8.1.1).
    static func malformed(_ reason: String) -> HTTP2StreamError {
        HTTP2StreamError(code: .protocolError, reason: reason)
    }

    /// The error of a response that exceeds a limit. It has the text of the limit of HTTP/1.1.
    static func exceeded(_ limit: HTTP1ParseError) -> HTTP2StreamError {
        HTTP2StreamError(code: .enhanceYourCalm, reason: limit.description, limit: limit)
    }
}

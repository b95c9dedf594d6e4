package import HTTPTypes

/// A fault of the server that ends one stream. The connection and its other streams continue (RFC 9113 §5.4.2).
package struct HTTP2StreamError: Error, Sendable, Equatable {
    /// The code for the RST_STREAM frame.
    package let code: HTTP2ErrorCode
    /// One sentence with the fault.
    package let reason: String
    /// The limit that was exceeded, if any.
    package let limit: HTTP1ParseError?

    package init(code: HTTP2ErrorCode, reason: String, limit: HTTP1ParseError? = nil) {
        self.code = code
        self.reason = reason
        self.limit = limit
    }
}

extension HTTP2StreamError: CustomStringConvertible {
    package var description: String { reason }
}

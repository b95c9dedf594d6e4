package import HTTPTypes

/// The reason why a stream ended without a complete response.
package struct HTTP2StreamFailure: Error, Sendable, Equatable {
    package enum Cause: Sendable, Equatable {
        /// The server reset the stream.
        case reset
        /// The server closes the connection, and its GOAWAY excludes the stream.
        case goneAway
        /// The response violates the protocol or a limit. The stream was reset.
        case malformed
        /// The server violated the protocol, so that the connection is closed.
        case connectionFailed
        /// The connection closed.
        case connectionClosed
    }

    package let cause: Cause
    /// Whether the server did not and will not act on the request, so that it may be sent again, whatever its method
    /// (RFC 9113 §8.7). Also `true` for a request of which no byte was sent.
    package let isUnprocessed: Bool
    /// The code that the server sent, or the code that was sent to it.
    package let code: HTTP2ErrorCode
    /// One sentence.
    package let reason: String
    /// The limit that the response exceeded, if any.
    package let limit: HTTP1ParseError?

    package init(
        cause: Cause,
        isUnprocessed: Bool,
        code: HTTP2ErrorCode,
        reason: String,
        limit: HTTP1ParseError? = nil
    ) {
        self.cause = cause
        self.isUnprocessed = isUnprocessed
        self.code = code
        self.reason = reason
        self.limit = limit
    }
}

extension HTTP2StreamFailure: CustomStringConvertible {
    package var description: String { reason }
}

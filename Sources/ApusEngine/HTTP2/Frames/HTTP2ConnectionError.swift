package import HTTPTypes

/// A fault of the server that ends the connection with all its streams (RFC 9113 §5.4.1).
package struct HTTP2ConnectionError: Error, Sendable, Equatable {
    /// The code for the GOAWAY frame.
    package let code: HTTP2ErrorCode
    /// One sentence with the fault.
    package let reason: String
    /// The name of the exceeded limit in `HTTP2Limits`, if the fault is that.
    package let limit: String?

    package init(code: HTTP2ErrorCode, reason: String, limit: String? = nil) {
        self.code = code
        self.reason = reason
        self.limit = limit
    }

    static func protocolError(_ reason: String) -> HTTP2ConnectionError {
        HTTP2ConnectionError(code: .protocolError, reason: reason)
    }

    static func frameSizeError(_ reason: String) -> HTTP2ConnectionError {
        HTTP2ConnectionError(code: .frameSizeError, reason: reason)
    }

    /// Returns the error for an exceeded limit. Its code is ENHANCE_YOUR_CALM.
    static func exceeded(_ limit: String, _ reason: String) -> HTTP2ConnectionError {
        HTTP2ConnectionError(code: .enhanceYourCalm, reason: reason, limit: limit)
    }
}

extension HTTP2ConnectionError: CustomStringConvertible {
    package var description: String { reason }
}

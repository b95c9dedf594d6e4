/// A fault of the server that ends one stream. The connection and its other streams continue (RFC 9113 §5.4.2).
package struct HTTP2StreamError: Error, Sendable, Equatable {
    /// The code for the RST_STREAM frame.
    package let code: HTTP2FaultCode
    /// One sentence with the fault.
    package let reason: String

    package init(code: HTTP2FaultCode, reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension HTTP2StreamError: CustomStringConvertible {
    package var description: String { reason }
}

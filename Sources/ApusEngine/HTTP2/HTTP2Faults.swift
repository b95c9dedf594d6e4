internal import ApusCore

extension HTTP2StreamFailure {
    /// Whether the connection failed, and not only the stream.
    var isOfConnection: Bool { cause == .connectionFailed || cause == .connectionClosed }

    /// The error to report to the caller.
    var asApusError: ApusError {
        let detail = Redaction.text(reason)
        if code == .http11Required {
            return ApusError(errorCode, String(detail.dropLast()), hint: "set protocols = .http1", underlying: self)
        }
        return ApusError(errorCode, detail, underlying: self)
    }

    private var errorCode: ApusError.Code {
        switch cause {
        case .reset: .streamReset
        case .goneAway, .connectionClosed: .connectionClosed
        case .malformed: code == .enhanceYourCalm ? .responseTooLarge : .malformedResponse
        case .connectionFailed: .malformedResponse
        }
    }
}

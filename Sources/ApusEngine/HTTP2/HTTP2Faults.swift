internal import ApusCore
internal import HTTPTypes

extension HTTP2StreamFailure {
    /// Whether the connection failed, and not only the stream.
    var isOfConnection: Bool { cause == .connectionFailed || cause == .connectionClosed }

    /// The error to report to the caller.
    var asApusError: ApusError {
        let detail = Redaction.text(reason)
        // The hint continues the sentence.
        guard let hint else { return ApusError(errorCode, detail, underlying: self) }
        return ApusError(errorCode, String(detail.dropLast()), hint: hint, underlying: self)
    }

    private var hint: String? {
        code == .http11Required ? "set protocols = .http1" : limit?.hint
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

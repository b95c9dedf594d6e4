internal import ApusCore

extension HTTP1ParseError {
    /// The error to report to the caller.
    var asApusError: ApusError {
        let code: ApusError.Code =
            switch self {
            case .cutOff: .connectionClosed
            case .statusLineTooLong, .headTooLarge, .fieldTooLarge, .tooManyFields, .tooManyInformational,
                .chunkSizeLineTooLong, .trailersTooLarge:
                .responseTooLarge
            default: .malformedResponse
            }
        return ApusError(code, Redaction.text(description), underlying: self)
    }
}

extension HTTP1EncodeError {
    /// Whether a header field is at fault, rather than the request line or the host.
    var isAboutField: Bool {
        switch self {
        case .fieldValueInvalid, .framingContradicted, .trailerForbidden, .hostRepeated: true
        case .methodInvalid, .targetInvalid, .hostInvalid, .hostMissing: false
        }
    }
}

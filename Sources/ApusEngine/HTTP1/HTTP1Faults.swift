internal import ApusCore

extension HTTP1ParseError {
    /// The fault as the library's error.
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
    /// Whether one field is at fault, and not the request line.
    var isAboutField: Bool {
        switch self {
        case .fieldValueInvalid, .framingContradicted, .trailerForbidden, .hostRepeated: true
        case .methodInvalid, .targetInvalid, .hostInvalid, .hostMissing: false
        }
    }
}

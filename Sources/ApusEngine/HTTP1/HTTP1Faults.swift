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
        let detail = Redaction.text(description)
        // The hint continues the sentence.
        guard let hint else { return ApusError(code, detail, underlying: self) }
        return ApusError(code, String(detail.dropLast(detail.last == "." ? 1 : 0)), hint: hint, underlying: self)
    }

    /// The violation as the end of a sentence.
    var clause: String {
        let text = Redaction.text(description)
        let sentence = text.last == "." ? text.dropLast() : text[...]
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }

    /// The setting that accepts the response. `nil` if there is none.
    var hint: String? {
        switch self {
        case .statusLineTooLong, .fieldTooLarge: "raise limits.fieldBytes"
        case .headTooLarge: "raise limits.responseHeadBytes"
        case .tooManyFields: "raise limits.fieldCount"
        case .tooManyInformational: "raise limits.informationalResponses"
        case .chunkSizeLineTooLong: "raise limits.chunkSizeLineBytes"
        case .trailersTooLarge: "raise limits.trailerBytes"
        default: nil
        }
    }
}

extension ApusError {
    /// The error of a request whose connection closed before it was sent.
    static var closedEarly: ApusError {
        ApusError(.connectionClosed, "the connection closed before the request was sent")
    }
}

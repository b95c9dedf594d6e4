internal import ApusCore

extension RequestEncodeError {
    /// The error to report to the caller.
    var asApusError: ApusError {
        ApusError(isAboutField ? .invalidField : .invalidRequest, description, underlying: self)
    }

    /// Whether a header field is at fault, rather than the request line or the host.
    private var isAboutField: Bool {
        switch self {
        case .fieldValueInvalid, .framingContradicted, .trailerForbidden, .hostRepeated: true
        case .methodInvalid, .targetInvalid, .hostInvalid, .hostMissing: false
        }
    }
}

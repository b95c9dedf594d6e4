package import ApusCore

extension CertificateRejection {
    /// Returns the error for a server whose certificate was rejected for this reason.
    ///
    /// - Parameter host: The host of the request, for the text.
    /// - Returns: The error, with the code `certificateRejected`.
    package func error(for host: String?) -> ApusError {
        ApusError(.certificateRejected, description(for: host), hint: hint, underlying: self)
    }

    /// A remedy, if there is one.
    package var hint: String? {
        switch self {
        case .expired: "renew it, or correct the clock of this machine"
        case .notYetValid: "correct the clock of this machine"
        case .selfSigned: "to trust it, add it to trust.roots"
        case .untrustedAuthority:
            "to trust it, add its authority to trust.roots, or have the server send those in between"
        case .wrongHost: "to accept any name, set trust.verification = .chainOnly"
        case .notForServers: "issue it with the extended key usage serverAuth"
        case .invalidSignature, .chainTooLong, .notAnAuthority: "check which certificates the server sends"
        case .weak: "issue it with SHA-256 and a longer key"
        case .notPinned: "if the server has a new key, add its pin"
        case .revoked: "replace it on the server"
        case .noEvaluator: "add one to serverTrustManager, or set allHostsMustBeEvaluated to false"
        case .authority(_, .expired): "replace it on the server, or correct the clock of this machine"
        case .authority(_, let reason): reason.hint
        case .unknownCriticalExtension: "issue it without this extension"
        case .nameNotPermitted: "have another authority issue it"
        case .malformed: "replace it"
        case .revocationUnknown: "to accept it, leave out the option requirePositiveResponse"
        case .other: nil
        }
    }
}

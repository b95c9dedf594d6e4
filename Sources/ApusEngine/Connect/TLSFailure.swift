internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// Describes TLS failures.
enum TLSFailure {
    static func isUncleanShutdown(_ error: any Error) -> Bool {
        if case .uncleanShutdown? = error as? NIOSSLError { true } else { false }
    }

    /// Whether the server supports none of the protocols that were offered with ALPN.
    static func isProtocolRefusal(_ error: any Error) -> Bool {
        String(describing: error).contains("NO_APPLICATION_PROTOCOL")
    }

    /// Returns the error for a failed handshake.
    ///
    /// - Parameters:
    ///   - error: The error of the TLS library.
    ///   - host: The host, for the text.
    ///   - minimum: The minimum version that was offered.
    ///   - certificate: The certificate of the server. It is read only if the library rejected it.
    /// - Returns: The error.
    static func handshake(
        _ error: any Error,
        host: String,
        minimum: ServerTrust.TLSVersion,
        certificate: @autoclosure () -> NIOSSLCertificate? = nil
    ) -> ApusError {
        if let error = error as? NIOSSLExtraError,
            error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch
        {
            return wrongName(host, certificate())
        }
        let text = String(describing: error)
        // The server sent a version alert, or chose a version that was not offered.
        if text.contains("ALERT_PROTOCOL_VERSION") || text.contains("UNSUPPORTED_PROTOCOL") {
            return oldVersion(host, minimum, error)
        }
        if text.contains("ALERT_HANDSHAKE_FAILURE") {
            return ApusError(
                .tlsFailed,
                "\(host) rejected the handshake: it may support no ECDHE cipher suite, or require a client certificate",
                underlying: error
            )
        }
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return rejected(certificate().map(reason) ?? .other("it was rejected: \(text)"), host)
        }
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return ApusError(.tlsFailed, "the server does not use TLS on this port", underlying: error)
        }
        if error is IOError || isUncleanShutdown(error) || error is ChannelError {
            return ApusError(.tlsFailed, "\(host) closed the connection during the handshake", underlying: error)
        }
        return ApusError(.tlsFailed, "the handshake with \(host) failed: \(Redaction.text(text))", underlying: error)
    }

    /// Returns the error for a certificate that was issued for other hosts.
    static func wrongName(_ host: String, _ certificate: NIOSSLCertificate?) -> ApusError {
        rejected(.wrongHost(names: certificate.map { TLSIdentity.names(in: $0) } ?? []), host)
    }

    private static func oldVersion(_ host: String, _ minimum: ServerTrust.TLSVersion, _ error: any Error) -> ApusError {
        let detail =
            switch minimum {
            case .v12:
                "\(host) supports only TLS 1.0 and 1.1, which are not secure (RFC 8996); update the server"
            case .v13:
                "\(host) does not support TLS 1.3; update the server, or allow TLS 1.2 (trust.minimumTLSVersion)"
            }
        return ApusError(.tlsVersionUnsupported, detail, underlying: error)
    }

    // MARK: Certificates

    private static func rejected(_ reason: CertificateRejection, _ host: String) -> ApusError {
        ApusError(.certificateRejected, reason.description(for: host), hint: hint(reason), underlying: reason)
    }

    /// The library reports that a certificate was rejected, but not why. So the reason is found in the certificate.
    private static func reason(_ certificate: NIOSSLCertificate) -> CertificateRejection {
        let begin = Int(certificate.notValidBefore)
        if let reason = CertificateRejection(validFrom: begin, to: Int(certificate.notValidAfter)) { return reason }
        let issuer = certificate.issuerName
        if !issuer.isEmpty, issuer == certificate.subjectName { return .selfSigned }
        let name = issuer.last { $0.type == .commonName } ?? issuer.last { $0.type == .organization }
        return .untrustedAuthority(issuer: name?.value)
    }

    private static func hint(_ reason: CertificateRejection) -> String? {
        switch reason {
        case .expired: "renew it, or correct the clock of this machine"
        case .notYetValid: "correct the clock of this machine"
        case .selfSigned: "to trust it, add it to trust.roots"
        case .untrustedAuthority: "to trust it, add its authority to trust.roots"
        case .wrongHost: "to accept any name, set trust.verification = .chainOnly"
        case .notForServers: "issue it with the extended key usage serverAuth"
        case .invalidSignature, .chainTooLong, .notAnAuthority: "check which certificates the server sends"
        case .weak: "issue it with SHA-256 and a longer key"
        case .notPinned: "if the server has a new key, add its pin"
        case .revoked: "replace it on the server"
        case .noEvaluator: "add an evaluator for the host, or set allHostsMustBeEvaluated to false"
        case .authority(_, .expired): "replace it on the server, or correct the clock of this machine"
        case .authority(_, let reason): hint(reason)
        case .unknownCriticalExtension, .nameNotPermitted, .malformed, .revocationUnknown, .other: nil
        }
    }
}

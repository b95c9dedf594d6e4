internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// Describes TLS failures.
enum TLSFailure {
    static func isUncleanShutdown(_ error: any Error) -> Bool {
        if case .uncleanShutdown? = error as? NIOSSLError { true } else { false }
    }

    /// Returns the error for a failed handshake.
    static func handshake(_ error: any Error, host: String, minimum: Trust.TLSVersion) -> ApusError {
        let text = String(describing: error)
        // The server sent a version alert, or chose a version that was not offered.
        if text.contains("ALERT_PROTOCOL_VERSION") || text.contains("UNSUPPORTED_PROTOCOL") {
            return oldVersion(host, minimum, error)
        }
        if text.contains("ALERT_HANDSHAKE_FAILURE") {
            return ApusError(
                .tlsFailed,
                "\(host) refused the handshake: it may have no cipher suite with ECDHE, or want a certificate of the client",
                underlying: error
            )
        }
        if text.contains("CERTIFICATE_VERIFY_FAILED") || error is NIOSSLExtraError {
            if text.contains("ValidateHostname") { return wrongName(host, error) }
            return ApusError(
                .certificateRejected,
                "no trusted authority vouches for it, or it has expired; \(remedy)",
                underlying: error
            )
        }
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return ApusError(.tlsFailed, "what listens there does not speak TLS", underlying: error)
        }
        if error is IOError || isUncleanShutdown(error) || error is ChannelError {
            return ApusError(.tlsFailed, "\(host) ended the connection during the handshake", underlying: error)
        }
        return ApusError(.tlsFailed, "the handshake with \(host) failed: \(Redaction.text(text))", underlying: error)
    }

    /// Returns the error for a certificate that was issued for other hosts.
    static func wrongName(_ host: String, _ error: (any Error)? = nil) -> ApusError {
        ApusError(.certificateRejected, "it does not name \(host)", underlying: error)
    }

    private static func oldVersion(_ host: String, _ minimum: Trust.TLSVersion, _ error: any Error) -> ApusError {
        let detail =
            switch minimum {
            case .v12:
                "\(host) offers no version of TLS but 1.0 and 1.1, which are not secure (RFC 8996); the server has to be updated"
            case .v13:
                "\(host) does not offer TLS 1.3; update the server, or allow TLS 1.2 (trust.minimumTLSVersion)"
            }
        return ApusError(.tlsVersionUnsupported, detail, underlying: error)
    }

    private static let remedy = "if it is meant to be trusted, its authority has to be among the roots (trust.roots)"
}

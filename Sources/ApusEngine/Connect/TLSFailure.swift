internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// Describes TLS failures.
enum TLSFailure {
    static func isUncleanShutdown(_ error: any Error) -> Bool {
        if case .uncleanShutdown? = error as? NIOSSLError { true } else { false }
    }

    /// Returns the error for a failed handshake.
    static func handshake(_ error: any Error, host: String, minimum: ServerTrust.TLSVersion) -> ApusError {
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
        if text.contains("CERTIFICATE_VERIFY_FAILED") || error is NIOSSLExtraError {
            if text.contains("ValidateHostname") { return wrongName(host, error) }
            return ApusError(
                .certificateRejected,
                "it was not issued by a trusted authority, or it has expired; \(remedy)",
                underlying: error
            )
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
    static func wrongName(_ host: String, _ error: (any Error)? = nil) -> ApusError {
        ApusError(.certificateRejected, "it is not valid for \(host)", underlying: error)
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

    private static let remedy = "to trust it, add its authority to trust.roots"
}

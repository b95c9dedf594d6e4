internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// Describes TLS failures. The library names a failure by a symbol in the text of its error.
enum TLSFailure {
    static func isUncleanShutdown(_ error: any Error) -> Bool {
        if case .uncleanShutdown? = error as? NIOSSLError { true } else { false }
    }

    /// Returns the error for a failed handshake.
    ///
    /// - Parameters:
    ///   - error: The error of the TLS library.
    ///   - host: The host, for the text.
    ///   - security: The settings of the connection.
    /// - Returns: The error.
    static func handshake(_ error: any Error, host: String, security: TLSSecurity) -> ApusError {
        let settings = security.tls
        let reason = reason(for: error, hasIdentity: settings.identity != nil)
        let detail = reason.description(for: host)
        return switch reason {
        case .noCommonVersion: oldVersion(host, settings, reason)
        case .noCommonCipher:
            ApusError(
                .tlsFailed,
                settings.cipherSuites == nil ? "\(detail) (only those with ECDHE are secure)" : detail,
                hint: hint(reason, settings),
                underlying: reason
            )
        case .noCommonProtocol:
            // RFC 7301 §3.2: the server supports none of the offered protocols.
            if security.protocols == .http2 {
                noHTTP2(host)
            } else {
                ApusError(.protocolUnsupported, detail, underlying: reason)
            }
        default: ApusError(.tlsFailed, detail, hint: hint(reason, settings), underlying: reason)
        }
    }

    /// Returns the error for a server that supports HTTP/1.1 only.
    static func noHTTP2(_ host: String) -> ApusError {
        ApusError(
            .protocolUnsupported,
            "\(host) does not support HTTP/2",
            hint: "to accept HTTP/1.1, set protocols = .automatic"
        )
    }

    /// Returns the error of a connection after its handshake. With TLS 1.3 the server judges the client's certificate
    /// that late.
    ///
    /// - Parameters:
    ///   - code: The code of the error.
    ///   - error: The error of the channel.
    ///   - route: The route of the connection. `nil` if its pool is gone.
    /// - Returns: The error.
    static func connection(_ code: ApusError.Code, _ error: any Error, on route: Route?) -> ApusError {
        guard !TLSSymbols.found(in: error).isEmpty else {
            return ApusError(code, TransportFailure.describe(error), underlying: error)
        }
        let settings = route?.rules?.tls
        let reason = reason(for: error, hasIdentity: settings?.identity != nil)
        let detail = reason.description(for: route?.origin.host ?? "the server")
        return ApusError(code, detail, hint: hint(reason, settings ?? TLSSettings()), underlying: reason)
    }

    /// Returns the words for an error of the library that is no failure of a handshake.
    static func words(for error: any Error) -> String {
        guard let symbol = TLSSymbols.found(in: error).first else {
            return Redaction.text(String(describing: error))
        }
        return "the TLS library reports \(symbol)"
    }

    /// Returns the reason of a failed handshake.
    ///
    /// - Parameters:
    ///   - error: The error of the TLS library.
    ///   - hasIdentity: Whether the client has a certificate.
    /// - Returns: The reason.
    static func reason(for error: any Error, hasIdentity: Bool) -> TLSFailureReason {
        let symbols = TLSSymbols.found(in: error)
        guard !symbols.isEmpty else {
            let text = String(describing: error)
            if error is IOError || error is ChannelError || isUncleanShutdown(error) || text.contains("EOF during") {
                return .closed
            }
            return .other(Redaction.text(text))
        }
        for symbol in symbols {
            if let alert = TLSSymbols.alert(symbol) {
                return reason(for: alert, isFirst: symbols.contains(TLSSymbols.firstRefusal), hasIdentity: hasIdentity)
            }
            if let reason = TLSSymbols.reasons[symbol] { return reason }
            if let number = TLSSymbols.alertNumber(symbol) { return .other("it sent the unknown alert \(number)") }
        }
        return .violation(symbols[0])
    }

    /// Returns the meaning of an alert.
    ///
    /// - Parameters:
    ///   - alert: The alert.
    ///   - isFirst: Whether it is the answer to the ClientHello.
    ///   - hasIdentity: Whether the client has a certificate.
    /// - Returns: The reason.
    private static func reason(
        for alert: TLSFailureReason.Alert,
        isFirst: Bool,
        hasIdentity: Bool
    ) -> TLSFailureReason {
        switch alert {
        case .protocolVersion: .noCommonVersion
        case .insufficientSecurity: .noCommonCipher
        case .unrecognizedName: .unknownServerName
        case .noApplicationProtocol: .noCommonProtocol
        case .certificateRequired, .noCertificate: .clientCertificateRequired
        case .handshakeFailure:
            // A server that has accepted the ClientHello and then finds nothing acceptable misses the certificate.
            if isFirst { .noCommonCipher } else if hasIdentity { .alert(alert) } else { .clientCertificateRequired }
        case .badCertificate, .unsupportedCertificate, .certificateRevoked, .certificateExpired, .certificateUnknown,
            .unknownAuthority, .accessDenied:
            // Some servers also refuse the absence of a certificate like this.
            hasIdentity ? .clientCertificateRefused(alert) : .clientCertificateRequired
        default: .alert(alert)
        }
    }

    private static func oldVersion(_ host: String, _ settings: TLSSettings, _ reason: TLSFailureReason) -> ApusError {
        let detail: String
        var hint: String?
        switch (settings.minimumVersion, settings.maximumVersion) {
        case (_, .v12?):
            detail = "\(host) does not support TLS 1.2"
            hint = "allow TLS 1.3 (tls.maximumVersion)"
        case (.v12, _):
            detail = "\(host) supports only TLS 1.0 and 1.1, which are not secure (RFC 8996); update the server"
        case (.v13, _):
            detail = "\(host) does not support TLS 1.3"
            hint = "update the server, or allow TLS 1.2 (tls.minimumVersion)"
        }
        return ApusError(.tlsVersionUnsupported, detail, hint: hint, underlying: reason)
    }

    /// Returns the setting to change. `nil` if there is none.
    private static func hint(_ reason: TLSFailureReason, _ settings: TLSSettings) -> String? {
        switch reason {
        case .clientCertificateRequired: "set tls.identity, or clientIdentities for this host"
        case .clientCertificateRefused: "set another tls.identity, or add the certificates of its authorities to it"
        case .notTLS: "use http://, or the port that TLS is on"
        case .noCommonCipher where settings.cipherSuites != nil && settings.curves != nil:
            "offer others with tls.cipherSuites or tls.curves"
        case .noCommonCipher where settings.cipherSuites != nil: "offer others with tls.cipherSuites"
        case .noCommonCipher where settings.curves != nil: "offer others with tls.curves"
        case .unknownServerName:
            settings.serverName == nil
                ? "check the host, or set tls.serverName to a name that the server knows"
                : "correct tls.serverName"
        default: nil
        }
    }
}

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
    ///   - proxy: The URL of the proxy, for a handshake with it. Default: `nil`, for one with the origin.
    /// - Returns: The error.
    static func handshake(
        _ error: any Error,
        host: String,
        security: TLSSecurity,
        proxy: String? = nil
    ) -> ApusError {
        let settings = security.tls
        let reason = reason(for: error, hasIdentity: settings.identity != nil)
        let peer = proxy.map { "the proxy \($0)" } ?? host
        let detail = reason.description(for: peer, name: settings.serverName ?? host)
        let hint = proxy == nil ? hint(reason, settings) : proxyHint(reason)
        return switch reason {
        case .noCommonVersion: oldVersion(peer, settings, reason, isOfProxy: proxy != nil)
        case .noCommonCipher:
            ApusError(
                .tlsFailed,
                settings.cipherSuites == nil ? "\(detail) (only those with ECDHE are secure)" : detail,
                hint: hint,
                underlying: reason
            )
        case .noCommonProtocol:
            // RFC 7301 §3.2: the server supports none of the offered protocols.
            if security.protocols == .http2 {
                noHTTP2(host)
            } else {
                ApusError(.protocolUnsupported, detail, underlying: reason)
            }
        default: ApusError(.tlsFailed, detail, hint: hint, underlying: reason)
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
        let proxy = route?.forwardingProxy.map { "the proxy \($0)" }
        guard !TLSSymbols.found(in: error).isEmpty else {
            let detail = TransportFailure.describe(error, peer: proxy ?? "the server")
            // Only a body that ends with the connection fails like this. Any other has an end of its own.
            let consequence = isUncleanShutdown(error) ? ", so the body may be incomplete" : ""
            return ApusError(code, detail + consequence, underlying: cause(of: error))
        }
        let settings = route?.rules?.tls ?? TLSSettings()
        let reason = reason(for: error, hasIdentity: settings.identity != nil)
        let detail = reason.description(
            for: proxy ?? route?.origin.host ?? "the server",
            name: settings.serverName ?? route?.origin.host,
            isAfterHandshake: true
        )
        return ApusError(
            code,
            detail,
            hint: proxy == nil ? hint(reason, settings) : proxyHint(reason),
            underlying: reason
        )
    }

    /// Returns the words for an error of the library on a connection. `nil` for an error of anything else.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - peer: The other side, as the subject of a sentence.
    /// - Returns: The words, as the end of a sentence.
    static func words(for error: any Error, peer: String) -> String? {
        if !TLSSymbols.found(in: error).isEmpty {
            return reason(for: error, hasIdentity: false).description(for: peer, isAfterHandshake: true)
        }
        if isUncleanShutdown(error) { return "\(peer) closed the connection without the end of TLS (close_notify)" }
        if error is NIOSSLCloseTimedOutError { return "\(peer) did not end TLS in time" }
        return isOfLibrary(error) ? "TLS with \(peer) failed" : nil
    }

    /// Returns the words for an error of the library that is none of a connection.
    static func setupWords(for error: any Error) -> String {
        if let symbol = TLSSymbols.found(in: error).first { return "the TLS library reports \(symbol)" }
        return isOfLibrary(error) ? unexplained : TransportFailure.describe(error)
    }

    /// Returns the cause of an `ApusError`. `nil` for an error of the library: its text has names of cases, and
    /// paths of the machine that built it.
    static func cause(of error: any Error) -> (any Error)? { isOfLibrary(error) ? nil : error }

    private static let unexplained = "the TLS library gives no reason"

    private static func isOfLibrary(_ error: any Error) -> Bool {
        error is NIOSSLError || error is BoringSSLError || error is NIOSSLExtraError
            || error is NIOSSLCloseTimedOutError || error is NIOTLSUnwrappingError
            || !TLSSymbols.found(in: error).isEmpty
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
            return .other(isOfLibrary(error) ? unexplained : TransportFailure.describe(error))
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

    private static func oldVersion(
        _ peer: String,
        _ settings: TLSSettings,
        _ reason: TLSFailureReason,
        isOfProxy: Bool
    ) -> ApusError {
        let owner = isOfProxy ? "the proxy" : "the server"
        let detail: String
        var hint: String?
        switch (settings.minimumVersion, settings.maximumVersion) {
        case (_, .v12?):
            detail = "\(peer) does not support TLS 1.2"
            hint = "allow TLS 1.3 (tls.maximumVersion)"
        case (.v12, _):
            detail = "\(peer) supports only TLS 1.0 and 1.1, which are not secure (RFC 8996); update \(owner)"
        case (.v13, _):
            detail = "\(peer) does not support TLS 1.3"
            hint = "update the server, or allow TLS 1.2 (tls.minimumVersion)"
        }
        return ApusError(.tlsVersionUnsupported, detail, hint: hint, underlying: reason)
    }

    /// Returns the remedy for a handshake with a proxy, which has no settings of TLS. `nil` if there is none.
    private static func proxyHint(_ reason: TLSFailureReason) -> String? {
        switch reason {
        case .clientCertificateRequired, .clientCertificateRefused:
            "use a proxy that requires none, since a proxy is sent no client certificate"
        case .notTLS: "write http:// in the URL of the proxy, or the port that TLS is on"
        case .unknownServerName: "check the host in the URL of the proxy"
        default: nil
        }
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

internal import ApusCore
internal import NIOCore
internal import Testing

@testable internal import ApusEngine

@Suite struct TLSFailureTests {
    /// An error with the text of one of the library's.
    private struct LibraryError: Error, CustomStringConvertible {
        let description: String

        init(_ symbols: String...) {
            let errors = symbols.map {
                "Error: 268436496 error:10000410:SSL routines:OPENSSL_internal:\($0) at /build/ssl/tls_record.cc:592"
            }
            description = "handshakeFailed(NIOSSL.BoringSSLError.sslError([\(errors.joined(separator: ", "))]))"
        }
    }

    private func reason(_ symbols: String..., hasIdentity: Bool = false) -> TLSFailureReason {
        let error = symbols.count == 1 ? LibraryError(symbols[0]) : LibraryError(symbols[0], symbols[1])
        return TLSFailure.reason(for: error, hasIdentity: hasIdentity)
    }

    static let symbols: [(symbol: String, reason: TLSFailureReason)] = [
        ("WRONG_VERSION_NUMBER", .notTLS), ("HTTP_REQUEST", .notTLS), ("UNSUPPORTED_PROTOCOL", .noCommonVersion),
        ("TLSV1_ALERT_PROTOCOL_VERSION", .noCommonVersion), ("WRONG_CIPHER_RETURNED", .noCommonCipher),
        ("TLSV1_ALERT_INSUFFICIENT_SECURITY", .noCommonCipher), ("WRONG_CURVE", .noCommonCipher),
        ("TLSV1_ALERT_UNRECOGNIZED_NAME", .unknownServerName), ("TLSV1_UNRECOGNIZED_NAME", .unknownServerName),
        ("TLSV1_ALERT_NO_APPLICATION_PROTOCOL", .noCommonProtocol),
        ("TLSV1_ALERT_CERTIFICATE_REQUIRED", .clientCertificateRequired),
        ("TLSV1_CERTIFICATE_REQUIRED", .clientCertificateRequired),
        ("TLSV1_ALERT_INTERNAL_ERROR", .alert(.internalError)), ("SSLV3_ALERT_BAD_RECORD_MAC", .alert(.badRecordMAC)),
        ("TLSV1_ALERT_DECODE_ERROR", .alert(.decodeError)), ("reason(1109)", .alert(.missingExtension)),
        ("reason(1255)", .other("it sent the unknown alert 255")), ("BAD_SIGNATURE", .violation("BAD_SIGNATURE")),
        ("DECODE_ERROR", .violation("DECODE_ERROR")),
    ]

    @Test(arguments: symbols)
    func findsTheReason(symbol: String, reason: TLSFailureReason) {
        #expect(self.reason(symbol) == reason)
        #expect(self.reason(symbol, hasIdentity: true) == reason)
    }

    @Test func tellsAMissingCertificateFromOtherSettings() {
        let alert = "SSLV3_ALERT_HANDSHAKE_FAILURE"
        #expect(reason(alert, "HANDSHAKE_FAILURE_ON_CLIENT_HELLO") == .noCommonCipher)
        #expect(reason(alert) == .clientCertificateRequired)
        #expect(reason(alert, hasIdentity: true) == .alert(.handshakeFailure))
    }

    static let refusals: [(symbol: String, alert: TLSFailureReason.Alert)] = [
        ("SSLV3_ALERT_BAD_CERTIFICATE", .badCertificate), ("TLSV1_ALERT_UNKNOWN_CA", .unknownAuthority),
        ("SSLV3_ALERT_CERTIFICATE_EXPIRED", .certificateExpired), ("TLSV1_ALERT_ACCESS_DENIED", .accessDenied),
        ("SSLV3_ALERT_CERTIFICATE_REVOKED", .certificateRevoked),
        ("SSLV3_ALERT_CERTIFICATE_UNKNOWN", .certificateUnknown),
        ("SSLV3_ALERT_UNSUPPORTED_CERTIFICATE", .unsupportedCertificate),
    ]

    @Test(arguments: refusals)
    func tellsARefusedCertificateFromAMissingOne(symbol: String, alert: TLSFailureReason.Alert) {
        #expect(reason(symbol) == .clientCertificateRequired)
        #expect(reason(symbol, hasIdentity: true) == .clientCertificateRefused(alert))
    }

    @Test func findsTheEndOfTheConnection() {
        let closed: [any Error] = [
            ChannelError.eof, IOError(errnoCode: 104, reason: "read"),
            LibraryText("handshakeFailed(sslError([Error:  EOF during handshake]))"),
        ]
        for error in closed { #expect(TLSFailure.reason(for: error, hasIdentity: false) == .closed) }
    }

    private struct LibraryText: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The symbols of all alerts of the library are known.
    @Test(arguments: TLSFailureReason.Alert.allCases)
    func knowsTheNumberOfEachAlert(alert: TLSFailureReason.Alert) {
        #expect(TLSSymbols.alert("reason(\(1000 + Int(alert.rawValue)))") == alert)
        #expect(TLSSymbols.alert("NO_SUCH_SYMBOL") == nil)
    }

    private func security(
        _ protocols: HTTPProtocols = .automatic,
        _ change: (inout TLSSettings) -> Void = { _ in }
    ) -> TLSSecurity {
        var settings = TLSSettings()
        change(&settings)
        return TLSSecurity(rules: TLSRules(trust: ServerTrust(), tls: settings), protocols: protocols)
    }

    @Test func hidesTheLibrary() {
        for (symbol, reason) in Self.symbols {
            let error = TLSFailure.handshake(LibraryError(symbol), host: "h", security: security())
            for text in [error.description, error.debugDescription] {
                #expect(!text.contains("/build"), "\(text)")
                #expect(!text.contains("OPENSSL"), "\(text)")
            }
            #expect(error.underlying as? TLSFailureReason == reason)
        }
    }

    @Test func namesTheSettingToChange() {
        let version = LibraryError("TLSV1_ALERT_PROTOCOL_VERSION")
        let old = TLSFailure.handshake(version, host: "h", security: security())
        #expect(old.code == .tlsVersionUnsupported && old.detail.contains("update the server"))
        let strict = TLSFailure.handshake(version, host: "h", security: security { $0.minimumVersion = .v13 })
        #expect(strict.hint?.contains("tls.minimumVersion") == true)
        let limited = TLSFailure.handshake(version, host: "h", security: security { $0.maximumVersion = .v12 })
        #expect(limited.hint?.contains("tls.maximumVersion") == true)
        let refusal = LibraryError("SSLV3_ALERT_HANDSHAKE_FAILURE", "HANDSHAKE_FAILURE_ON_CLIENT_HELLO")
        let suites = TLSFailure.handshake(refusal, host: "h", security: security { $0.cipherSuites = ["a"] })
        #expect(suites.hint?.contains("tls.cipherSuites") == true)
        let curves = TLSFailure.handshake(refusal, host: "h", security: security { $0.curves = [.p256] })
        #expect(curves.hint?.contains("tls.curves") == true)
        #expect(TLSFailure.handshake(refusal, host: "h", security: security()).detail.contains("ECDHE"))
        let required = LibraryError("TLSV1_ALERT_CERTIFICATE_REQUIRED")
        #expect(TLSFailure.handshake(required, host: "h", security: security()).hint?.contains("tls.identity") == true)
    }

    @Test func namesTheProxyOfAHandshake() {
        let required = LibraryError("TLSV1_ALERT_CERTIFICATE_REQUIRED")
        let error = TLSFailure.handshake(required, host: "p", security: security(.http1), proxy: "https://p:1")
        #expect(error.detail == "the proxy https://p:1 requires a client certificate")
        #expect(error.hint?.contains("tls.identity") == false)
        let version = LibraryError("TLSV1_ALERT_PROTOCOL_VERSION")
        let old = TLSFailure.handshake(version, host: "p", security: security(.http1), proxy: "https://p:1")
        #expect(old.detail.hasPrefix("the proxy https://p:1 ") && old.detail.hasSuffix("update the proxy"))
    }

    @Test func namesTheHostThatTheServerWasAskedFor() {
        let unknown = LibraryError("TLSV1_ALERT_UNRECOGNIZED_NAME")
        let error = TLSFailure.handshake(unknown, host: "h", security: security { $0.serverName = "other" })
        #expect(error.detail == "h does not know the host other")
    }

    /// The text of an error of the library has the paths of the machine that built it.
    @Test func hidesTheLibraryAfterTheHandshake() {
        let alert = LibraryError("TLSV1_ALERT_INTERNAL_ERROR")
        #expect(TransportFailure.describe(alert, peer: "the proxy") == "the proxy ended TLS: it had an internal error")
        #expect(TLSFailure.setupWords(for: LibraryError("BAD_DECRYPT")) == "the TLS library reports BAD_DECRYPT")
        #expect(TLSFailure.cause(of: alert) == nil)
        #expect(TLSFailure.cause(of: ChannelError.eof) is ChannelError)
    }

    @Test func reportsMissingProtocols() {
        let error = LibraryError("TLSV1_ALERT_NO_APPLICATION_PROTOCOL")
        let forced = TLSFailure.handshake(error, host: "h", security: security(.http2))
        #expect(forced.code == .protocolUnsupported && forced.hint?.contains("protocols = .automatic") == true)
        #expect(TLSFailure.handshake(error, host: "h", security: security()).code == .protocolUnsupported)
    }

    @Test func explainsAlertsAfterTheHandshake() {
        let late = LibraryError("TLSV1_ALERT_CERTIFICATE_REQUIRED")
        let error = TLSFailure.connection(.connectionClosed, late, on: nil)
        #expect(error.code == .connectionClosed)
        #expect(error.underlying as? TLSFailureReason == .clientCertificateRequired)
        let plain = TLSFailure.connection(.sendFailed, ChannelError.eof, on: nil)
        #expect(plain.underlying is ChannelError)
    }
}

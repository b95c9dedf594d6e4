internal import ApusJSON

/// The reason why a TLS handshake failed: the `underlying` error of `tlsFailed` and `tlsVersionUnsupported`.
///
/// ```swift
/// do {
///     try await session.get("https://api.example.org/users/1").validate()
/// } catch {
///     if error.underlying as? TLSFailureReason == .clientCertificateRequired { chooseCertificate() }
/// }
/// ```
///
/// With TLS 1.3 a server judges the client's certificate after the handshake. The error of the request is
/// `connectionClosed` or `sendFailed` then, with the same reason. A minor version may add cases, so a `switch` needs a
/// `default`.
public enum TLSFailureReason: Error, Sendable, Hashable {
    /// The server requires a client certificate, and was sent none.
    case clientCertificateRequired
    /// The server refused the client's certificate, with this alert.
    case clientCertificateRefused(Alert)
    /// The server does not use TLS on this port.
    case notTLS
    /// The server and the client have no version of TLS in common.
    case noCommonVersion
    /// The server and the client have no cipher suite or no curve in common.
    case noCommonCipher
    /// The server does not know the host that it was asked for.
    case unknownServerName
    /// The server supports none of the protocols that were offered, RFC 7301.
    case noCommonProtocol
    /// The connection was closed during the handshake.
    case closed
    /// The server ended the handshake with another alert.
    case alert(Alert)
    /// The server violated the protocol. The text is the library's name of the violation.
    case violation(String)
    /// Any other reason, in the words of the TLS library.
    case other(String)

    /// The alerts of TLS, with their numbers. RFC 8446 §6.
    public enum Alert: UInt8, Sendable, Hashable, CaseIterable {
        /// `close_notify`
        case closeNotify = 0
        /// `unexpected_message`
        case unexpectedMessage = 10
        /// `bad_record_mac`
        case badRecordMAC = 20
        /// `decryption_failed`, of TLS 1.0
        case decryptionFailed = 21
        /// `record_overflow`
        case recordOverflow = 22
        /// `decompression_failure`, of TLS 1.2
        case decompressionFailure = 30
        /// `handshake_failure`
        case handshakeFailure = 40
        /// `no_certificate`, of SSL 3.0
        case noCertificate = 41
        /// `bad_certificate`
        case badCertificate = 42
        /// `unsupported_certificate`
        case unsupportedCertificate = 43
        /// `certificate_revoked`
        case certificateRevoked = 44
        /// `certificate_expired`
        case certificateExpired = 45
        /// `certificate_unknown`
        case certificateUnknown = 46
        /// `illegal_parameter`
        case illegalParameter = 47
        /// `unknown_ca`
        case unknownAuthority = 48
        /// `access_denied`
        case accessDenied = 49
        /// `decode_error`
        case decodeError = 50
        /// `decrypt_error`
        case decryptError = 51
        /// `export_restriction`, of TLS 1.0
        case exportRestriction = 60
        /// `protocol_version`
        case protocolVersion = 70
        /// `insufficient_security`
        case insufficientSecurity = 71
        /// `internal_error`
        case internalError = 80
        /// `inappropriate_fallback`
        case inappropriateFallback = 86
        /// `user_canceled`
        case userCancelled = 90
        /// `no_renegotiation`, of TLS 1.2
        case noRenegotiation = 100
        /// `missing_extension`
        case missingExtension = 109
        /// `unsupported_extension`
        case unsupportedExtension = 110
        /// `certificate_unobtainable`, of TLS 1.2
        case certificateUnobtainable = 111
        /// `unrecognized_name`
        case unrecognizedName = 112
        /// `bad_certificate_status_response`
        case badCertificateStatusResponse = 113
        /// `bad_certificate_hash_value`, of TLS 1.2
        case badCertificateHashValue = 114
        /// `unknown_psk_identity`
        case unknownPSKIdentity = 115
        /// `certificate_required`
        case certificateRequired = 116
        /// `no_application_protocol`
        case noApplicationProtocol = 120
        /// `ech_required`, RFC 9849
        case encryptedHelloRequired = 121
    }
}

extension TLSFailureReason: CustomStringConvertible {
    /// The reason as a sentence.
    public var description: String { description(for: "the server") }

    /// Returns the reason as a sentence about the other side.
    ///
    /// - Parameters:
    ///   - peer: The other side: the host of the server, or the proxy.
    ///   - name: The host that the other side was asked for. Default: `nil`, if it is unknown.
    ///   - isAfterHandshake: Whether the handshake had ended before. Default: `false`.
    /// - Returns: The sentence, without its end.
    package func description(for peer: String, name: String? = nil, isAfterHandshake: Bool = false) -> String {
        switch self {
        case .clientCertificateRequired: "\(peer) requires a client certificate"
        case .clientCertificateRefused(let alert): "\(peer) refused the client's certificate: \(alert)"
        case .notTLS: "\(peer) does not use TLS on this port"
        case .noCommonVersion: "\(peer) supports none of the versions of TLS that were offered"
        case .noCommonCipher: "\(peer) supports none of the cipher suites and curves that were offered"
        case .unknownServerName:
            "\(peer == name ? "the server" : peer) does not know the host \(name ?? "that it was asked for")"
        case .noCommonProtocol: "\(peer) supports none of the protocols that were offered"
        case .closed: "\(peer) closed the connection during the handshake"
        case .alert(let alert): "\(peer) ended \(isAfterHandshake ? "TLS" : "the handshake"): \(alert)"
        case .violation(let name): "\(peer) violated the protocol of TLS (\(Excerpt.of(name)))"
        case .other(let text):
            "\(isAfterHandshake ? "TLS" : "the handshake") with \(peer) failed: "
                + Excerpt.sentence(Redaction.text(text))
        }
    }
}

extension TLSFailureReason.Alert: CustomStringConvertible {
    /// The meaning in words, from the view of the server that sends it.
    public var description: String {
        switch self {
        case .closeNotify: "it closed the connection"
        case .unexpectedMessage: "it received a message out of order"
        case .badRecordMAC, .decryptionFailed: "it could not decrypt a record"
        case .recordOverflow: "it received a record that is too long"
        case .decompressionFailure: "it could not decompress a record"
        case .handshakeFailure: "it found no acceptable settings"
        case .noCertificate: "there is no certificate"
        case .badCertificate: "the certificate is damaged, or its signature is wrong"
        case .unsupportedCertificate: "the certificate is of a kind that it does not support"
        case .certificateRevoked: "the certificate is revoked"
        case .certificateExpired: "the certificate has expired or is not valid"
        case .certificateUnknown: "the certificate is not acceptable"
        case .illegalParameter: "it received a value that is not allowed"
        case .unknownAuthority: "the certificate is of an authority that it does not trust"
        case .accessDenied: "the certificate is valid, but gives no access"
        case .decodeError: "it could not decode a message"
        case .decryptError: "a signature or a key exchange failed"
        case .exportRestriction: "a restriction on exports was violated"
        case .protocolVersion: "it does not support the version of TLS"
        case .insufficientSecurity: "it requires stronger cipher suites"
        case .internalError: "it had an internal error"
        case .inappropriateFallback: "it received an unnecessary fallback to an older version"
        case .userCancelled: "it cancelled the handshake"
        case .noRenegotiation: "it does not renegotiate"
        case .missingExtension: "it needs an extension that was not sent"
        case .unsupportedExtension: "it received an extension that it did not expect"
        case .certificateUnobtainable: "it could not get the certificate"
        case .unrecognizedName: "it does not know the name of the server"
        case .badCertificateStatusResponse: "the status of the certificate is invalid"
        case .badCertificateHashValue: "the hash of the certificate is wrong"
        case .unknownPSKIdentity: "it does not know the shared key"
        case .certificateRequired: "it requires a certificate"
        case .noApplicationProtocol: "it supports none of the protocols"
        case .encryptedHelloRequired: "it requires an encrypted ClientHello"
        }
    }
}

internal import ApusCore

/// The symbols by which the TLS library names its failures. Its errors have no other property that distinguishes them.
enum TLSSymbols {
    /// Follows a `handshake_failure` that is the answer to the ClientHello.
    static let firstRefusal = "HANDSHAKE_FAILURE_ON_CLIENT_HELLO"
    /// The text before each symbol.
    private static let mark = "OPENSSL_internal:"
    /// The number of the alert 0 among the library's reasons.
    private static let alertOffset = 1000

    /// Returns the symbols in an error, in their order.
    static func found(in error: any Error) -> [String] {
        String(describing: error).components(after: mark)
    }

    /// Returns the alert with a symbol. `nil` if it is that of another failure.
    static func alert(_ symbol: String) -> TLSFailureReason.Alert? {
        for prefix in ["SSLV3_ALERT_", "TLSV1_ALERT_", "TLSV1_"] where symbol.hasPrefix(prefix) {
            return alerts[String(symbol.dropFirst(prefix.count))]
        }
        return alertNumber(symbol).flatMap { UInt8(exactly: $0) }.flatMap { TLSFailureReason.Alert(rawValue: $0) }
    }

    /// Returns the number of an alert that the library has no symbol for: `reason(1109)`.
    static func alertNumber(_ symbol: String) -> Int? {
        guard symbol.hasPrefix("reason("), symbol.hasSuffix(")"),
            let number = Int(symbol.dropFirst("reason(".count).dropLast()),
            (alertOffset...alertOffset + 255).contains(number)
        else { return nil }
        return number - alertOffset
    }

    /// The failures that the client finds.
    static let reasons: [String: TLSFailureReason] = [
        "WRONG_VERSION_NUMBER": .notTLS,
        "HTTP_REQUEST": .notTLS,
        "HTTPS_PROXY_REQUEST": .notTLS,
        "UNSUPPORTED_PROTOCOL": .noCommonVersion,
        "WRONG_SSL_VERSION": .noCommonVersion,
        "UNKNOWN_SSL_VERSION": .noCommonVersion,
        "NO_SHARED_CIPHER": .noCommonCipher,
        "UNKNOWN_CIPHER_RETURNED": .noCommonCipher,
        "WRONG_CIPHER_RETURNED": .noCommonCipher,
        "UNSUPPORTED_CIPHER": .noCommonCipher,
        "NO_SHARED_GROUP": .noCommonCipher,
        "WRONG_CURVE": .noCommonCipher,
        "UNSUPPORTED_ELLIPTIC_CURVE": .noCommonCipher,
        "NO_APPLICATION_PROTOCOL": .noCommonProtocol,
    ]

    private static let alerts: [String: TLSFailureReason.Alert] = [
        "CLOSE_NOTIFY": .closeNotify,
        "UNEXPECTED_MESSAGE": .unexpectedMessage,
        "BAD_RECORD_MAC": .badRecordMAC,
        "DECRYPTION_FAILED": .decryptionFailed,
        "RECORD_OVERFLOW": .recordOverflow,
        "DECOMPRESSION_FAILURE": .decompressionFailure,
        "HANDSHAKE_FAILURE": .handshakeFailure,
        "NO_CERTIFICATE": .noCertificate,
        "BAD_CERTIFICATE": .badCertificate,
        "UNSUPPORTED_CERTIFICATE": .unsupportedCertificate,
        "CERTIFICATE_REVOKED": .certificateRevoked,
        "CERTIFICATE_EXPIRED": .certificateExpired,
        "CERTIFICATE_UNKNOWN": .certificateUnknown,
        "ILLEGAL_PARAMETER": .illegalParameter,
        "UNKNOWN_CA": .unknownAuthority,
        "ACCESS_DENIED": .accessDenied,
        "DECODE_ERROR": .decodeError,
        "DECRYPT_ERROR": .decryptError,
        "EXPORT_RESTRICTION": .exportRestriction,
        "PROTOCOL_VERSION": .protocolVersion,
        "INSUFFICIENT_SECURITY": .insufficientSecurity,
        "INTERNAL_ERROR": .internalError,
        "INAPPROPRIATE_FALLBACK": .inappropriateFallback,
        "USER_CANCELLED": .userCancelled,
        "NO_RENEGOTIATION": .noRenegotiation,
        "MISSING_EXTENSION": .missingExtension,
        "UNSUPPORTED_EXTENSION": .unsupportedExtension,
        "CERTIFICATE_UNOBTAINABLE": .certificateUnobtainable,
        "UNRECOGNIZED_NAME": .unrecognizedName,
        "BAD_CERTIFICATE_STATUS_RESPONSE": .badCertificateStatusResponse,
        "BAD_CERTIFICATE_HASH_VALUE": .badCertificateHashValue,
        "UNKNOWN_PSK_IDENTITY": .unknownPSKIdentity,
        "CERTIFICATE_REQUIRED": .certificateRequired,
        "NO_APPLICATION_PROTOCOL": .noApplicationProtocol,
        "ECH_REQUIRED": .encryptedHelloRequired,
    ]
}

extension String {
    /// Returns the words that follow each occurrence of `mark`, up to the next space, bracket or comma.
    fileprivate func components(after mark: String) -> [String] {
        ranges(of: mark).map { range in
            String(self[range.upperBound...].prefix { !$0.isWhitespace && $0 != "," && $0 != "]" })
        }
    }
}

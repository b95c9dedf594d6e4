internal import ApusCore
internal import NIOCore
internal import NIOSSL

extension TLSConfiguration {
    /// The TLS 1.2 cipher suites: all have forward secrecy, AEAD suites come first. All TLS 1.3 suites are offered.
    ///
    /// Static RSA key exchange is left out: a server's key would decrypt all its recorded connections.
    /// RFC 9325 §4.1, https://www.rfc-editor.org/rfc/rfc9325.html
    private static let secureSuites: [(name: String, suite: NIOTLSCipher)] = [
        ("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
        ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
        ("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
        ("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
        ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
        ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256),
        ("TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA),
        ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA),
        ("TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", .TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA),
        ("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA),
    ]

    /// Creates the configuration of a client, without its verification and protocols.
    ///
    /// - Throws: `ApusError` with the code `invalidConfiguration` for settings that exclude each other, an unknown cipher
    ///   suite, a key log that can't be written or an invalid client identity.
    init(_ settings: TLSSettings) throws(ApusError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let maximum = settings.maximumVersion, maximum < settings.minimumVersion {
            throw ApusError(
                .invalidConfiguration,
                "tls.maximumVersion (\(maximum)) is older than tls.minimumVersion (\(settings.minimumVersion))"
            )
        }
        configuration.minimumTLSVersion = settings.minimumVersion.libraryVersion
        configuration.maximumTLSVersion = settings.maximumVersion?.libraryVersion
        configuration.cipherSuiteValues = try Self.suites(named: settings.cipherSuites)
        if let curves = settings.curves {
            guard !curves.isEmpty else { throw ApusError(.invalidConfiguration, "tls.curves has no curve") }
            configuration.curves = curves.map(\.libraryCurve)
        }
        // The connection closes right after its close_notify, but its memory is kept for this long.
        configuration.shutdownTimeout = .milliseconds(50)
        if let log = settings.keyLog {
            let write = try log.writer()
            configuration.keyLogCallback = { write(String(buffer: $0)) }
        }
        if let identity = settings.identity {
            let certificate = try ClientCertificate(identity)
            configuration.certificateChain = certificate.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(certificate.key)
        }
        self = configuration
    }

    private static func suites(named names: [String]?) throws(ApusError) -> [NIOTLSCipher] {
        guard let names else { return secureSuites.map { $0.suite } }
        guard !names.isEmpty else { throw ApusError(.invalidConfiguration, "tls.cipherSuites has no cipher suite") }
        var chosen: [NIOTLSCipher] = []
        for name in names {
            guard let suite = secureSuites.first(where: { $0.name == name })?.suite else {
                throw ApusError(
                    .invalidConfiguration,
                    "'\(name)' in tls.cipherSuites is no cipher suite of TLS 1.2 with an ephemeral key exchange (ECDHE)",
                    hint: "use an IANA name like \(secureSuites[0].name)"
                )
            }
            chosen.append(suite)
        }
        return chosen
    }
}

extension ApusCore.TLSVersion {
    fileprivate var libraryVersion: NIOSSL.TLSVersion {
        switch self {
        case .v12: .tlsv12
        case .v13: .tlsv13
        }
    }
}

extension TLSSettings.Curve {
    fileprivate var libraryCurve: NIOTLSCurve {
        switch self {
        case .x25519MLKEM768: .x25519_MLKEM768
        case .x25519: .x25519
        case .p256: .secp256r1
        case .p384: .secp384r1
        case .p521: .secp521r1
        }
    }
}

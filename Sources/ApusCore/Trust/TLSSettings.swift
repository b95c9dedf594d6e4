/// The settings of TLS connections. Requests with different settings never share a connection.
///
/// ```swift
/// var configuration = Session.Configuration()
/// configuration.tls.minimumVersion = .v13
/// configuration.tls.identity = try .pemFile("/etc/ssl/client.pem", passphrase: passphrase)
/// ```
///
/// As an option of a request they replace all settings of the session, except for its `clientIdentities`.
public struct TLSSettings: RequestOption, Hashable {
    /// An elliptic curve, or another group, for the key exchange.
    public enum Curve: String, Sendable, Hashable, CaseIterable {
        /// X25519 together with ML-KEM-768, which a quantum computer can't break. It needs TLS 1.3.
        case x25519MLKEM768 = "X25519MLKEM768"
        /// X25519, RFC 7748.
        case x25519 = "X25519"
        /// NIST's curve P-256, `secp256r1`.
        case p256 = "P-256"
        /// NIST's curve P-384, `secp384r1`.
        case p384 = "P-384"
        /// NIST's curve P-521, `secp521r1`.
        case p521 = "P-521"
    }

    /// The oldest version of TLS that a connection may use. Default: `.v12`.
    ///
    /// A request to a server that supports only older versions fails with `tlsVersionUnsupported`.
    public var minimumVersion = TLSVersion.v12
    /// The latest version of TLS that a connection may use. `nil` is no limit. Default: `nil`.
    public var maximumVersion: TLSVersion?
    /// The cipher suites of TLS 1.2 that are offered, by their IANA names, in the order of preference. Those of TLS 1.3
    /// can't be chosen. A request fails with `invalidConfiguration` if a name is unknown, or if the suite has no
    /// forward secrecy. `nil` for all suites with forward secrecy. Default: `nil`.
    ///
    /// For example `TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384`.
    public var cipherSuites: [String]?
    /// The curves that are offered for the key exchange, in the order of preference. `nil` for X25519MLKEM768, X25519,
    /// P-256 and P-384, in this order. Default: `nil`.
    public var curves: [Curve]?
    /// The name that is sent to the server, so that it can choose its certificate (SNI, RFC 6066 §3). `nil` for the
    /// host of the request, if it is no IP address. Default: `nil`.
    ///
    /// It does not change the name that the certificate is verified for.
    public var serverName: String?
    /// The host or IP address that the server's certificate must name. `nil` for the host of the request. Default:
    /// `nil`.
    ///
    /// Connections with such a name are not shared with other origins.
    public var verifiedName: String?
    /// Where the secrets of connections are logged, for tools that decrypt recorded traffic. Default: `nil`.
    ///
    /// - Warning: Anyone with the log can read and change all traffic. The session logs a warning for each origin.
    public var keyLog: TLSKeyLog?
    /// The certificate and key for servers that ask for one. It takes precedence over the `clientIdentities` of the
    /// session. Default: `nil`.
    ///
    /// As an option of a request it belongs to the origin of the request. A redirect to another origin drops it.
    public var identity: ClientIdentity?

    /// Creates the default settings.
    public init() {}

    /// The settings without those that are meant for one origin only.
    var forOtherOrigin: TLSSettings {
        var settings = self
        settings.serverName = nil
        settings.verifiedName = nil
        settings.identity = nil
        return settings
    }
}

extension RequestOptions {
    /// Removes the trust and the settings of TLS that belong to the origin of the request, since it leads to another
    /// one. A request that trusts anyone at one origin must not do so at another.
    ///
    /// `keepsTrust`: Whether the trust was chosen for the other origin. Default: `false`.
    mutating func leaveOrigin(keepsTrust: Bool = false) {
        if !keepsTrust { self[ServerTrust.self] = nil }
        guard let settings = self[TLSSettings.self] else { return }
        self[TLSSettings.self] = settings.forOtherOrigin
    }
}

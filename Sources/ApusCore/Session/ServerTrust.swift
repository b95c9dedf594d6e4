/// The trust settings of a session. Requests with different settings never share a connection.
public struct ServerTrust: Sendable, Hashable {
    /// The root certificates that a server's chain must end in.
    public enum Roots: Sendable, Hashable {
        /// The roots of the operating system.
        case system
        /// The roots in a PEM file, and no others.
        case file(String)
        /// The roots in PEM text, and no others.
        case pem(String)
    }

    /// The checks of a server's certificate.
    public enum Verification: Sendable, Hashable {
        /// Checks the chain and the name.
        case full
        /// Checks the chain, and accepts any name.
        case chainOnly
        /// Checks nothing. Anyone on the network path can read and change all traffic.
        case none
    }

    /// A secure version of TLS. RFC 8996 forbids older versions.
    public enum TLSVersion: Sendable, Hashable {
        /// TLS 1.2, always with an ephemeral key exchange (ECDHE).
        case v12
        /// TLS 1.3.
        case v13
    }

    /// The root certificates that a server's chain must end in. Default: `.system`.
    public var roots = Roots.system
    /// The checks of a server's certificate. Default: `.full`.
    public var verification = Verification.full
    /// The oldest version of TLS that a connection may use. Default: `.v12`.
    ///
    /// A request to a server that supports only older versions fails with `tlsVersionUnsupported`.
    public var minimumTLSVersion = TLSVersion.v12

    /// Creates the default trust settings.
    public init() {}
}

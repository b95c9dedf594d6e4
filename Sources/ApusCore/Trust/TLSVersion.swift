/// A secure version of TLS. RFC 8996 forbids older versions.
public enum TLSVersion: Sendable, Hashable, Comparable {
    /// TLS 1.2, always with an ephemeral key exchange (ECDHE).
    case v12
    /// TLS 1.3.
    case v13
}

extension TLSVersion: CustomStringConvertible {
    /// `TLS 1.2` or `TLS 1.3`.
    public var description: String {
        switch self {
        case .v12: "TLS 1.2"
        case .v13: "TLS 1.3"
        }
    }
}

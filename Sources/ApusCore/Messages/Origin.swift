/// The scheme, host and port that a target URI names: the unit of trust, of connections and of credentials.
///
/// See RFC 9110 §4.3.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-4.3.1
public struct Origin: Sendable, Hashable {
    /// The schemes that Apus speaks.
    public enum Scheme: String, Sendable, Hashable {
        /// In the clear.
        case http
        /// Over TLS.
        case https

        /// The port that a URI of this scheme means when it names none.
        public var defaultPort: Int { self == .https ? 443 : 80 }
    }

    /// How the origin is reached: in the clear or over TLS.
    public let scheme: Scheme
    /// The host, in lower case; an IPv6 address without its brackets.
    public let host: String
    /// The port, the scheme's own where the URI named none.
    public let port: Int

    /// Names an origin.
    ///
    /// - Parameters:
    ///   - scheme: In the clear or over TLS.
    ///   - host: The host, in lower case; an IPv6 address without its brackets.
    ///   - port: The port; `nil` (the default) means the scheme's own.
    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
    }

    /// Host and port as the `Host` field says them: the port only where it is not the scheme's own.
    public var authority: String { authority(isAddressLiteral: host.utf8.contains(UInt8(ascii: ":"))) }

    /// The same, for a caller that knows whether the host is an IPv6 address.
    func authority(isAddressLiteral: Bool) -> String {
        let name = isAddressLiteral ? "[\(host)]" : host
        return port == scheme.defaultPort ? name : name + ":" + String(port)
    }
}

extension Origin: CustomStringConvertible {
    /// `https://example.org:8443`
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}

/// The scheme, host and port of a target URI: the unit of trust, of connections and of credentials.
///
/// See RFC 9110 §4.3.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-4.3.1
public struct Origin: Sendable, Hashable {
    /// The schemes that Apus supports.
    public enum Scheme: String, Sendable, Hashable {
        /// Not encrypted.
        case http
        /// Encrypted with TLS.
        case https

        /// The port of a URI of this scheme that names none.
        public var defaultPort: Int { self == .https ? 443 : 80 }
    }

    /// The scheme: `http`, or `https` with TLS.
    public let scheme: Scheme
    /// The host in lowercase. An IPv6 address has no brackets.
    public let host: String
    /// The port. Default: the scheme's default port.
    public let port: Int

    /// Creates an origin.
    ///
    /// - Parameters:
    ///   - scheme: The scheme: `http`, or `https` with TLS.
    ///   - host: The host in lowercase. An IPv6 address has no brackets.
    ///   - port: The port. `nil` means the scheme's default port. Default: `nil`.
    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? scheme.defaultPort
    }

    /// Host and port as in the `Host` field. The scheme's default port is omitted.
    public var authority: String { authority(isAddressLiteral: host.utf8.contains(UInt8(ascii: ":"))) }

    /// Returns the authority for a caller that knows whether the host is an IPv6 address.
    func authority(isAddressLiteral: Bool) -> String {
        let name = isAddressLiteral ? "[\(host)]" : host
        return port == scheme.defaultPort ? name : name + ":" + String(port)
    }
}

extension Origin: CustomStringConvertible {
    /// `https://example.org:8443`
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}

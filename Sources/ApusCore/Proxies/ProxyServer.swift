internal import ApusJSON

/// A proxy: a server that passes requests on to the servers that they are meant for.
///
/// ```swift
/// configuration.proxy = .server(try ProxyServer("http://ada:secret@proxy.example.org:3128"))
/// ```
///
/// `https` requests, and all requests over SOCKS, go through a tunnel. The proxy learns the host and the port of the
/// server, and for `https` nothing else. An `http` request over an HTTP proxy has no tunnel, so the proxy reads it.
///
/// Two proxies are equal if all their properties are. Requests with different proxies, or with different credentials
/// for one proxy, never share a connection.
public struct ProxyServer: Sendable, Hashable {
    /// The protocol that is spoken with the proxy, by its scheme.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// HTTP in the clear: tunnels by CONNECT, RFC 9110 §9.3.6, and `http` requests without a tunnel.
        case http
        /// Like `http`, over TLS. The proxy's certificate is checked by the `trust` of the session.
        case https
        /// SOCKS 5, RFC 1928. The host of the request is resolved here.
        case socks5
        /// SOCKS 5, RFC 1928. The host of the request is resolved by the proxy.
        case socks5h

        /// Whether it is a kind of SOCKS.
        package var isSOCKS: Bool { self == .socks5 || self == .socks5h }

        /// The port of a URL that names none, as in curl: 443 for `https`, otherwise 1080.
        public var defaultPort: Int { self == .https ? 443 : 1080 }
    }

    /// The way in which the user and the password are sent to an HTTP proxy. A SOCKS proxy gets them as RFC 1929 says.
    public enum Authentication: Sendable, Hashable {
        /// Sends them with each request, RFC 7617. Over `http` they can be read on the way to the proxy.
        case basic
        /// Waits for a challenge, and sends a digest of the password, RFC 7616.
        case digest
        /// Waits for a challenge, and uses Digest if the proxy offers it, otherwise Basic.
        case automatic
    }

    /// The protocol that is spoken with the proxy.
    public let kind: Kind
    /// The host in lowercase, or an IP address. An IPv6 address has no brackets.
    public let host: String
    /// The port. Default: that of the kind.
    public let port: Int
    /// The user name for the proxy. Default: `nil`, no credentials are sent.
    public let user: String?
    /// The password of the user. Default: `nil`, which is sent as an empty one if there is a user.
    public let password: String?
    /// The way in which user and password are sent to an HTTP proxy. Default: `.basic`.
    public let authentication: Authentication

    /// Creates a proxy from its parts.
    ///
    /// - Parameters:
    ///   - kind: The protocol that is spoken with the proxy. Default: `.http`.
    ///   - host: The host, or an IP address without brackets.
    ///   - port: The port. `nil` for that of the kind. Default: `nil`.
    ///   - user: The user name. Default: `nil`.
    ///   - password: The password. Default: `nil`.
    ///   - authentication: The way in which user and password are sent to an HTTP proxy. Default: `.basic`.
    public init(
        kind: Kind = .http,
        host: String,
        port: Int? = nil,
        user: String? = nil,
        password: String? = nil,
        authentication: Authentication = .basic
    ) {
        self.kind = kind
        self.host = host.lowercased()
        self.port = port ?? kind.defaultPort
        self.user = user
        self.password = password
        self.authentication = authentication
    }

    /// Creates a proxy from a URL: `socks5h://127.0.0.1:9050`, or without a scheme `proxy.example.org:3128`, which is
    /// HTTP.
    ///
    /// User and password are percent-decoded. A path is ignored.
    ///
    /// - Parameters:
    ///   - url: The URL. Its scheme is `http`, `https`, `socks5` or `socks5h`.
    ///   - authentication: The way in which user and password are sent to an HTTP proxy. Default: `.basic`.
    /// - Throws: `ApusError` with the code `invalidConfiguration`, without the URL, which may have a password.
    public init(_ url: String, authentication: Authentication = .basic) throws(ApusError) {
        let (kind, rest) = try Self.schemeAndRest(of: url)
        let plain: TargetURI
        let secure: TargetURI
        do throws(ApusError) {
            plain = try TargetURI("http://\(rest)")
            secure = try TargetURI("https://\(rest)")
        } catch {
            throw Self.invalid(error.detail)
        }
        // They have different ports only if the URL names none.
        let port = plain.origin.port == secure.origin.port ? plain.origin.port : kind.defaultPort
        guard port > 0 else { throw Self.invalid("the port is 0") }
        self.init(
            kind: kind,
            host: plain.origin.host,
            port: port,
            user: plain.userInformation?.user,
            password: plain.userInformation?.password,
            authentication: authentication
        )
    }

    private static func schemeAndRest(of url: String) throws(ApusError) -> (Kind, Substring) {
        guard let separator = url.firstRange(of: "://") else { return (.http, url[...]) }
        let scheme = url[..<separator.lowerBound].lowercased()
        guard let kind = Kind(rawValue: scheme) else {
            // Anything but a scheme may be a part of a password.
            let isShown = scheme.utf8.count <= 20 && scheme.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 < 0x3A }
            let name = isShown ? "the scheme '\(Excerpt.of(scheme))'" : "its scheme"
            throw invalid("\(name) is not supported, only http, https, socks5 and socks5h")
        }
        return (kind, url[separator.upperBound...])
    }

    private static func invalid(_ detail: String) -> ApusError {
        ApusError(.invalidConfiguration, "the URL of the proxy is invalid: \(detail)")
    }
}

extension ProxyServer {
    /// Host and port, with the brackets of an IPv6 address.
    package var authority: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without user and password: `http://proxy.example.org:3128`.
    public var description: String { "\(kind.rawValue)://\(authority)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror {
        Mirror(self, children: ["kind": kind, "host": host, "port": port, "hasUser": user != nil])
    }
}

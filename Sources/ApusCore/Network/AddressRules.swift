/// The addresses that a session, or a single request, connects to. Requests with different rules never share a
/// connection.
///
/// ```swift
/// var rules = AddressRules()
/// rules.overrides["api.example.org:443"] = [.v4(192, 0, 2, 7)]
/// let response = try await session.get("https://api.example.org/users", options: [rules])
/// ```
///
/// As an option of a request it replaces all rules of the session. The URL and the certificate keep the host of the
/// request.
public struct AddressRules: RequestOption, Hashable {
    /// The destination of connections to a host, in place of its own addresses.
    public enum Destination: Sendable, Hashable, ExpressibleByArrayLiteral {
        /// These addresses, in the order of preference, with the port of the request.
        case addresses([IPAddress])
        /// Another host, which is looked up. `nil` keeps the port of the request.
        case host(String, port: Int? = nil)

        /// Creates a destination from addresses.
        public init(arrayLiteral addresses: IPAddress...) {
            self = .addresses(addresses)
        }
    }

    /// The versions of IP.
    public enum Family: Sendable, Hashable {
        /// IPv4 and IPv6, which race (RFC 8305).
        case any
        /// IPv4 only.
        case ipv4
        /// IPv6 only.
        case ipv6
    }

    /// The order in which addresses of a family are tried. The families alternate, beginning with the resolver's
    /// first.
    public enum Order: Sendable, Hashable {
        /// The order of the resolver.
        case preferred
        /// A new random order for each connection.
        case randomized
        /// Each connection to a host begins with the next address, within a session.
        case rotating
    }

    /// The local end of a connection.
    public enum LocalAddress: Sendable, Hashable {
        /// An address of this machine. Only addresses of the same family are connected to.
        case address(IPAddress)
        /// The addresses of a network interface, by its name. They are looked up for each connection.
        case interface(String)
    }

    /// The destinations of hosts, by `host:port` or by `host` for all ports. The port counts first. An IPv6 address is
    /// in brackets before a port: `[::1]:80`. Default: none.
    public var overrides: [String: Destination] = [:]
    /// The versions of IP that connections use. Default: `.any`.
    public var family = Family.any
    /// The order in which the addresses of a host are tried. Default: `.preferred`.
    public var order = Order.preferred
    /// The path of a Unix socket that all connections go to, of at most 103 bytes. No host is looked up. `https` uses
    /// TLS with the host of the request. Default: `nil`.
    public var unixSocket: String?
    /// The local end of connections. Default: `nil`, as the operating system chooses.
    public var localAddress: LocalAddress?
    /// Decides which addresses may be connected to.
    ///
    /// A proxy resolves names by itself, except for a `socks5` proxy, which gets checked addresses. Behind other
    /// proxies and over a Unix socket, the guard checks hosts that are addresses, and all names pass. The address of
    /// the proxy itself is not checked: the program, or a variable of the environment, has chosen it. Default: `nil`,
    /// all addresses are allowed.
    public var `guard`: AddressGuard?

    /// Creates the default rules.
    public init() {}

    /// Returns the destination of a host, in lowercase and without a trailing dot. `nil` if it has no override.
    package func destination(of host: String, port: Int) -> Destination? {
        guard !overrides.isEmpty else { return nil }
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        for key in ["\(name):\(port)", host] {
            if let found = overrides[key] ?? overrides.first(where: { $0.key.lowercased() == key })?.value {
                return found
            }
        }
        return nil
    }
}

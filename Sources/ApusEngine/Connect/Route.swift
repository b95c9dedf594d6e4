internal import ApusCore

/// The way to a server: its origin, the proxy in front of it, and the security, the protocols and the addresses of
/// connections to it. Requests with the same route share connections.
struct Route: Hashable, Sendable {
    let origin: Origin
    /// The trust and the settings of TLS. `nil` for cleartext connections.
    let rules: TLSRules?
    let protocols: HTTPProtocols
    /// `nil` for the default rules of addresses.
    let network: NetworkRules?

    /// `nil` without a proxy.
    let proxy: ProxyServer?

    init(
        origin: Origin,
        rules: TLSRules?,
        protocols: HTTPProtocols,
        network: NetworkRules?,
        proxy: ProxyServer? = nil
    ) {
        self.proxy = proxy
        self.origin = origin
        self.rules = origin.scheme == .https ? rules : nil
        self.protocols = protocols
        self.network = network
    }

    /// The number of exchanges that a new connection serves at a time. `nil` if that depends on its protocol.
    var expectedCapacity: Int? {
        switch protocols {
        case .http1: 1
        case .automatic: rules == nil ? 1 : nil
        case .http2: nil
        }
    }

    /// The security of connections. `nil` for cleartext connections.
    var security: TLSSecurity? { rules.map { TLSSecurity(rules: $0, protocols: protocols) } }
    /// The proxy that gets requests as they are, without a tunnel: RFC 9112 §3.2.2. `nil` for any other route.
    var forwardingProxy: ProxyServer? {
        guard let proxy, !proxy.kind.isSOCKS, origin.scheme == .http, protocols != .http2 else { return nil }
        return proxy
    }
}

/// The settings that determine the security of a connection.
struct TLSSecurity: Hashable, Sendable {
    let rules: TLSRules
    let protocols: HTTPProtocols

    var trust: ServerTrust { rules.trust }

    var tls: TLSSettings { rules.tls }

    /// The protocols that are offered with ALPN, the preferred one first. RFC 7301.
    var offeredProtocols: [String] {
        switch protocols {
        case .automatic: [NegotiatedProtocol.http2.rawValue, NegotiatedProtocol.http1.rawValue]
        case .http1: [NegotiatedProtocol.http1.rawValue]
        case .http2: [NegotiatedProtocol.http2.rawValue]
        }
    }
}

/// The protocol of a connection, with its ALPN name.
enum NegotiatedProtocol: String, Sendable {
    case http1 = "http/1.1"
    case http2 = "h2"
}

internal import ApusCore

/// The way to a server: its origin, the proxy in front of it, and the security and the protocols of connections to it.
/// Requests with the same route share connections.
struct Route: Hashable, Sendable {
    let origin: Origin
    /// `nil` for cleartext connections.
    let trust: ServerTrust?
    let protocols: HTTPProtocols
    /// `nil` without a proxy.
    let proxy: ProxyServer?

    init(origin: Origin, trust: ServerTrust, protocols: HTTPProtocols, proxy: ProxyServer? = nil) {
        self.proxy = proxy
        self.origin = origin
        self.trust = origin.scheme == .https ? trust : nil
        self.protocols = protocols
    }

    /// The number of exchanges that a new connection serves at a time. `nil` if that depends on its protocol.
    var expectedCapacity: Int? {
        switch protocols {
        case .http1: 1
        case .automatic: trust == nil ? 1 : nil
        case .http2: nil
        }
    }

    /// The proxy that gets requests as they are, without a tunnel: RFC 9112 §3.2.2. `nil` for any other route.
    var forwardingProxy: ProxyServer? {
        guard let proxy, !proxy.kind.isSOCKS, origin.scheme == .http, protocols != .http2 else { return nil }
        return proxy
    }

    /// The settings of TLS. `nil` for cleartext connections.
    var security: TLSSecurity? { trust.map { TLSSecurity(trust: $0, protocols: protocols) } }
}

/// The settings that determine a TLS context.
struct TLSSecurity: Hashable, Sendable {
    let trust: ServerTrust
    let protocols: HTTPProtocols

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

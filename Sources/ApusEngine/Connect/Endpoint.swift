internal import NIOCore

/// A host and port that a connection is set up with: the origin, or the proxy in front of it.
struct Endpoint {
    let host: String
    let port: Int
    /// The host as certificates and TLS use it: without a trailing dot, as RFC 6066 §3 requires for the server name.
    let name: String
    /// The address, if the host is an IP address.
    let literal: SocketAddress?

    init(host: String, port: Int) {
        self.host = host
        self.port = port
        self.name = host.last == "." && !host.contains(":") ? String(host.dropLast()) : host
        self.literal = try? SocketAddress(ipAddress: name, port: port)
    }

    /// The host name for SNI and verification. `nil` if the host is an address.
    var serverName: String? { literal == nil ? name : nil }
}

/// The two servers that a stage may work on.
enum ConnectionHop {
    case proxy
    case origin
}

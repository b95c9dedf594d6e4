internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// The parts of a connection that its stages have made so far. Confined to its event loop.
final class ConnectionSetup {
    let route: Route
    let engine: EventLoopEngine
    /// The host as certificates and TLS use it: without a trailing dot, as RFC 6066 §3 requires for the server name.
    let name: String
    /// The address, if the origin's host is an IP address.
    let literal: SocketAddress?
    var timings = ConnectTimings()
    /// The addresses to connect to, in the order in which they are tried.
    var addresses: [SocketAddress] = []
    /// The local ends of the connection. `nil` if the operating system chooses.
    var local: LocalAddresses?
    var tlsContext: NIOSSLContext?
    var channel: (any Channel)?
    /// The server's certificate, if it was verified for the host.
    var certificate: ServerCertificate?
    /// Whether connections of other origins serve the waiters, so that the setup ends.
    var isCoalesced = false

    init(route: Route, engine: EventLoopEngine) {
        self.route = route
        self.engine = engine
        let host = route.origin.host
        self.name = host.last == "." && !host.contains(":") ? String(host.dropLast()) : host
        self.literal = try? SocketAddress(ipAddress: name, port: route.origin.port)
    }

    var loop: any EventLoop { engine.loop }

    /// The host name, as it is sent to the server. `nil` if the host is an address.
    var serverName: String? { literal == nil ? name : nil }

    /// Returns the error of a connection to an address that the guard of the route refuses. `nil` if it is allowed.
    ///
    /// The addresses were checked before, so this is the last line of defense: no error between the check and the
    /// connection leads to an internal server.
    func refusal(of channel: any Channel) -> ApusError? {
        // A Unix socket has no address to check.
        guard let rules = route.network?.rules, rules.guard != nil, rules.unixSocket == nil else { return nil }
        guard let address = channel.remoteAddress?.address else {
            return AddressSelection.refused(["the address of the connection is unknown"], of: name, nil)
        }
        let selection = AddressSelection(rules: rules, origin: route.origin)
        return selection.refusal(of: address).map { AddressSelection.refused([$0], of: name, address) }
    }
}

internal import ApusCore
internal import NIOCore
internal import NIOSSL

/// The parts of a connection that its stages have made so far. Confined to its event loop.
final class ConnectionSetup {
    let route: Route
    let engine: EventLoopEngine
    let origin: Endpoint
    /// `nil` without a proxy.
    let proxy: Endpoint?
    /// The beginning of `timeouts.connect`.
    let begin: MonotonicInstant
    var timings = ConnectTimings()
    /// The addresses to connect to, in the order in which they are tried: those of the proxy, or else of the origin.
    var addresses: [SocketAddress] = []
    /// The local ends of the connection. `nil` if the operating system chooses.
    var local: LocalAddresses?
    /// The addresses of the origin, if a proxy needs them.
    var originAddresses: [SocketAddress] = []
    var tlsContext: NIOSSLContext?
    /// The TLS context for an https proxy.
    var proxyTLSContext: NIOSSLContext?
    var channel: (any Channel)?
    /// The server's certificate, if it was verified for the host.
    var certificate: ServerCertificate?
    /// Whether connections of other origins serve the waiters, so that the setup ends.
    var isCoalesced = false
    /// Whether the stage has to run again on another connection to the proxy: with the answer to a challenge, or with
    /// another address of the origin.
    var needsAnotherConnection = false

    /// Creates the setup of a connection.
    ///
    /// - Parameters:
    ///   - route: The route.
    ///   - engine: The engine of the loop.
    ///   - found: The addresses of another setup of the route, which this one continues. Default: `nil`.
    init(route: Route, engine: EventLoopEngine, found: FoundAddresses? = nil) {
        self.route = route
        self.engine = engine
        self.begin = found?.begin ?? engine.now
        self.origin = Endpoint(host: route.origin.host, port: route.origin.port)
        self.proxy = route.proxy.map { Endpoint(host: $0.host, port: $0.port) }
        self.timings.proxy = route.proxy?.description
        guard let found else { return }
        self.addresses = found.addresses
        self.local = found.local
        self.timings.resolveBegin = found.resolveBegin
        self.timings.resolveEnd = found.resolveEnd
    }

    var loop: any EventLoop { engine.loop }

    /// The host of the origin as certificates and TLS use it.
    var name: String { origin.name }

    /// The name of the origin for SNI and verification. `nil` if its host is an address.
    var serverName: String? { origin.serverName }

    /// Returns the proxy or the origin.
    func endpoint(_ hop: ConnectionHop) -> Endpoint { hop == .proxy ? proxy ?? origin : origin }

    /// Returns the error of a connection to an address that the guard of the route refuses. `nil` if it is allowed.
    ///
    /// The addresses were checked before, so this is the last line of defense: no error between the check and the
    /// connection leads to an internal server.
    func refusal(of channel: any Channel) -> ApusError? {
        // A Unix socket has no address to check, and the address of a proxy is the user's own choice.
        guard proxy == nil, let rules = route.network?.rules, rules.guard != nil, rules.unixSocket == nil else {
            return nil
        }
        guard let address = channel.remoteAddress?.address else {
            return AddressSelection.refused(["the address of the connection is unknown"], of: name, nil)
        }
        let selection = AddressSelection(rules: rules, origin: route.origin)
        return selection.refusal(of: address).map { AddressSelection.refused([$0], of: name, address) }
    }
}

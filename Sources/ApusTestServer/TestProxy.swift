internal import ApusCore
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A proxy on the loopback interface, in the process of the test: HTTP, with or without TLS, or SOCKS 5.
///
/// It connects to 127.0.0.1 on the port of the target, whichever host that names, so that hosts without an address can
/// be requested. It has its own thread.
///
/// For example:
///
///     let proxy = try await TestProxy.start()
///     // … ask for https://localhost:port/ through proxy.url …
///     #expect(proxy.requests.map(\.method) == ["CONNECT"])
///     await proxy.stop()
public final class TestProxy: Sendable {
    /// A request that the proxy has got.
    public struct Request: Sendable {
        /// The number of the connection, from 1 in the order of acceptance.
        public let connection: Int
        /// The method, or `SOCKS`.
        public let method: String
        /// The target as sent. That of SOCKS is the host and the port.
        public let target: String
        /// The fields in their order. Empty over SOCKS.
        public let fields: [(name: String, value: String)]

        /// Returns the value of the first field with a name in lowercase letters.
        public subscript(name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }
    }

    /// A response of the proxy itself.
    public enum Stage: Sendable {
        /// The response to CONNECT that opens the tunnel.
        case tunnel
        /// The challenge to a request.
        case challenge
        /// The choice of a method by SOCKS.
        case method
        /// The response to a user and a password by SOCKS.
        case authentication
        /// The reply to the request by SOCKS.
        case reply
    }

    /// What the proxy does in place of a response.
    public enum Answer: Sendable {
        /// Sends these bytes at once.
        case send([UInt8])
        /// Sends these bytes one at a time.
        case drip([UInt8])
        /// Sends nothing, and keeps the connection open.
        case silence
        /// Sends these bytes, and nothing more.
        case stop(after: [UInt8])
        /// Sends these bytes, and closes the connection.
        case close(after: [UInt8])
    }

    /// The behavior of a proxy.
    public struct Options: Sendable {
        /// The TLS settings of an HTTP proxy. Default: nil, no TLS.
        public var tls: TestTLS?
        /// Whether it speaks SOCKS 5 in place of HTTP. Default: false.
        public var speaksSOCKS = false
        /// The user and the password that SOCKS requires. Default: nil, none.
        public var user: (name: String, password: String)?
        /// Returns the challenges to a request, which refuse it with 407. Default: none.
        public var challenges: @Sendable (Request) -> [String] = { _ in [] }
        /// Whether the connection is closed after a challenge. Default: false.
        public var closesAfterChallenge = false
        /// Changes a response of the proxy. Default: all are sent as they are.
        public var answer: @Sendable (Stage, [UInt8]) -> Answer = { .send($1) }

        /// Creates the default options.
        public init() {}
    }

    /// The port that the proxy listens on.
    public let port: Int
    /// The URL of the proxy: `http://127.0.0.1:1234`, `https://localhost:1234` or `socks5h://127.0.0.1:1234`.
    public let url: String

    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let state: ServerState
    private let log: ProxyLog

    private init(
        _ group: MultiThreadedEventLoopGroup,
        _ listener: any Channel,
        _ state: ServerState,
        _ log: ProxyLog,
        _ options: Options
    ) {
        self.group = group
        self.listener = listener
        self.state = state
        self.log = log
        port = listener.localAddress?.port ?? 0
        url =
            options.speaksSOCKS
            ? "socks5h://127.0.0.1:\(port)"
            : options.tls == nil ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
    }

    /// Starts a proxy.
    ///
    /// - Parameter options: The behavior. Default: an HTTP proxy without TLS and without credentials.
    /// - Returns: The listening proxy. The caller must stop it.
    /// - Throws: The system's error if no address can be bound, or NIOSSL's error if a certificate is malformed.
    public static func start(_ options: Options = Options()) async throws -> TestProxy {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let state = ServerState(recordLimit: 0)
            let log = ProxyLog()
            let context = try options.tls?.makeContext()
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    let number = state.accepted(channel)
                    channel.closeFuture.whenComplete { _ in state.closed(channel) }
                    return channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                        try pipeline.addHandler(ProxyHandler(options, connection: number, log: log))
                    }
                }
            let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).awaited
            return TestProxy(group, listener, state, log, options)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Starts a proxy, passes it to a closure and stops it, even if the closure throws.
    ///
    /// - Parameters:
    ///   - options: The behavior. Default: an HTTP proxy without TLS and without credentials.
    ///   - body: The closure to run with the proxy.
    /// - Returns: The result of the closure.
    /// - Throws: The error of ``start(_:)`` or of the closure.
    public static func with<Result>(
        _ options: Options = Options(),
        _ body: (TestProxy) async throws -> Result
    ) async throws -> Result {
        let proxy = try await start(options)
        do {
            let result = try await body(proxy)
            await proxy.stop()
            return result
        } catch {
            await proxy.stop()
            throw error
        }
    }

    /// The requests in the order of arrival.
    public var requests: [Request] { log.requests }

    /// The number of connections accepted so far.
    public var acceptedConnections: Int { state.counts.accepted }

    /// Closes all connections, releases the port and ends the thread. Further calls have no effect.
    public func stop() async {
        await state.stop(listener, group)
    }
}

/// The requests of a proxy, readable on any thread.
final class ProxyLog: Sendable {
    private let stored = Lock<[TestProxy.Request]>([])

    var requests: [TestProxy.Request] { stored.withLock { $0 } }

    func add(_ request: TestProxy.Request) {
        stored.withLock { $0.append(request) }
    }
}

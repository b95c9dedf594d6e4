internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// An HTTP/1.1 origin server on the loopback interface, in the process of the test.
///
/// It runs scripts, serves endpoints, or responds with a closure, and records all requests. It has its own thread, so
/// that it is independent of the event loops of the client. With the behavior `http2`, it speaks HTTP/2 instead.
///
/// For example:
///
///     let server = try await TestServer.start()
///     let url = server.url("/get")
///     // … ask for it …
///     await server.stop()
public final class TestServer: Sendable {
    /// The server's behavior on its connections.
    public enum Behavior: Sendable {
        /// Serves the endpoints, such as `/get`, `/delay/0.5`, `/status/404`, `/redirect/3` and `/bytes/1000000`.
        case endpoints
        /// Runs the script on every connection.
        case script(Script)
        /// Runs the nth script on the nth connection, and the last one on all further connections.
        case scripts([Script])
        /// Responds to each request with a closure, after its body was read.
        ///
        /// The closure's task is cancelled when the connection closes.
        case handler(@Sendable (TestRequest) async -> TestResponse)
        /// Responds to each request over HTTP/2 with 200 and the number of its stream as text, such as `stream 1`.
        ///
        /// The closure returns the delay of the response on a stream. It is called on the event loop. Requests are
        /// counted and not recorded. A connection with more than 1,000 of them, or with a head that is longer than a
        /// frame, is closed. Over TLS, ``TestTLS/applicationProtocols`` must be `["h2"]`. Over TCP, the client needs
        /// prior knowledge.
        case http2(delay: @Sendable (_ stream: Int) -> Duration)
    }

    /// The port that the server listens on.
    public let port: Int
    /// The scheme and authority of the server: `http://127.0.0.1:1234` or `https://localhost:1234`.
    public let origin: String

    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let door: LoopGate
    private let state: ServerState

    private init(
        group: MultiThreadedEventLoopGroup,
        listener: any Channel,
        origin: String,
        door: LoopGate,
        state: ServerState
    ) {
        self.group = group
        self.listener = listener
        self.door = door
        self.state = state
        port = listener.localAddress?.port ?? 0
        self.origin = "\(origin):\(port)"
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - host: The address to bind. Default: 127.0.0.1.
    ///   - port: The port to bind, or 0 for a free one. Default: 0.
    ///   - unixSocket: The path of a Unix socket to bind in place of an address, or nil. Its file is not removed.
    ///     Default: nil.
    ///   - tls: The TLS settings, or nil for plain text. Default: nil.
    ///   - behavior: The server's behavior on its connections. Default: the endpoints.
    ///   - recordLimit: The maximum number of stored requests. Further ones are only counted. Default: 100,000.
    ///   - receiveBufferBytes: The size of a connection's receive buffer, or nil for the kernel's choice. Default: nil.
    ///     A small buffer fills up soon after a script stops reading.
    /// - Returns: The listening server. The caller must stop it.
    /// - Throws: The system's error if the address can't be bound, or NIOSSL's error if a certificate is malformed.
    public static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        unixSocket: String? = nil,
        tls: TestTLS? = nil,
        behavior: Behavior = .endpoints,
        recordLimit: Int = 100_000,
        receiveBufferBytes: Int? = nil
    ) async throws -> TestServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let door = LoopGate(group.next())
            let state = ServerState(recordLimit: recordLimit)
            let connections = ConnectionMaker(
                behavior: behavior,
                tls: tls,
                sslContext: try tls?.makeContext(),
                door: door,
                state: state
            )
            var bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.maxMessagesPerRead, value: 4)
                .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
                .childChannelInitializer { channel in connections.set(up: channel) }
            if let receiveBufferBytes {
                // Set on the listener, since the window is fixed before a connection is accepted.
                bootstrap = bootstrap.serverChannelOption(
                    .socketOption(.so_rcvbuf),
                    value: .init(clamping: receiveBufferBytes)
                )
            }
            let binding =
                if let unixSocket { bootstrap.bind(unixDomainSocketPath: unixSocket) } else {
                    bootstrap.bind(host: host, port: port)
                }
            let listener = try await binding.awaited
            let name = host.contains(":") ? "[\(host)]" : host
            let origin = tls == nil ? "http://\(name)" : "https://localhost"
            return TestServer(group: group, listener: listener, origin: origin, door: door, state: state)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Starts a server, passes it to a closure and stops it, even if the closure throws.
    ///
    /// - Parameters:
    ///   - tls: The TLS settings, or nil for plain text. Default: nil.
    ///   - behavior: The server's behavior on its connections. Default: the endpoints.
    ///   - body: The closure to run with the server.
    /// - Returns: The result of the closure.
    /// - Throws: The error of ``start(host:port:unixSocket:tls:behavior:recordLimit:receiveBufferBytes:)`` or of the
    ///   closure.
    public static func with<Result>(
        tls: TestTLS? = nil,
        behavior: Behavior = .endpoints,
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(tls: tls, behavior: behavior)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Returns the URL of a path on this server.
    ///
    /// - Parameter path: The percent-encoded path with its leading slash, and an optional query.
    /// - Returns: The absolute URL.
    public func url(_ path: String) -> String {
        origin + path
    }

    /// The number of connections accepted so far.
    public var acceptedConnections: Int { state.counts.accepted }

    /// The number of open connections.
    public var openConnections: Int { state.counts.open }

    /// The number of requests read so far.
    public var requestCount: Int { state.counts.requests }

    /// The requests in the order of arrival, up to the record limit.
    ///
    /// A script's request is added after its head was read. Others are added after the body was read or was cut short.
    public var requests: [TestRequest] { state.requests }

    /// Removes the recorded requests and resets their count to zero.
    public func forgetRequests() {
        state.forgetRequests()
    }

    /// Waits until exactly this number of connections is open.
    ///
    /// Connections that the server has not accepted yet do not count.
    ///
    /// ## Cancellation
    /// Returns early when the task is cancelled or the server stops.
    public func waitForOpenConnections(_ count: Int) async {
        await state.wait { $0.open == count }
    }

    /// Waits until at least this number of connections was accepted.
    ///
    /// ## Cancellation
    /// Returns early when the task is cancelled or the server stops.
    public func waitForAcceptedConnections(atLeast count: Int) async {
        await state.wait { $0.accepted >= count }
    }

    /// Waits until at least this number of requests was read.
    ///
    /// ## Cancellation
    /// Returns early when the task is cancelled or the server stops.
    public func waitForRequests(atLeast count: Int) async {
        await state.wait { $0.requests >= count }
    }

    /// Closes all connections abruptly, and continues to listen.
    public func closeConnections() async {
        let channels = state.channels
        for channel in channels { channel.eventLoop.execute { channel.closeAbruptly() } }
        for channel in channels { try? await channel.closeFuture.awaited }
    }

    /// Closes all connections, releases the port and ends the thread. Further calls have no effect.
    public func stop() async {
        guard state.beginStop() else { return }
        try? await listener.close().awaited
        await closeConnections()
        door.shut()
        try? await group.shutdownGracefully()
        state.endStop()
    }

    /// Returns the bytes that `/bytes/n` and `/download/n` send: each byte is its offset modulo 251.
    ///
    /// - Parameters:
    ///   - offset: The offset of the first byte. Default: 0.
    ///   - count: The number of bytes.
    /// - Returns: The bytes.
    public static func pattern(offset: Int = 0, count: Int) -> [UInt8] {
        let period = (0..<ResponseBodySource.period).map { UInt8((offset + $0) % ResponseBodySource.period) }
        var pattern: [UInt8] = []
        pattern.reserveCapacity(count)
        while pattern.count + period.count <= count { pattern += period }
        return pattern + period.prefix(count - pattern.count)
    }
}

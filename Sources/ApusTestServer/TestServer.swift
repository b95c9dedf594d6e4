internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// An HTTP/1.1 origin on loopback, in the process of the test.
///
/// It plays scripts of bytes and times, serves endpoints, or answers by a closure, and remembers what it was asked. It
/// brings one thread of its own, so that what a client does to its own loops is not shared.
///
/// For example:
///
///     let server = try await TestServer.start()
///     let url = server.url("/get")
///     // … ask for it …
///     await server.stop()
public final class TestServer: Sendable {
    /// What the server does with its connections.
    public enum Behaviour: Sendable {
        /// Serves the endpoints, such as `/get`, `/delay/0.5`, `/status/404`, `/redirect/3` and `/bytes/1000000`.
        case endpoints
        /// Plays the script on every connection.
        case script(Script)
        /// Plays the nth script on the nth connection, the last one on all further.
        case scripts([Script])
        /// Answers each request, its body read, by a closure.
        ///
        /// The closure's task is cancelled when the connection closes.
        case handler(@Sendable (TestRequest) async -> TestResponse)
    }

    /// The port that the server listens on.
    public let port: Int
    /// The scheme and authority to reach the server with: `http://127.0.0.1:1234` or `https://localhost:1234`.
    public let origin: String

    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let door: LoopDoor
    private let state: ServerState

    private init(
        group: MultiThreadedEventLoopGroup,
        listener: any Channel,
        origin: String,
        door: LoopDoor,
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
    ///   - host: The address to bind, 127.0.0.1 by default.
    ///   - port: The port to bind; 0, the default, takes a free one.
    ///   - tls: How TLS is played; nil, the default, serves plain text.
    ///   - behaviour: What the server does with its connections, the endpoints by default.
    ///   - recordLimit: The number of requests that are kept, 100,000 by default; further ones are only counted.
    ///   - receiveBufferBytes: The size of a connection's receive buffer; nil, the default, lets the kernel choose.
    ///     A small one is soon full when a script stops reading.
    /// - Returns: the listening server, which must be stopped.
    /// - Throws: what the system throws when the address cannot be bound, and NIOSSL when a certificate is malformed.
    public static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        tls: TestTLS? = nil,
        behaviour: Behaviour = .endpoints,
        recordLimit: Int = 100_000,
        receiveBufferBytes: Int? = nil
    ) async throws -> TestServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let door = LoopDoor(group.next())
            let state = ServerState(recordLimit: recordLimit)
            let connections = ConnectionMaker(
                behaviour: behaviour,
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
                // On the listener, because the window is settled before a connection can be told.
                bootstrap = bootstrap.serverChannelOption(
                    .socketOption(.so_rcvbuf),
                    value: .init(clamping: receiveBufferBytes)
                )
            }
            let listener = try await bootstrap.bind(host: host, port: port).awaited
            let name = host.contains(":") ? "[\(host)]" : host
            let origin = tls == nil ? "http://\(name)" : "https://localhost"
            return TestServer(group: group, listener: listener, origin: origin, door: door, state: state)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Starts a server, lends it to a closure and stops it, whatever the closure does.
    ///
    /// - Parameters:
    ///   - tls: How TLS is played; nil, the default, serves plain text.
    ///   - behaviour: What the server does with its connections, the endpoints by default.
    ///   - body: What to do with the running server.
    /// - Returns: what the closure returns.
    /// - Throws: what ``start(host:port:tls:behaviour:recordLimit:receiveBufferBytes:)`` or the closure throws.
    public static func with<Result>(
        tls: TestTLS? = nil,
        behaviour: Behaviour = .endpoints,
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(tls: tls, behaviour: behaviour)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// The URL of a path on this server.
    ///
    /// - Parameter path: The path with its slash, and a query if one is wanted, encoded already.
    /// - Returns: the absolute URL.
    public func url(_ path: String) -> String {
        origin + path
    }

    /// The number of connections that were accepted.
    public var acceptedConnections: Int { state.counts.accepted }

    /// The number of connections that are open.
    public var openConnections: Int { state.counts.open }

    /// The number of requests that were read.
    public var requestCount: Int { state.counts.requests }

    /// The requests in the order of their arrival, up to the limit.
    ///
    /// A script's request is here once its head was read, all others once their body was, or broke off.
    public var requests: [TestRequest] { state.requests }

    /// Forgets the requests and sets their count to zero.
    public func forgetRequests() {
        state.forgetRequests()
    }

    /// Waits until so many connections are open.
    ///
    /// A connection that waits in the kernel to be accepted does not count yet.
    ///
    /// ## Cancellation
    /// Returns when the task is cancelled or the server stopped, whatever the count.
    public func waitForOpenConnections(_ count: Int) async {
        await state.wait { $0.open == count }
    }

    /// Waits until at least so many connections were accepted.
    ///
    /// ## Cancellation
    /// Returns when the task is cancelled or the server stopped, whatever the count.
    public func waitForAcceptedConnections(atLeast count: Int) async {
        await state.wait { $0.accepted >= count }
    }

    /// Waits until at least so many requests were read.
    ///
    /// ## Cancellation
    /// Returns when the task is cancelled or the server stopped, whatever the count.
    public func waitForRequests(atLeast count: Int) async {
        await state.wait { $0.requests >= count }
    }

    /// Closes all connections at once and abruptly, and listens on.
    public func closeConnections() async {
        let channels = state.channels
        for channel in channels { channel.eventLoop.execute { channel.closeAbruptly() } }
        for channel in channels { try? await channel.closeFuture.awaited }
    }

    /// Closes all connections, frees the port and ends the thread; stopping again does nothing.
    public func stop() async {
        guard state.beginStop() else { return }
        try? await listener.close().awaited
        await closeConnections()
        door.shut()
        try? await group.shutdownGracefully()
        state.endStop()
    }

    /// The bytes that `/bytes/n` and `/download/n` send: the byte at an offset is the offset modulo 251.
    ///
    /// - Parameters:
    ///   - offset: Where to begin, 0 by default.
    ///   - count: The number of bytes.
    /// - Returns: the bytes.
    public static func pattern(offset: Int = 0, count: Int) -> [UInt8] {
        let period = (0..<BodySource.period).map { UInt8((offset + $0) % BodySource.period) }
        var pattern: [UInt8] = []
        pattern.reserveCapacity(count)
        while pattern.count + period.count <= count { pattern += period }
        return pattern + period.prefix(count - pattern.count)
    }
}

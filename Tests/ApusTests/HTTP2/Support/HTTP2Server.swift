import ApusCore
import ApusTestServer
import NIOCore
import NIOPosix
import NIOSSL
import Testing

/// A strict HTTP/2 server on the loopback interface, in the process of the test, whose responses are closures.
///
/// It reads the frames of the client by code of its own, respects the windows of the client, records each rule that the
/// client breaks, and closes the connection then. It sends its SETTINGS after the first bytes of the client, since a
/// client that begins with HTTP/1.1 gets HTTP/1.1 responses. It has its own thread.
final class HTTP2Server: Sendable {
    /// Responds to one request. Its task is cancelled when the client resets the stream or when the connection closes.
    typealias Responder = @Sendable (HTTP2ServerStream) async -> Void

    /// The behavior of all connections.
    struct Options: Sendable {
        /// The first SETTINGS. Default: none.
        var settings: [HTTP2ServerSetting] = []
        /// Whether the bytes of a request open both windows again. Default: `true`.
        var opensWindows = true
        /// Whether a PING is answered. Default: `true`.
        var answersPings = true
        /// The protocols that are chosen with ALPN over TLS. Default: both.
        var offeredProtocols = ["h2", "http/1.1"]
        /// Whether the log keeps requests, frames, streams and closed connections. Otherwise only the open connections
        /// and the counts are known, so that memory does not grow with the number of requests. Default: `true`.
        var keepsLog = true
        /// Whether the window of a request's stream opens only by calls of the responder. Default: for no request.
        var holdsWindow: @Sendable (HTTP2ServerRequest) -> Bool = { _ in false }
    }

    /// The state that the connections share with the test.
    struct Log: Sendable {
        var acceptedCount = 0
        var openCount = 0
        /// The number of responders that have not returned.
        var responderCount = 0
        /// The number of requests that were refused because the client did not know the limit yet.
        var refusedCount = 0
        var requests: [HTTP2ServerRequest] = []
        var frames: [ClientFrame] = []
        var faults: [String] = []
        var connections: [HTTP2ServerConnection] = []
        var streams: [HTTP2ServerStream] = []
    }

    /// Responds with `hi` after the whole request.
    static let ok: Responder = { stream in
        _ = await stream.body()
        await stream.respond()
    }

    /// Responds with the body of the request.
    static let echo: Responder = { stream in
        let body = await stream.body()
        await stream.respond(bytes: body)
    }

    /// The host and the port, as requests to this server have them in `:authority`.
    let authority: String

    private let scheme: String
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let door: ServerDoor
    private let log: Watched<Log>

    private init(
        _ group: MultiThreadedEventLoopGroup,
        _ listener: any Channel,
        isSecure: Bool,
        _ door: ServerDoor,
        _ log: Watched<Log>
    ) {
        self.group = group
        self.listener = listener
        self.door = door
        self.log = log
        scheme = isSecure ? "https" : "http"
        authority = "\(isSecure ? "localhost" : "127.0.0.1"):\(listener.localAddress?.port ?? 0)"
    }

    /// Starts a server, which the caller must stop.
    ///
    /// - Parameters:
    ///   - tls: The certificate, or `nil` for plain text. Its protocols are replaced by those of the options.
    ///   - options: The behavior of all connections.
    ///   - responder: Responds to each request.
    /// - Returns: The listening server.
    /// - Throws: The error of the system or of NIOSSL.
    static func start(tls: TestTLS?, options: Options, responder: @escaping Responder) async throws -> HTTP2Server {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let door = ServerDoor(group.next())
            let log = Watched(Log())
            let security = try tls?.makeServerContext(choosing: options.offeredProtocols)
            let listener = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try HTTP2Server.setUp(channel, security, door, log, options, responder)
                    }
                }
                .bind(host: "127.0.0.1", port: 0)
                .awaited
            return HTTP2Server(group, listener, isSecure: tls != nil, door, log)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func setUp(
        _ channel: any Channel,
        _ security: NIOSSLContext?,
        _ door: ServerDoor,
        _ log: Watched<Log>,
        _ options: Options,
        _ responder: @escaping Responder
    ) throws {
        let number = log.change { log -> Int in
            log.acceptedCount += 1
            log.openCount += 1
            return log.acceptedCount
        }
        let handler = HTTP2ServerHandler(number: number, options: options, log: log, responder: responder)
        let connection = HTTP2ServerConnection(number: number, channel: channel, handler: handler, door: door)
        handler.connection = connection
        log.change { $0.connections.append(connection) }
        let keepsLog = options.keepsLog
        channel.closeFuture.whenComplete { _ in
            log.change { log in
                log.openCount -= 1
                if !keepsLog { log.connections.removeAll { $0 === connection } }
            }
        }
        let pipeline = channel.pipeline.syncOperations
        if let security { try pipeline.addHandler(NIOSSLServerHandler(context: security)) }
        try pipeline.addHandler(handler)
    }

    /// Closes all connections, waits for the responders, releases the port and ends the thread.
    func stop() async {
        try? await listener.close().awaited
        for connection in log.value.connections { await connection.close() }
        await log.wait { $0.responderCount == 0 }
        door.shut()
        try? await group.shutdownGracefully()
        // The connections hold the log.
        log.change { log in
            log.connections = []
            log.streams = []
        }
    }

    // MARK: State

    /// Returns the URL of a path, which begins with a slash.
    func url(_ path: String) -> String { "\(scheme)://\(authority)\(path)" }

    /// The number of connections that were accepted so far.
    var acceptedConnections: Int { log.value.acceptedCount }

    /// The number of requests that were refused because the client did not know the limit yet.
    var refusedCount: Int { log.value.refusedCount }

    /// The requests in the order of arrival, without refused ones.
    var requests: [HTTP2ServerRequest] { log.value.requests }

    /// The frames in the order of arrival, those of DATA without their bytes.
    var frames: [ClientFrame] { log.value.frames }

    /// The rules that the client has broken.
    var faults: [String] { log.value.faults }

    /// The connections in the order of acceptance.
    var connections: [HTTP2ServerConnection] { log.value.connections }

    // MARK: Waiting

    /// Waits until the log meets a condition, which must only look at the log.
    func wait(until isMet: @escaping @Sendable (Log) -> Bool) async {
        await log.wait(until: isMet)
    }

    /// Waits until at least this number of requests has arrived.
    func waitForRequests(atLeast count: Int) async {
        await log.wait { $0.requests.count >= count }
    }

    /// Waits until exactly this number of connections is open.
    func waitForOpenConnections(_ count: Int) async {
        await log.wait { $0.openCount == count }
    }

    /// Waits for a frame of the client.
    func waitForFrame(where isWanted: @escaping @Sendable (ClientFrame) -> Bool) async {
        await log.wait { $0.frames.contains(where: isWanted) }
    }

    /// Waits for a request for a path, and returns the first one.
    func stream(for path: String) async throws -> HTTP2ServerStream {
        await log.wait { log in log.streams.contains { $0.request.path == path } }
        let found = log.value.streams.first { $0.request.path == path }
        return try #require(found)
    }
}

internal import ApusCore
internal import NIOCore
internal import NIOPosix

/// A relay on the loopback interface, in the process of the test, that cuts its connections.
///
/// It passes the bytes of a connection on to a server, and those of the server back. After some of them, it closes both
/// sides. It knows no protocol, so it also cuts TLS. It has its own thread.
///
/// For example, a first connection that ends after 1,000 bytes of the server:
///
///     let relay = try await CuttingRelay.start(to: server.port) { number in
///         number == 1 ? CuttingRelay.Cut(after: 1000) : nil
///     }
///     // … ask for http://127.0.0.1:\(relay.port)/ …
///     await relay.stop()
package final class CuttingRelay: Sendable {
    /// The direction in which the bytes are counted.
    package enum Direction: Sendable {
        case toServer
        case toClient
    }

    /// The end of a connection.
    package struct Cut: Sendable {
        /// The number of bytes that are passed on before it.
        package let byteCount: Int
        /// Whether the relay waits for the first bytes of the server. Until then, it reads no further ones of the
        /// client.
        package let waitsForAnswer: Bool
        /// Whether the client gets a RST, and may lose bytes that it has not read. If not, it gets all of them.
        package let resets: Bool

        package init(after byteCount: Int, waitsForAnswer: Bool = false, resets: Bool = false) {
            self.byteCount = byteCount
            self.waitsForAnswer = waitsForAnswer
            self.resets = resets
        }
    }

    /// The port that the relay listens on.
    package let port: Int

    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let state: ServerState
    private let totals: RelayTotals

    private init(
        _ group: MultiThreadedEventLoopGroup,
        _ listener: any Channel,
        _ state: ServerState,
        _ totals: RelayTotals
    ) {
        self.group = group
        self.listener = listener
        self.state = state
        self.totals = totals
        port = listener.localAddress?.port ?? 0
    }

    /// Starts a relay.
    ///
    /// - Parameters:
    ///   - port: The port of the server on 127.0.0.1.
    ///   - direction: The direction in which the bytes are counted. Default: to the client.
    ///   - cut: Returns the end of a connection, by its number from 1, or nil for a connection that is not cut. Called
    ///     on the event loop. Default: no connection is cut.
    /// - Returns: The listening relay. The caller must stop it.
    /// - Throws: The system's error if no address can be bound.
    package static func start(
        to port: Int,
        counting direction: Direction = .toClient,
        cut: @escaping @Sendable (_ connection: Int) -> Cut? = { _ in nil }
    ) async throws -> CuttingRelay {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let state = ServerState(recordLimit: 0)
            let totals = RelayTotals()
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelInitializer { client in
                    let number = state.accepted(client)
                    client.closeFuture.whenComplete { _ in state.closed(client) }
                    let link = RelayLink(counting: direction, cut: cut(number), totals: totals)
                    return connect(client, to: port, link)
                }
            let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).awaited
            return CuttingRelay(group, listener, state, totals)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Connects to the server, on the event loop of the client's connection.
    private static func connect(_ client: any Channel, to port: Int, _ link: RelayLink) -> EventLoopFuture<Void> {
        let (near, far) = CuttingHandler.ends(of: link)
        let loop = client.eventLoop
        do {
            try client.pipeline.syncOperations.addHandler(near)
        } catch {
            return loop.makeFailedFuture(error)
        }
        let bound = NIOLoopBound(far, eventLoop: loop)
        return ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { server in
                server.eventLoop.makeCompletedFuture {
                    try server.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .map { _ in () }
    }

    /// Starts a relay, passes it to a closure and stops it, even if the closure throws. ``start(to:counting:cut:)``
    /// describes the other parameters.
    package static func with<Result>(
        to port: Int,
        counting direction: Direction = .toClient,
        cut: @escaping @Sendable (_ connection: Int) -> Cut? = { _ in nil },
        _ body: (CuttingRelay) async throws -> Result
    ) async throws -> Result {
        let relay = try await start(to: port, counting: direction, cut: cut)
        do {
            let result = try await body(relay)
            await relay.stop()
            return result
        } catch {
            await relay.stop()
            throw error
        }
    }

    /// The number of connections accepted so far.
    package var acceptedConnections: Int { state.counts.accepted }

    /// The number of connections that were cut so far.
    package var cutCount: Int { totals.values.cutCount }

    /// The number of bytes that were passed on so far in the counted direction.
    package var byteCount: Int { totals.values.byteCount }

    /// Closes all connections, releases the port and ends the thread. Further calls have no effect.
    package func stop() async {
        await state.stop(listener, group)
    }
}

/// The sums of all connections of a relay, readable on any thread.
final class RelayTotals: Sendable {
    struct Values: Sendable {
        var byteCount = 0
        var cutCount = 0
    }

    private let stored = Lock(Values())

    var values: Values { stored.withLock { $0 } }

    func count(_ byteCount: Int) {
        stored.withLock { $0.byteCount += byteCount }
    }

    func countCut() {
        stored.withLock { $0.cutCount += 1 }
    }
}

internal import ApusCore
internal import NIOCore
internal import NIOEmbedded
internal import Testing

@testable internal import ApusEngine

/// One exchange and one connection on a loop whose time the test moves.
///
/// All of it stays on the thread that it was made on.
final class ExchangeStage {
    let home: LoopEngine
    let exchange: Exchange
    let peer: ExchangePeer
    private let loop: EmbeddedEventLoop
    private let connection: HTTP1Connection
    private let channel: EmbeddedChannel

    init(
        _ message: RequestMessage,
        _ configuration: SessionConfiguration,
        _ head: UnsafeContinuation<ResponseMessage, any Error>
    ) {
        let loop = EmbeddedEventLoop()
        // A loop's time does not begin with the first exchange.
        loop.advanceTime(by: .seconds(5))
        let bound = BoundLoop(loop: loop)
        let shared = EngineShared(
            configuration: configuration,
            counters: LiveCounters(),
            resolver: SilentResolver(),
            homes: [bound]
        )
        let home = LoopEngine(loop: loop, shared: shared, bound: bound)
        let record = ExchangeRecord(method: message.method, target: message.target, cause: .first, begin: home.now)
        let order = Exchange.Order(request: message, record: record, timeouts: configuration.timeouts)
        let connection = HTTP1Connection(id: 1, home: home, timings: ConnectTimings())
        let peer = ExchangePeer()
        shared.counters.add(to: .exchanges)
        self.loop = loop
        self.home = home
        self.peer = peer
        self.connection = connection
        self.exchange = Exchange(order, home: home, continuation: head)
        self.channel = EmbeddedChannel(handlers: [peer, connection], loop: loop)
        if let address = try? SocketAddress(ipAddress: "127.0.0.1", port: 80) {
            channel.connect(to: address, promise: nil)
        }
    }

    var isConnected: Bool { channel.isActive }

    /// The request goes out on the connection.
    func send() { connection.begin(exchange, isReused: false) }

    func pass(_ time: Duration) { loop.advanceTime(by: .nanoseconds(time.wholeNanoseconds)) }

    func receive(_ bytes: String) throws { try channel.writeInbound(ByteBuffer(string: bytes)) }

    /// The loop wants to read on, as it does after each read.
    func read() { channel.read() }

    /// The peer takes what was written, which makes room for one more piece.
    func takeAPiece() {
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
    }

    /// How many bytes behind the head were written since the last call.
    func sentContent() throws -> Int {
        var byteCount = 0
        while let piece = try channel.readOutbound(as: ByteBuffer.self) {
            if !String(buffer: piece).hasSuffix("\r\n\r\n") { byteCount += piece.readableBytes }
        }
        return byteCount
    }

    /// Makes sure that the exchange ends by `code` after so much time from now on, and not a nanosecond before.
    func expectEnd(
        after limit: Duration,
        by code: ApusError.Code,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let end = home.now.advanced(by: limit)
        pass(limit - .nanoseconds(1))
        #expect(!exchange.isOver, sourceLocation: sourceLocation)
        pass(.nanoseconds(1))
        #expect(exchange.isOver, sourceLocation: sourceLocation)
        #expect(exchange.record.metrics.error?.code == code, sourceLocation: sourceLocation)
        #expect(exchange.record.metrics.end == end, sourceLocation: sourceLocation)
    }

    /// Ends what has not ended, and makes sure that no timer is left.
    func clear() {
        exchange.cancel()
        home.shutDown(gracefully: false)
        connection.close()
        #expect(home.shared.counters.count(of: .timers) == 0)
        #expect(home.shared.counters.count(of: .exchanges) == 0)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

/// A peer that, where it is reluctant, has room for one piece at a time.
final class ExchangePeer: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var isReluctant = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        context.write(data, promise: promise)
        if isReluctant { (context.channel as? EmbeddedChannel)?.isWritable = false }
    }
}

/// A name server that never says anything.
private struct SilentResolver: HostResolver {
    func resolve(_ host: String, completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void) {}
}

internal import ApusCore
internal import Dispatch
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
    let switchboard = Switchboard()
    private let loop: EmbeddedEventLoop
    private let connection: HTTP1Connection
    private let channel: EmbeddedChannel

    init(
        _ message: RequestMessage,
        _ configuration: SessionConfiguration,
        _ addresses: [HostAddress],
        _ head: UnsafeContinuation<ResponseMessage, any Error>
    ) {
        let loop = EmbeddedEventLoop()
        // A loop's time does not begin with the first exchange.
        loop.advanceTime(by: .seconds(5))
        let bound = BoundLoop(loop: loop)
        let shared = EngineShared(
            configuration: configuration,
            counters: LiveCounters(),
            resolver: FixedResolver(addresses: addresses),
            dialer: switchboard.dialer,
            homes: [bound]
        )
        let home = LoopEngine(loop: loop, shared: shared, bound: bound)
        let record = ExchangeRecord(method: message.method, target: message.target, cause: .first, begin: home.now)
        let order = Exchange.Order(request: message, record: record, timeouts: configuration.timeouts)
        let connection = HTTP1Connection(id: 1, home: home, timings: ConnectTimings())
        let peer = ExchangePeer()
        shared.counters.add(to: .exchanges)
        if message.target.origin.scheme == .https { Self.prepare(configuration.trust, in: shared.tlsContexts) }
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

    /// Plays a scene with one exchange from its beginning to its end, all of it on this thread.
    ///
    /// - Returns: What those who wait for the head are told; `nil` where it came.
    @discardableResult
    static func play(
        _ message: RequestMessage,
        at addresses: [HostAddress] = [],
        configuring configure: (inout SessionConfiguration) -> Void = { _ in },
        _ scene: (ExchangeStage) throws -> Void
    ) async -> ApusError.Code? {
        var configuration = SessionConfiguration()
        configure(&configuration)
        do {
            _ = try await withUnsafeThrowingContinuation { (head: UnsafeContinuation<ResponseMessage, any Error>) in
                let stage = ExchangeStage(message, configuration, addresses, head)
                do { try scene(stage) } catch { Issue.record(error) }
                stage.clear()
            }
            return nil
        } catch {
            return (error as? ApusError)?.code
        }
    }

    /// Makes what TLS needs beforehand, since it is made on a thread that this loop knows nothing of.
    private static func prepare(_ trust: Trust, in contexts: TLSContexts) {
        let isReady = DispatchSemaphore(value: 0)
        contexts.context(for: trust) { _ in isReady.signal() }
        isReady.wait()
    }

    var isConnected: Bool { channel.isActive }

    /// The request goes out on a connection that the engine opens.
    func serve() {
        home.serve(exchange)
        pass(.zero)
    }

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
        switchboard.clear()
        #expect(home.shared.counters.count(of: .timers) == 0)
        #expect(home.shared.counters.count(of: .connections) == 0)
        #expect(home.shared.counters.count(of: .exchanges) == 0)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

/// A peer that, where it is reluctant, has room for one piece at a time.
final class ExchangePeer: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var isReluctant = false
    /// Whether the kernel has room for what is written, but has not taken it when the write returns.
    var isFull = false
    private var promises: [EventLoopPromise<Void>] = []

    /// The kernel takes all that was written.
    func takeAll() {
        for promise in promises { promise.succeed() }
        promises = []
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isFull, let promise { promises.append(promise) }
        context.write(data, promise: isFull ? nil : promise)
        if isReluctant { (context.channel as? EmbeddedChannel)?.isWritable = false }
    }
}

/// A name server that knows the same addresses for all names, and never says anything where it knows none.
private struct FixedResolver: HostResolver {
    let addresses: [HostAddress]

    func resolve(_ host: String, completion: @escaping @Sendable (Result<[HostAddress], ApusError>) -> Void) {
        if !addresses.isEmpty { completion(.success(addresses)) }
    }
}

/// Takes the engine's calls: none is connected before the test says so. All on the thread that it was made on.
final class Switchboard: @unchecked Sendable {
    struct Call {
        let address: String
        fileprivate let channel: EmbeddedChannel
        fileprivate let promise: EventLoopPromise<any Channel>
        fileprivate let end = CallEnd()

        /// The peer takes the call.
        func answer() throws {
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
            promise.succeed(channel)
        }

        var isConnected: Bool { channel.isActive }

        /// Whether it was closed, connected or not.
        var isClosed: Bool { end.hasCome }

        /// The peer ends the call.
        func hangUp() { channel.close(promise: nil) }

        func receive(_ bytes: String) throws { try channel.writeInbound(ByteBuffer(string: bytes)) }

        /// What has left since the last time that somebody asked.
        func sent() throws -> String {
            var sent = ""
            while let piece = try channel.readOutbound(as: ByteBuffer.self) { sent += String(buffer: piece) }
            return sent
        }
    }

    private(set) var calls: [Call] = []

    var dialer: Dialer {
        Dialer { [unowned self] address, loop, begun in
            let promise = loop.makePromise(of: (any Channel).self)
            guard let loop = loop as? EmbeddedEventLoop else {
                promise.fail(ChannelError.operationUnsupported)
                return promise.futureResult
            }
            let channel = EmbeddedChannel(loop: loop)
            begun(channel)
            let call = Call(address: address.spoken, channel: channel, promise: promise)
            channel.closeFuture.assumeIsolated().whenComplete { [end = call.end] _ in end.hasCome = true }
            calls.append(call)
            return promise.futureResult
        }
    }

    /// Ends what nobody has ended.
    func clear() {
        for call in calls {
            call.promise.fail(ChannelError.eof)
            _ = try? call.channel.finish(acceptAlreadyClosed: true)
        }
        calls = []
    }
}

/// Whether a call has ended.
private final class CallEnd {
    var hasCome = false
}

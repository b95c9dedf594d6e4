internal import ApusCore
internal import Dispatch
internal import NIOCore
internal import NIOEmbedded
internal import Testing

@testable internal import ApusEngine

/// Runs one exchange and one connection on an event loop whose time the test controls.
///
/// Everything stays on the thread that created it.
final class ExchangeStage {
    let engine: EventLoopEngine
    let exchange: Exchange
    let peer: ExchangePeer
    let network = FakeNetwork()
    /// The suspensions of the request. A body in several writes follows it.
    let hold = ContentHold()
    private let loop: EmbeddedEventLoop
    private let connection: HTTP1Connection
    private let channel: EmbeddedChannel

    init(
        _ message: RequestMessage,
        _ configuration: SessionConfiguration,
        _ addresses: [IPAddress],
        _ head: UnsafeContinuation<ResponseMessage, any Error>
    ) {
        let loop = EmbeddedEventLoop()
        // The loop's time does not start with the first exchange.
        loop.advanceTime(by: .seconds(5))
        let bound = EngineLoop(loop: loop)
        let shared = EngineContext(
            configuration: configuration,
            counters: LiveCounters(),
            resolver: FixedResolver(addresses: addresses),
            dialer: network.dialer,
            engineLoops: [bound]
        )
        let engine = EventLoopEngine(loop: loop, shared: shared, bound: bound)
        let record = ExchangeRecord(method: message.method, target: message.target, cause: .first, begin: engine.now)
        let input = Exchange.Input(
            request: message,
            record: record,
            timeouts: configuration.timeouts,
            hold: RequestUpload.mayWait(message.body, message.fields) ? hold : nil
        )
        let connection = HTTP1Connection(id: 1, engine: engine, timings: ConnectTimings())
        let peer = ExchangePeer()
        shared.counters.add(to: .exchanges)
        if message.target.origin.scheme == .https { Self.prepare(configuration.trust, in: shared.tlsContexts) }
        self.loop = loop
        self.engine = engine
        self.peer = peer
        self.connection = connection
        self.exchange = Exchange(input, engine: engine, continuation: head)
        self.channel = EmbeddedChannel(handlers: [peer, connection], loop: loop)
        if let address = try? SocketAddress(ipAddress: "127.0.0.1", port: 80) {
            channel.connect(to: address, promise: nil)
        }
    }

    /// Runs a test with one exchange from beginning to end, all on this thread.
    ///
    /// - Returns: The code of the error that the exchange's caller received, or `nil` if it received a head.
    @discardableResult
    static func run(
        _ message: RequestMessage,
        at addresses: [IPAddress] = [],
        configuring configure: (inout SessionConfiguration) -> Void = { _ in },
        _ body: (ExchangeStage) throws -> Void
    ) async -> ApusError.Code? {
        var configuration = SessionConfiguration()
        configure(&configuration)
        do {
            _ = try await withUnsafeThrowingContinuation { (head: UnsafeContinuation<ResponseMessage, any Error>) in
                let stage = ExchangeStage(message, configuration, addresses, head)
                do { try body(stage) } catch { Issue.record(error) }
                stage.clear()
            }
            return nil
        } catch {
            return (error as? ApusError)?.code
        }
    }

    /// Creates the TLS context in advance, because that happens on a thread outside of this loop's control.
    private static func prepare(_ trust: ServerTrust, in contexts: TLSContexts) {
        let isReady = DispatchSemaphore(value: 0)
        let security = TLSSecurity(rules: TLSRules(trust: trust), protocols: .automatic)
        contexts.context(for: security) { _ in isReady.signal() }
        isReady.wait()
    }

    var isConnected: Bool { channel.isActive }

    /// Sends the request on a connection that the engine opens.
    func serve() {
        engine.serve(exchange)
        pass(.zero)
    }

    /// Sends the request on the connection.
    func send() { connection.begin(exchange, isReused: false) }

    func pass(_ time: Duration) { loop.advanceTime(by: .nanoseconds(time.wholeNanoseconds)) }

    func receive(_ bytes: String) throws { try channel.writeInbound(ByteBuffer(string: bytes)) }

    /// Requests a further read, as the loop does after each read.
    func read() { channel.read() }

    /// Makes the connection writable again, which lets it write one more piece.
    func takeAPiece() {
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
    }

    /// Returns the number of body bytes written since the last call.
    func sentBodyBytes() throws -> Int {
        var byteCount = 0
        while let piece = try channel.readOutbound(as: ByteBuffer.self) {
            if !String(buffer: piece).hasSuffix("\r\n\r\n") { byteCount += piece.readableBytes }
        }
        return byteCount
    }

    /// Checks that the exchange ends with `code` after `limit` from now, and not a nanosecond earlier.
    func expectEnd(
        after limit: Duration,
        by code: ApusError.Code,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let end = engine.now.advanced(by: limit)
        pass(limit - .nanoseconds(1))
        #expect(!exchange.isOver, sourceLocation: sourceLocation)
        pass(.nanoseconds(1))
        #expect(exchange.isOver, sourceLocation: sourceLocation)
        #expect(exchange.record.metrics.error?.code == code, sourceLocation: sourceLocation)
        #expect(exchange.record.metrics.end == end, sourceLocation: sourceLocation)
    }

    /// Ends the exchange and closes all connections, and checks that no timer is left.
    func clear() {
        exchange.cancel()
        engine.shutDown(gracefully: false)
        connection.close()
        network.clear()
        #expect(engine.shared.counters.count(of: .timers) == 0)
        #expect(engine.shared.counters.count(of: .connections) == 0)
        #expect(engine.shared.counters.count(of: .exchanges) == 0)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

/// A peer that can accept one piece at a time.
final class ExchangePeer: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    var limitsWrites = false
    /// Whether the kernel has buffer space for a write but has not taken it when the write returns.
    var delaysWrites = false
    private var promises: [EventLoopPromise<Void>] = []

    /// Completes all pending writes.
    func completeWrites() {
        for promise in promises { promise.succeed() }
        promises = []
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if delaysWrites, let promise { promises.append(promise) }
        context.write(data, promise: delaysWrites ? nil : promise)
        if limitsWrites { (context.channel as? EmbeddedChannel)?.isWritable = false }
    }
}

/// A resolver that returns the same addresses for all hosts, or never responds if it has none.
private struct FixedResolver: HostResolver {
    let addresses: [IPAddress]

    func resolve(_ host: String, completion: @escaping @Sendable (Result<[IPAddress], ApusError>) -> Void) {
        if !addresses.isEmpty { completion(.success(addresses)) }
    }
}

/// Accepts the engine's connection attempts. They stay pending until the test completes them, all on one thread.
final class FakeNetwork: @unchecked Sendable {
    struct Attempt {
        let address: String
        fileprivate let channel: EmbeddedChannel
        fileprivate let promise: EventLoopPromise<any Channel>
        fileprivate let end = AttemptEnd()

        /// Completes the attempt.
        func accept() throws {
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
            promise.succeed(channel)
        }

        /// Fails the attempt.
        func refuse() { promise.fail(ChannelError.eof) }

        var isConnected: Bool { channel.isActive }

        /// Whether the channel was closed, connected or not.
        var isClosed: Bool { end.isSet }

        /// Closes the connection from the peer's side.
        func disconnect() { channel.close(promise: nil) }

        func receive(_ bytes: String) throws { try channel.writeInbound(ByteBuffer(string: bytes)) }

        /// Returns the text sent since the last call.
        func sent() throws -> String {
            var sent = ""
            while let piece = try channel.readOutbound(as: ByteBuffer.self) { sent += String(buffer: piece) }
            return sent
        }
    }

    private(set) var attempts: [Attempt] = []

    var dialer: Dialer {
        Dialer { [unowned self] address, _, loop, begun in
            let promise = loop.makePromise(of: (any Channel).self)
            guard let loop = loop as? EmbeddedEventLoop else {
                promise.fail(ChannelError.operationUnsupported)
                return promise.futureResult
            }
            let channel = EmbeddedChannel(loop: loop)
            begun(channel)
            let attempt = Attempt(address: address.formatted, channel: channel, promise: promise)
            channel.closeFuture.assumeIsolated().whenComplete { [end = attempt.end] _ in end.isSet = true }
            attempts.append(attempt)
            return promise.futureResult
        }
    }

    /// Ends all attempts that are still open.
    func clear() {
        for attempt in attempts {
            attempt.promise.fail(ChannelError.eof)
            _ = try? attempt.channel.finish(acceptAlreadyClosed: true)
        }
        attempts = []
    }
}

/// Whether an attempt's channel has closed.
private final class AttemptEnd {
    var isSet = false
}

internal import ApusCore
internal import DequeModule
internal import HTTPTypes
internal import NIOCore

/// The transport of an exchange: an HTTP/1.1 connection, or one stream of a multiplexed connection.
protocol ExchangeConnection: AnyObject {
    /// Resumes reading. The exchange has room again, and its buffer holds nothing more to read.
    func exchangeWantsMore(_ exchange: Exchange)

    /// Discards the rest of the response: reads up to `byteCount` bytes of it within a short time, or cancels the
    /// exchange at once if more are known to come.
    func exchangeIsDiscarded(_ exchange: Exchange, upTo byteCount: Int)

    /// Handles the exchange's cancellation. The connection must fail the exchange.
    func exchangeAborted(_ exchange: Exchange, _ error: ApusError)

    /// Writes a chunk of the request's body.
    func write(_ chunk: ByteBuffer, of exchange: Exchange)

    /// Ends the request's body, with trailer fields if there are any. Fails the exchange if one of them is not allowed.
    func endContent(of exchange: Exchange, trailers: HTTPFields?)

    /// Whether a chunk written now would be sent soon.
    var isWritable: Bool { get }

    /// Continues the request's body, which was held back while the request was suspended. It may not have begun.
    func exchangeIsReleased(_ exchange: Exchange)
}

/// One request and its response, from the pool's queue to the last byte. Confined to its event loop.
///
/// It interacts with async code twice: through the continuation for the head, and through the reader of the body.
final class Exchange {
    /// The inputs of an exchange. A class, since it is passed from the caller's task to the loop, and so that parts of
    /// the request can be read without copying the whole.
    final class Input: Sendable {
        let request: RequestMessage
        let record: ExchangeRecord
        let timeouts: Timeouts
        /// Holds the body back while the request is suspended. `nil` for a body that never waits.
        let hold: ContentHold?

        init(
            request: consuming RequestMessage,
            record: ExchangeRecord,
            timeouts: Timeouts,
            hold: ContentHold? = nil
        ) {
            self.request = request
            self.record = record
            self.timeouts = timeouts
            self.hold = hold
        }
    }

    enum State {
        case new
        case waiting(OriginPool)
        case running(any ExchangeConnection)
        /// It continues as another exchange, on another event loop.
        case moved(ExchangeSlot)
        case over
    }

    /// The maximum number of bytes that are read and discarded to reuse a connection, within 50 ms.
    static let discardedBytes = 64 << 10
    /// A body up to this size that arrived together with its head is delivered as a whole.
    private static let wholeBytes = 128 << 10

    let number: Int
    let input: Input
    /// The deadline of the wait for a connection.
    private(set) var poolDeadline: MonotonicInstant?
    /// The deadline of the wait that continues on this event loop.
    private var movedDeadline: MonotonicInstant?
    let engine: EventLoopEngine
    var state = State.new
    /// Sends the request's body, if that needs a task.
    var pump: BodyPump?
    /// How often it was sent again because no server had processed it.
    private var refusalCount = 0
    /// Whether it was sent again although a server may have processed it.
    private var hasBeenRepeated = false
    /// How often it was sent again with the answer to a challenge of a proxy.
    private(set) var proxyAnswerCount = 0

    private var continuation: UnsafeContinuation<ResponseMessage, any Error>?
    @exclusivity(unchecked) private var head: ReceivedHead?
    /// The part of the body that arrived before the head was delivered.
    @exclusivity(unchecked) private var early = EarlyContent()
    @exclusivity(unchecked) private var earlyEnd: (hasEnded: Bool, trailers: HTTPFields?) = (false, nil)
    /// Receives the body after the head was delivered, if more is to come.
    private var buffer: BodyBuffer?
    private var discard: (remaining: Int, timer: LoopTimer)?

    init(_ input: Input, engine: EventLoopEngine, continuation: UnsafeContinuation<ResponseMessage, any Error>) {
        self.number = engine.shared.nextExchangeNumber()
        self.input = input
        self.engine = engine
        self.continuation = continuation
    }

    var request: RequestMessage { input.request }

    var record: ExchangeRecord { input.record }

    var timeouts: Timeouts { input.timeouts }

    var isOver: Bool {
        if case .over = state { true } else { false }
    }

    /// Starts waiting for a connection, whether for the first or another one.
    func wait(in pool: OriginPool) {
        state = .waiting(pool)
        poolDeadline = movedDeadline ?? timeouts.poolWait.map { engine.now.advanced(by: $0) }
        movedDeadline = nil
    }

    /// Returns whether reading should pause, because the reader has enough for now.
    func holdsReading() -> Bool { buffer?.holdsReading() ?? false }

    // MARK: Response

    func receive(_ head: ReceivedHead) {
        self.head = head
    }

    /// Takes a piece of the body. `isFollowed` if the next call brings another one, from the same read.
    func receive(_ chunk: ByteBuffer, isFollowed: Bool = false) {
        if let remaining = discard?.remaining {
            discard?.remaining = remaining - chunk.readableBytes
            if remaining < chunk.readableBytes { cancel() }
            return
        }
        if let buffer { buffer.append(chunk, isFollowed: isFollowed) } else { early.append(chunk) }
    }

    func receiveEnd(trailers: HTTPFields?) {
        if let buffer { buffer.end(trailers: trailers) } else { earlyEnd = (true, trailers) }
    }

    /// Delivers a received head, with the whole body if that arrived together with it.
    func deliver() {
        guard let continuation, let head else { return }
        self.continuation = nil
        self.head = nil
        let isRedirect = (300...399).contains(head.status.code)
        let response = ResponseMessage(
            status: head.status,
            fields: head.fields,
            body: takeBody(),
            record: record,
            isPlain: head.isPlain && !isRedirect
        )
        // Responses that need further work stay on this loop: a body to stream, a redirect, a challenge.
        let isLast = buffer == nil && !isRedirect && ![401, 407].contains(head.status.code)
        guard isLast else { return continuation.resume(returning: response) }
        engine.bound.jobs.completing { continuation.resume(returning: response) }
    }

    private func takeBody() -> ResponseBody {
        let content = early
        early = EarlyContent()
        guard earlyEnd.hasEnded, earlyEnd.trailers == nil, content.byteCount <= Self.wholeBytes else {
            let buffer = BodyBuffer(chunks: content.chunks, counters: engine.shared.counters)
            if earlyEnd.hasEnded { buffer.end(trailers: earlyEnd.trailers) }
            self.buffer = buffer
            return .stream(ExchangeBody(self, buffer: buffer))
        }
        return content.whole.map { .whole(BodyChunk($0)) } ?? .empty
    }

    /// Ends the exchange on the wire. Its reader may still have buffered bytes to read.
    func finish(
        at end: MonotonicInstant,
        _ error: ApusError? = nil,
        _ change: (inout ExchangeMetrics) -> Void = { _ in }
    ) {
        guard !isOver else { return }
        state = .over
        stopPump()
        discard?.timer.cancel()
        discard = nil
        engine.shared.counters.remove(from: .exchanges)
        record.close(at: end, error: error, change)
    }

    /// Fails the exchange, for the current waiter and for later reads.
    func fail(_ error: ApusError) {
        let error = error.about(method: record.method, target: record.target)
        finish(at: engine.now, error)
        buffer?.fail(error)
        if let continuation {
            self.continuation = nil
            head = nil
            engine.bound.jobs.completing { continuation.resume(throwing: error) }
        }
    }

    // MARK: Another connection

    /// The maximum number of resends of a request that no server has processed.
    private static let maximumResends = 3

    /// Whether the request may be sent again, whatever its method if no server has acted on it, otherwise once if it is
    /// idempotent. RFC 9110 §9.2.2.
    func mayBeResent(after fate: RequestFate) -> Bool {
        let isAllowed =
            switch fate {
            case .notProcessed: refusalCount < Self.maximumResends
            case .perhapsProcessed: !hasBeenRepeated && request.isIdempotent
            case .processed: false
            }
        return isAllowed && canBeSentAgain
    }

    /// Whether its body can be sent from the start.
    var canBeSentAgain: Bool { request.body.isReplayable && (pump == nil || !request.body.isReadOnce) }

    /// Records that the request is sent again, with the answer to a challenge of a proxy.
    func noteProxyAnswer() {
        proxyAnswerCount += 1
        record.write { $0.resendCount += 1 }
    }

    /// Whether the request was refused so often that it is sent for the last time.
    var isLastResend: Bool { refusalCount == Self.maximumResends }

    /// Records that the request is sent again, after some of it was sent.
    func noteResend(after fate: RequestFate) {
        if fate == .notProcessed { refusalCount += 1 } else { hasBeenRepeated = true }
        record.write { $0.resendCount += 1 }
    }

    /// Leaves its connection, and gets another one. The part of a response that has arrived there is dropped.
    func changeConnection(requiresNew: Bool) {
        state = .new
        head = nil
        early = EarlyContent()
        earlyEnd = (false, nil)
        stopPump()
        engine.serve(self, requiresNewConnection: requiresNew)
    }

    /// Waits on another event loop instead, where a connection serves its origin. To be called while it waits.
    ///
    /// - Parameters:
    ///   - engineLoop: The event loop.
    ///   - found: The addresses of its origin, so that they are not looked up again.
    func move(to engineLoop: EngineLoop, with found: FoundAddresses) {
        guard let continuation else { return }
        self.continuation = nil
        let slot = ExchangeSlot(loop: engineLoop.loop)
        state = .moved(slot)
        let (input, refusalCount, hasBeenRepeated) = (input, refusalCount, hasBeenRepeated)
        let deadline = poolDeadline
        engineLoop.run { engine in
            let exchange = Exchange(input, engine: engine, continuation: continuation)
            exchange.movedDeadline = deadline
            exchange.refusalCount = refusalCount
            exchange.hasBeenRepeated = hasBeenRepeated
            slot.start(exchange, on: engine, with: found)
        }
    }

    // MARK: Request body

    private var writer: UnsafeContinuation<Bool, Never>?
    /// The chunk of the writer, if it was held back.
    private var heldChunk: ByteBuffer?

    /// Writes a chunk of the request's body, and resumes `writer` when there is room for another. Resumes it with
    /// `false` if the pump should stop.
    func write(_ chunk: ByteBuffer, from pump: BodyPump, then writer: UnsafeContinuation<Bool, Never>) {
        guard pump === self.pump, case .running(let carrier) = state else { return writer.resume(returning: false) }
        guard !holdsContent() else { return keep(writer, with: chunk) }
        carrier.write(chunk, of: self)
        if pump !== self.pump {
            writer.resume(returning: false)
        } else if carrier.isWritable, !holdsContent() {
            writer.resume(returning: true)
        } else {
            keep(writer)
        }
    }

    private func keep(_ writer: UnsafeContinuation<Bool, Never>, with chunk: ByteBuffer? = nil) {
        engine.shared.counters.add(to: .continuations)
        self.writer = writer
        heldChunk = chunk
    }

    /// Ends the request's body.
    func endContent(from pump: BodyPump, trailers: HTTPFields?) {
        guard pump === self.pump, case .running(let carrier) = state else { return }
        carrier.endContent(of: self, trailers: trailers)
    }

    /// Cancels the exchange, because its body can't be read to the end.
    func failContent(from pump: BodyPump, _ error: ApusError) {
        guard pump === self.pump else { return }
        cancel(error)
    }

    /// Stops the pump: the exchange is over, or will be resent with its body from the start.
    func stopPump() {
        stopFollowingHold()
        pump?.stop()
        pump = nil
        resumeWriter(wantsMore: false)
    }

    /// Resumes the pump when there is room again.
    func resumeWriter(wantsMore: Bool = true) {
        guard let writer, !wantsMore || !isContentHeld else { return }
        self.writer = nil
        engine.shared.counters.remove(from: .continuations)
        guard let chunk = heldChunk.take(), wantsMore, let pump else { return writer.resume(returning: wantsMore) }
        write(chunk, from: pump, then: writer)
    }

    // MARK: Suspension

    /// Whether the request's body is held back, because the request is suspended. Turns false when the body continues.
    private(set) var isContentHeld = false
    /// The number of its watch of the hold.
    private var holdWatch: Int?

    /// Whether the body is held back before a pump has begun to read it.
    var holdsUnreadContent: Bool { isContentHeld && pump == nil }

    /// Returns whether the body has to wait at this point, and follows the hold from then on.
    func holdsContent() -> Bool {
        guard let hold = input.hold, case .running = state else { return false }
        if holdWatch == nil {
            let (loop, exchange) = (engine.loop, NIOLoopBound(self, eventLoop: engine.loop))
            // In another turn, since the caller may be a handler of its progress.
            holdWatch = hold.watch { loop.execute { exchange.value.followHold() } }
        }
        if hold.isHeld { isContentHeld = true }
        return isContentHeld
    }

    private func followHold() {
        guard holdWatch != nil, let hold = input.hold, case .running(let carrier) = state else { return }
        guard isContentHeld != hold.isHeld else { return }
        isContentHeld.toggle()
        guard !isContentHeld else { return }
        carrier.exchangeIsReleased(self)
        if writer != nil, carrier.isWritable { resumeWriter() }
    }

    private func stopFollowingHold() {
        guard let holdWatch else { return }
        input.hold?.unwatch(holdWatch)
        self.holdWatch = nil
        isContentHeld = false
    }

    // MARK: Reader

    /// Resumes reading for the reader, which has room again.
    func readOn() {
        if case .running(let carrier) = state { carrier.exchangeWantsMore(self) }
    }

    /// Cancels the exchange, on behalf of its reader or the caller that waits for the head.
    func cancel(_ error: ApusError = CancelReason.task.error) {
        switch state {
        case .new:
            fail(error)
        case .waiting(let pool):
            pool.withdraw(self)
            fail(error)
        case .running(let carrier):
            carrier.exchangeAborted(self, error)
        case .moved(let slot):
            slot.cancel()
        case .over:
            break
        }
    }

    /// Reads and discards the rest while that is cheaper than a new connection: up to 64 KiB, within 50 ms.
    func discardRest() {
        guard let waiting = buffer?.drop(), case .running(let carrier) = state else { return }
        guard waiting <= Self.discardedBytes else { return cancel() }
        let timer = LoopTimer(on: engine, at: engine.now.advanced(by: .milliseconds(50))) { [weak self] in
            self?.cancel()
        }
        discard = (remaining: Self.discardedBytes - waiting, timer: timer)
        carrier.exchangeIsDiscarded(self, upTo: Self.discardedBytes - waiting)
    }
}

/// The part of a body that arrived with its head. Mostly one chunk, which needs no collection.
private struct EarlyContent {
    private var first: ByteBuffer?
    private var others = Deque<ByteBuffer>()
    private(set) var byteCount = 0

    mutating func append(_ chunk: ByteBuffer) {
        byteCount += chunk.readableBytes
        if first == nil { first = chunk } else { others.append(chunk) }
    }

    var chunks: Deque<ByteBuffer> {
        var chunks = others
        if let first { chunks.prepend(first) }
        return chunks
    }

    /// All chunks as one. `nil` if there are none.
    var whole: ByteBuffer? {
        guard var whole = first else { return nil }
        for var chunk in others { whole.writeBuffer(&chunk) }
        return whole
    }
}

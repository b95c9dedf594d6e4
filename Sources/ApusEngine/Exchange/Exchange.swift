internal import ApusCore
internal import DequeModule
internal import HTTPTypes
internal import NIOCore

/// What carries an exchange: an HTTP/1.1 connection, or one stream of a connection that has many.
protocol ExchangeCarrier: AnyObject {
    /// The exchange has room again, and nothing more to read in its buffer.
    func exchangeWantsMore(_ exchange: Exchange)

    /// The rest of the response is discarded: the carrier reads up to `byteCount` bytes of it, within a short time, or cancels
    /// the exchange at once if more are known to come.
    func exchangeIsDiscarded(_ exchange: Exchange, upTo byteCount: Int)

    /// The exchange was given up; the carrier fails it.
    func exchangeGaveUp(_ exchange: Exchange, _ error: ApusError)

    /// Writes a piece of the request's content.
    func write(_ chunk: ByteBuffer, of exchange: Exchange)

    /// The request's content is complete.
    func endContent(of exchange: Exchange)

    /// Whether a piece that is written now would soon leave.
    var isWritable: Bool { get }
}

/// One request and its answer, from the queue of the pool to the last byte. Confined to its loop.
///
/// It crosses to async twice: the head's continuation, and the reader of the body.
final class Exchange {
    /// What an exchange is made of. An object, since it is handed from the caller's task to the loop, and so that parts of
    /// the request are read without a copy of the whole.
    final class Order: Sendable {
        let request: RequestMessage
        let record: ExchangeRecord
        let timeouts: Timeouts

        init(request: consuming RequestMessage, record: ExchangeRecord, timeouts: Timeouts) {
            self.request = request
            self.record = record
            self.timeouts = timeouts
        }
    }

    enum State {
        case new
        case waiting(OriginPool)
        case running(any ExchangeCarrier)
        case over
    }

    /// So much of a content is read for nobody at most, if it comes within 50 ms.
    static let discardedBytes = 64 << 10
    /// A content up to this size that came with its head is handed on as a whole.
    private static let wholeBytes = 128 << 10

    let number: Int
    let order: Order
    /// When the wait for a connection has to be over.
    private(set) var poolDeadline: MonotonicInstant?
    let home: LoopEngine
    var state = State.new
    /// Sends the request's content where that takes a task of its own.
    var pump: BodyPump?
    /// Whether it was sent on a connection before that turned out to be dead.
    var hasBeenResent = false

    private var continuation: UnsafeContinuation<ResponseMessage, any Error>?
    @exclusivity(unchecked) private var head: HTTP1ResponseParser.Head?
    /// What came before the head was handed on.
    @exclusivity(unchecked) private var early = EarlyContent()
    @exclusivity(unchecked) private var earlyEnd: (hasEnded: Bool, trailers: HTTPFields?) = (false, nil)
    /// Where content goes once the head was handed on and more is to come.
    private var buffer: BodyBuffer?
    private var discard: (remaining: Int, timer: LoopTimer)?

    init(_ order: Order, home: LoopEngine, continuation: UnsafeContinuation<ResponseMessage, any Error>) {
        self.number = home.shared.nextExchangeNumber()
        self.order = order
        self.home = home
        self.continuation = continuation
    }

    var request: RequestMessage { order.request }

    var record: ExchangeRecord { order.record }

    var timeouts: Timeouts { order.timeouts }

    var isOver: Bool {
        if case .over = state { true } else { false }
    }

    /// Begins to wait for a connection: for the first time, or for another one.
    func wait(in pool: OriginPool) {
        state = .waiting(pool)
        poolDeadline = timeouts.poolWait.map { home.now.advanced(by: $0) }
    }

    /// Whether the reader has enough for now.
    func holdsReading() -> Bool { buffer?.holdsReading() ?? false }

    // MARK: From the wire

    func receive(_ head: HTTP1ResponseParser.Head) {
        self.head = head
    }

    func receive(_ chunk: ByteBuffer) {
        if let remaining = discard?.remaining {
            discard?.remaining = remaining - chunk.readableBytes
            if remaining < chunk.readableBytes { cancel() }
            return
        }
        if let buffer { buffer.append(chunk) } else { early.append(chunk) }
    }

    func receiveEnd(trailers: HTTPFields?) {
        if let buffer { buffer.end(trailers: trailers) } else { earlyEnd = (true, trailers) }
    }

    /// Hands on the head that a read brought, with the whole content where that came along.
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
        // What has more to come goes on here: a content, a redirect, the answer to a challenge.
        let isLast = buffer == nil && !isRedirect && ![401, 407].contains(head.status.code)
        guard isLast else { return continuation.resume(returning: response) }
        home.bound.jobs.answering { continuation.resume(returning: response) }
    }

    private func takeBody() -> ResponseBody {
        let content = early
        early = EarlyContent()
        guard earlyEnd.hasEnded, earlyEnd.trailers == nil, content.byteCount <= Self.wholeBytes else {
            let buffer = BodyBuffer(chunks: content.chunks, counters: home.shared.counters)
            if earlyEnd.hasEnded { buffer.end(trailers: earlyEnd.trailers) }
            self.buffer = buffer
            return .stream(ExchangeBody(self, buffer: buffer))
        }
        return content.whole.map { .whole(BodyChunk($0)) } ?? .empty
    }

    /// The exchange is over on the wire; its reader may still have something to read.
    func finish(at end: MonotonicInstant, _ error: ApusError? = nil, _ change: (inout HopMetrics) -> Void = { _ in }) {
        guard !isOver else { return }
        state = .over
        stopPump()
        discard?.timer.cancel()
        discard = nil
        home.shared.counters.remove(from: .exchanges)
        record.close(at: end, error: error, change)
    }

    /// Ends the exchange with an error, for whoever waits for it now or asks later.
    func fail(_ error: ApusError) {
        let error = error.about(method: record.method, target: record.target)
        finish(at: home.now, error)
        buffer?.fail(error)
        if let continuation {
            self.continuation = nil
            head = nil
            home.bound.jobs.answering { continuation.resume(throwing: error) }
        }
    }

    // MARK: From the pump

    private var writer: UnsafeContinuation<Bool, Never>?

    /// Writes a chunk of the request's content, and resumes `writer` when there is room for another: with `false` where
    /// nobody wants one from this pump any more.
    func write(_ chunk: ByteBuffer, from pump: BodyPump, then writer: UnsafeContinuation<Bool, Never>) {
        guard pump === self.pump, case .running(let carrier) = state else { return writer.resume(returning: false) }
        carrier.write(chunk, of: self)
        if pump !== self.pump {
            writer.resume(returning: false)
        } else if carrier.isWritable {
            writer.resume(returning: true)
        } else {
            home.shared.counters.add(to: .continuations)
            self.writer = writer
        }
    }

    /// The content is complete.
    func endContent(from pump: BodyPump) {
        guard pump === self.pump, case .running(let carrier) = state else { return }
        carrier.endContent(of: self)
    }

    /// The content can't be read to its end.
    func failContent(from pump: BodyPump, _ error: ApusError) {
        guard pump === self.pump else { return }
        cancel(error)
    }

    /// The exchange is over, or goes again with a content that starts anew: what the pump still brings is nobody's.
    func stopPump() {
        pump?.stop()
        pump = nil
        resumeWriter(wantsMore: false)
    }

    /// Whether the pump waits for the peer to take what was written.
    var isPumpWaiting: Bool { writer != nil }

    /// There is room again.
    func resumeWriter(wantsMore: Bool = true) {
        guard let writer else { return }
        self.writer = nil
        home.shared.counters.remove(from: .continuations)
        writer.resume(returning: wantsMore)
    }

    // MARK: From the reader

    /// The reader has room again.
    func readOn() {
        if case .running(let carrier) = state { carrier.exchangeWantsMore(self) }
    }

    /// The reader, or whoever waits for the head, gave up.
    func cancel(_ error: ApusError = CancelReason.task.error) {
        switch state {
        case .new:
            fail(error)
        case .waiting(let pool):
            pool.withdraw(self)
            fail(error)
        case .running(let carrier):
            carrier.exchangeGaveUp(self, error)
        case .over:
            break
        }
    }

    /// Reads what is left for nobody, as long as that is cheaper than a new connection: 64 KiB, 50 ms.
    func discardRest() {
        guard let waiting = buffer?.drop(), case .running(let carrier) = state else { return }
        guard waiting <= Self.discardedBytes else { return cancel() }
        let timer = LoopTimer(on: home, at: home.now.advanced(by: .milliseconds(50))) { [weak self] in
            self?.cancel()
        }
        discard = (remaining: Self.discardedBytes - waiting, timer: timer)
        carrier.exchangeIsDiscarded(self, upTo: Self.discardedBytes - waiting)
    }
}

/// Content that came with its head: mostly one chunk, which needs no room of its own.
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

    /// All of it in one; `nil` where there is none.
    var whole: ByteBuffer? {
        guard var whole = first else { return nil }
        for var chunk in others { whole.writeBuffer(&chunk) }
        return whole
    }
}

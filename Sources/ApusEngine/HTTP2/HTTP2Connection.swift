internal import ApusCore
internal import HTTPTypes
internal import NIOCore
internal import NIOSSL

/// One HTTP/2 connection: the last handler of its channel, whose exchanges are streams of one state machine.
///
/// Confined to its loop. The machine reports events while it changes, so they are collected and handled afterwards.
final class HTTP2Connection: ChannelDuplexHandler, PooledConnection, NIOScheduledCallbackHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let id: Int
    weak var pool: OriginPool?
    private(set) var exchangeCount = 0

    let engine: EventLoopEngine
    let loop: any EventLoop
    private let timings: ConnectTimings
    /// Offers the connection to other origins. `nil` if it must not be lent.
    private let entry: CoalescableConnections.Entry?
    @exclusivity(unchecked) var machine: HTTP2ConnectionStateMachine
    var streams: [Int32: HTTP2Stream] = [:]
    var context: ChannelHandlerContext?
    private var secureContext: ChannelHandlerContext?
    @exclusivity(unchecked) private var unread = ByteBuffer()
    @exclusivity(unchecked) private var events: [HTTP2ConnectionStateMachine.Event] = []
    /// The stream whose upload was continued last.
    var lastResumed: Int32 = 0
    /// Whether received bytes are being handled, so that the end of the read flushes.
    private var isReading = false
    private var isHandlingEvents = false
    /// The number of reads that the current hold has waited for.
    private var heldReads = 0
    private var isFlushScheduled = false
    /// Whether a flush waits for a read, because the kernel has bytes that precede the written ones.
    private(set) var isFlushHeld = false
    private var peek = SocketPeek()
    /// The tracker of TLS records, which sees every read. `nil` for cleartext connections.
    private var records: TLSRecordTracker?
    /// Whether a response was received completely. The server may have closed the connection since.
    private var hasServed = false
    /// The capacity that the pool knows. `nil` before the first report, which may be 0.
    private var reportedCapacity: Int?
    /// The maximum number of reads that a flush waits for.
    private static let maximumHeldReads = 16
    private var isRetired = false
    private var hasEnded = false
    /// The failure of the channel, which ends its streams.
    private var channelFailure: ApusError?
    var clock: HTTP2ConnectionClock
    var timer: ConnectionTimer

    init(id: Int, _ setup: ConnectionSetup) {
        let engine = setup.engine
        self.id = id
        self.engine = engine
        self.loop = engine.loop
        self.timings = setup.timings
        self.entry = engine.shared.configuration.http2.coalescesConnections ? .init(id, setup) : nil
        self.machine = HTTP2ConnectionStateMachine(limits: engine.shared.http2Limits)
        self.timer = ConnectionTimer(counters: engine.shared.counters)
        let settings = engine.shared.configuration.http2
        self.clock = HTTP2ConnectionClock(interval: settings.pingInterval, patience: settings.pingPatience)
    }

    var now: MonotonicInstant { MonotonicInstant(nanoseconds: loop.now.uptimeNanoseconds) }

    var isMultiplexed: Bool { true }

    var capacity: Int { machine.streamLimit }

    var isChannelWritable: Bool { context?.channel.isWritable ?? false }

    // MARK: Start of an exchange

    func begin(_ exchange: Exchange, isReused: Bool) {
        exchangeCount += 1
        guard context != nil, machine.freeSlots > 0 else { return giveBack(exchange) }
        let input = exchange.input
        let upload = RequestUpload(input.request, isHTTP2: true)
        let written = machine.outputByteCount
        let stream: HTTP2Stream
        let start = now
        do throws(RequestEncodeError) {
            let id = try machine.open(
                method: input.request.method,
                scheme: input.request.target.origin.scheme.rawValue,
                authority: input.request.target.authority,
                path: input.request.target.path,
                fields: input.request.fields,
                framing: upload.framing
            )
            let headBytes = machine.outputByteCount - written
            let progress = ExchangeProgress(start: start, headBytes: headBytes, isReused: isReused)
            stream = HTTP2Stream(id: id, exchange: exchange, connection: self, progress: progress, upload: upload)
            streams[id] = stream
        } catch {
            exchangeCount -= 1
            exchange.fail(error.asApusError)
            // Later, since the next waiter may fail in the same way, and each would need more of the stack.
            let bound = NIOLoopBound(self, eventLoop: loop)
            return loop.execute { bound.value.release() }
        }
        exchange.state = .running(stream)
        if streams.count == 1 { clock.noteBusy(at: start) }
        send(upload, of: stream)
        // A failed write ends the connection at once.
        guard streams[stream.id] === stream else { return }
        timings.begin(
            input.record,
            at: start,
            isRequestDone: stream.isRequestDone,
            isReused: isReused,
            on: id,
            stream: stream.id
        )
        scheduleFlush()
        ensureTimer(for: stream.nextInstant)
        ensureTimer(for: clock.due)
    }

    /// Hands an exchange back to the pool, because the connection has closed or its capacity has shrunk.
    private func giveBack(_ exchange: Exchange) {
        exchangeCount -= 1
        let isOver = context == nil || machine.isClosed || machine.isDraining
        if isOver {
            retire()
        } else {
            // The pool must not lease it again before the capacity has changed.
            reportedCapacity = streams.count
            pool?.capacityChanged(self, to: streams.count)
        }
        pool?.release(self)
        exchange.changeConnection(requiresNew: isOver)
    }

    /// Notifies the pool that an exchange has ended.
    private func release() {
        reportCapacity()
        pool?.release(self)
    }

    // MARK: Writing

    /// Writes the machine's bytes at the end of the read or of the loop's turn.
    func scheduleFlush() {
        guard !isReading, !isFlushScheduled, machine.hasOutput else { return }
        isFlushScheduled = true
        engine.flushAtEndOfTurn(self)
    }

    @discardableResult
    func flush() -> Bool { flush(peeks: !clock.hasReadSinceBusy) }

    private func flush(peeks: Bool) -> Bool {
        isFlushScheduled = false
        guard let context, !isFlushHeld else { return false }
        // Bytes or an end of stream that have already arrived may close the connection. Requests that are unsent then
        // can be sent elsewhere. Not looked for with every flush: a busy connection reads all the time.
        if hasServed, peeks, peek.findsBytes(in: context.channel) {
            isFlushHeld = true
            return false
        }
        writeOutput()
        context.flush()
        return true
    }

    /// Passes the machine's bytes to the channel if it accepts them. The caller flushes it.
    private func writeOutput() {
        guard let context, context.channel.isWritable || machine.isClosed else { return }
        guard let output = machine.takeOutput() else { return }
        context.write(wrapOutboundOut(output), promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            resumeUploads()
            flush()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        var incoming = unwrapInboundIn(data).received
        let instant = now
        // The answer to a PING brings the next check forward.
        if clock.noteRead(at: instant) { ensureTimer(for: clock.due) }
        if unread.readableBytes == 0 { unread = incoming } else { unread.appendReceived(&incoming) }
        machine.receive(&unread, at: instant.nanoseconds) { events.append($0) }
        if unread.readableBytes == 0 { unread = ByteBuffer() }
        handleEvents(at: instant)
        if machine.isClosed { close() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        // Over TLS the tracker reports the end of every read, also of those without plaintext.
        if records == nil { endHold() }
        if machine.hasOutput { flush() }
        context.fireChannelReadComplete()
    }

    /// Ends the wait of a flush for a read. Called once for each read, which over TLS may have had no plaintext, for example
    /// a session ticket.
    private func endHold() {
        guard isFlushHeld else { return }
        isFlushHeld = false
        // An end of stream may follow the bytes that were read. On a busy line, bytes always follow.
        heldReads += 1
        guard flush(peeks: heldReads < Self.maximumHeldReads) else { return }
        heldReads = 0
        resumeUploads()
        if machine.hasOutput { flush() }
    }

    /// Handles the collected events in order, including those of nested reads: after a write error SwiftNIO reads inside
    /// `flush`.
    private func handleEvents(at instant: MonotonicInstant) {
        guard !isHandlingEvents else { return }
        isHandlingEvents = true
        defer { isHandlingEvents = false }
        repeat { handleCollectedEvents(at: instant) } while !events.isEmpty
    }

    /// Handles the events of one read, and then passes on the heads and the freed slots.
    private func handleCollectedEvents(at instant: MonotonicInstant) {
        // A closed connection gets no more exchanges.
        if machine.isClosed { retire() }
        var collected: [HTTP2ConnectionStateMachine.Event] = []
        swap(&collected, &events)
        var answered: [Exchange] = []
        var freedCount = 0
        for (index, event) in collected.enumerated() {
            switch event {
            case .head(let id, let head, _):
                guard let stream = streams[id], !resendsMisdirected(stream, head) else { continue }
                receive(head, of: stream, at: instant)
                answered.append(stream.exchange)
            case .body(let id, let chunk):
                guard let stream = streams[id] else { continue }
                receive(chunk, of: stream, isFollowed: collected.hasBody(of: id, at: index + 1), at: instant)
            case .end(let id, let trailers):
                guard let stream = streams[id] else { continue }
                note(stream, at: instant)
                complete(stream, trailers: trailers)
                freedCount += 1
            case .informational(let id, let head):
                if let stream = streams[id] { receive(informational: head, of: stream, at: instant) }
            case .failed(let id, let failure):
                guard let stream = streams.removeValue(forKey: id) else { continue }
                let requiresNew = failure.isOfConnection || machine.isClosed
                // The slot is freed first: the exchange may take it again.
                if !machine.isClosed { release() }
                end(stream, dueTo: failure, requiresNew: requiresNew)
            case .writable(let id):
                if let stream = streams[id] { sendRest(of: stream) }
            case .goneAway:
                retire()
            case .pong(let token):
                machine.noteRoundTrip(nanoseconds: instant.nanoseconds &- token)
            case .requestNotWanted:
                break
            }
        }
        for exchange in answered { exchange.deliver() }
        for _ in 0..<freedCount { release() }
        reportCapacity()
        // Keeps the storage, unless another read has begun one or it is large.
        collected.removeAll(keepingCapacity: collected.count <= 64)
        if events.isEmpty { events = collected }
    }

    private func reportCapacity() {
        let capacity = capacity
        guard !isRetired, !machine.isClosed, machine.knowsStreamLimit, capacity != reportedCapacity else { return }
        reportedCapacity = capacity
        pool?.capacityChanged(self, to: capacity)
    }

    /// Takes no more exchanges. The pool closes the connection after the last one.
    private func retire() {
        guard !isRetired else { return }
        isRetired = true
        if let entry { engine.shared.coalescable.remove(entry) }
        pool?.capacityChanged(self, to: nil)
    }

    private func receive(informational head: ReceivedHead, of stream: HTTP2Stream, at instant: MonotonicInstant) {
        note(stream, at: instant)
        stream.progress.receivedBytes += Int64(head.blockBytes)
        let response = HTTPResponse(status: head.status, headerFields: head.fields)
        stream.exchange.record.noteInformational(response)
        if head.status.code == 100, stream.progress.continueDue != nil { sendContent(of: stream) }
    }

    private func receive(_ head: ReceivedHead, of stream: HTTP2Stream, at instant: MonotonicInstant) {
        note(stream, at: instant)
        stream.progress.status = head.status
        stream.progress.receivedBytes += Int64(head.blockBytes)
        if stream.upload != nil {
            if head.status.kind == .successful {
                sendContent(of: stream)
            } else {
                // A final response instead of 100: the server does not want the body.
                stream.progress.continueDue = nil
                stream.upload = nil
            }
        }
        stream.missingBytes = head.fields.declaredLength
        if let byteCount = stream.missingBytes {
            machine.expectBody(of: byteCount, on: stream.id, at: instant.nanoseconds)
        }
        if !stream.isRequestDone { ensureTimer(for: stream.nextInstant) }
        stream.exchange.receive(head)
    }

    /// Receives one DATA frame. `isFollowed` if the next event is another one of the stream.
    private func receive(
        _ chunk: ByteBuffer,
        of stream: HTTP2Stream,
        isFollowed: Bool,
        at instant: MonotonicInstant
    ) {
        note(stream, at: instant)
        let byteCount = chunk.readableBytes
        stream.progress.bodyBytes += Int64(byteCount)
        stream.progress.receivedBytes += Int64(byteCount)
        if let missing = stream.missingBytes { stream.missingBytes = missing - Int64(byteCount) }
        stream.unconsumedBytes += byteCount
        stream.exchange.receive(chunk, isFollowed: isFollowed)
        if isFollowed { return }
        // Receiving may have cancelled the exchange.
        guard streams[stream.id] === stream else { return }
        if clock.wantsRoundTrip { machine.ping(clock.takeRoundTripPing(at: instant)) }
        let wasHeld = stream.isHeld
        stream.isHeld = stream.exchange.holdsReading()
        guard !stream.isHeld else { return }
        consume(stream, at: instant)
        if wasHeld { ensureTimer(for: stream.nextInstant) }
    }

    private func note(_ stream: HTTP2Stream, at instant: MonotonicInstant) {
        stream.progress.lastRead = instant
        if stream.progress.firstByte == nil { stream.progress.firstByte = instant }
        stream.clock.noteProgress(at: instant)
    }

    /// Opens the window of a stream for the bytes that its reader has taken or will take.
    private func consume(_ stream: HTTP2Stream, at instant: MonotonicInstant) {
        machine.consumed(stream.unconsumedBytes, of: stream.id, at: instant.nanoseconds)
        stream.unconsumedBytes = 0
    }

    /// Resumes a stream whose reader has room again.
    func readOn(_ stream: HTTP2Stream) {
        guard stream.isHeld, streams[stream.id] === stream else { return }
        stream.isHeld = false
        let instant = now
        stream.clock.noteProgress(at: instant)
        consume(stream, at: instant)
        scheduleFlush()
        ensureTimer(for: stream.nextInstant)
    }

    // MARK: End of a stream

    /// Ends an exchange after a complete response, even if part of the request is unsent.
    private func complete(_ stream: HTTP2Stream, trailers: HTTPFields?) {
        streams[stream.id] = nil
        hasServed = true
        if !stream.isRequestDone { machine.cancel(stream.id) }
        let progress = stream.progress
        stream.exchange.finish(at: progress.lastRead) { progress.write(into: &$0) }
        // Afterwards, since a reader that sees the end may read the record.
        stream.exchange.receiveEnd(trailers: trailers)
    }

    /// Resets a stream, because its exchange is cancelled or has made no progress.
    func abort(_ stream: HTTP2Stream, _ error: ApusError) {
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        machine.cancel(stream.id)
        fail(stream, error)
        scheduleFlush()
        release()
    }

    private func fail(_ stream: HTTP2Stream, _ error: ApusError) {
        let progress = stream.progress
        stream.exchange.record.write { progress.write(into: &$0) }
        stream.exchange.fail(error)
    }

    /// Sends the request of a failed stream again if that is safe, otherwise fails it.
    private func end(_ stream: HTTP2Stream, dueTo failure: HTTP2StreamFailure, requiresNew: Bool) {
        let exchange = stream.exchange
        let fate = fate(of: stream, failure)
        guard exchange.mayBeResent(after: fate) else {
            // A head that arrived just before belongs to the caller.
            exchange.deliver()
            return fail(stream, channelFailure ?? failure.asApusError)
        }
        // A request that is still in the output of a dead connection was never sent.
        if !failure.isOfConnection || fate != .notProcessed { exchange.noteResend(after: fate) }
        exchange.changeConnection(requiresNew: requiresNew)
    }

    /// Sends the request of another origin again, on a connection of that origin, if the server does not serve it on this
    /// one. RFC 9110 §15.5.20. Returns whether it does so.
    private func resendsMisdirected(_ stream: HTTP2Stream, _ head: ReceivedHead) -> Bool {
        guard head.status.code == 421, let entry else { return false }
        let exchange = stream.exchange
        let origin = exchange.request.target.origin
        guard origin != entry.route.origin else { return false }
        engine.stopCoalescing(origin)
        guard exchange.mayBeResent(after: .notProcessed) else { return false }
        streams[stream.id] = nil
        machine.cancel(stream.id)
        exchange.noteResend(after: .notProcessed)
        release()
        exchange.changeConnection(requiresNew: false)
        return true
    }

    private func fate(of stream: HTTP2Stream, _ failure: HTTP2StreamFailure) -> RequestFate {
        if failure.isUnprocessed { return .notProcessed }
        // After a GOAWAY the first request, too, may have arrived too late.
        return failure.isOfConnection && stream.progress.firstByte == nil
            && (stream.progress.isReused || machine.hasGoneAway) ? .perhapsProcessed : .processed
    }

    // MARK: Failure and closing

    func channelInactive(context: ChannelHandlerContext) {
        endOfStream()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !TLSFailure.isUncleanShutdown(error) {
            channelFailure = channelFailure ?? TLSFailure.connection(.connectionClosed, error, on: pool?.route)
        }
        endOfStream()
    }

    /// Fails the exchanges and closes the connection.
    func abort(_ error: ApusError) {
        channelFailure = error
        retire()
        for stream in Array(streams.values) { abort(stream, error) }
        close()
    }

    func close() {
        if !machine.isClosed { machine.shutDown() }
        isFlushHeld = false
        writeOutput()
        context?.flush()
        timer.stop()
        context?.close(promise: nil)
        // Don't wait for the peer's close_notify. RFC 8446 §6.1 does not require it.
        secureContext?.close(promise: nil)
        secureContext = nil
    }

    private func endOfStream() {
        guard !hasEnded else { return }
        hasEnded = true
        machine.connectionClosed(reason: channelFailure?.detail) { events.append($0) }
        handleEvents(at: now)
        close()
        if let entry { engine.shared.coalescable.remove(entry) }
        pool?.connectionClosed(self)
        pool = nil
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        secureContext = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        records = try? context.pipeline.syncOperations.handler(type: TLSRecordTracker.self)
        records?.readEnded = { [weak self] in self?.endHold() }
        // The pool flushes the preface, together with the first requests.
        machine.start()
        if let roundTrip = timings.roundTripNanoseconds { machine.noteRoundTrip(nanoseconds: roundTrip) }
        if let entry { engine.shared.coalescable.add(entry) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endOfStream()
        self.context = nil
        secureContext = nil
        records?.readEnded = nil
        records = nil
    }
}

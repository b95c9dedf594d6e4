internal import ApusCore
internal import HTTPTypes
internal import NIOCore
internal import NIOSSL

/// One HTTP/1.1 connection: the last handler of its channel. It parses and writes the bytes itself.
///
/// Confined to its loop. Plain values that are accessed several times per request skip the run-time exclusivity check,
/// which takes 80 instructions. Their methods must not call back into this class.
final class HTTP1Connection: ChannelDuplexHandler, ExchangeConnection, PooledConnection, NIOScheduledCallbackHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    let id: Int
    weak var pool: OriginPool?
    @exclusivity(unchecked) private(set) var exchangeCount = 0

    private let loop: any EventLoop
    private let timings: ConnectTimings
    /// Writes requests for a proxy. `nil` if the requests are for an origin.
    private let forwarding: ProxyForwarding?
    @exclusivity(unchecked) private var machine = HTTP1ConnectionStateMachine()
    @exclusivity(unchecked) private var parser: HTTP1ResponseParser
    private var context: ChannelHandlerContext?
    @exclusivity(unchecked) private var peek = SocketPeek()
    /// The TLS handler's context, for closing, and the tracker of its records. `nil` for cleartext connections.
    private var secureContext: ChannelHandlerContext?
    private var records: TLSRecordTracker?
    private var exchange: Exchange?
    @exclusivity(unchecked) private var unread: ByteBuffer?
    @exclusivity(unchecked) private var writeBuffer = ByteBuffer()
    @exclusivity(unchecked) private var upload: RequestUpload?
    private var isReadHeld = false
    /// Whether a request waits to be flushed at the end of the loop's turn, and nothing of it has been sent.
    private var isUnsent = false
    private var hasSeenEnd = false
    /// The progress of the current exchange, written into its record at the end.
    @exclusivity(unchecked) private var progress = ExchangeProgress()
    @exclusivity(unchecked) private var clock = ExchangeClock()
    @exclusivity(unchecked) private var timer: ConnectionTimer

    init(id: Int, engine: EventLoopEngine, timings: ConnectTimings, forwarding: ProxyForwarding? = nil) {
        self.id = id
        self.forwarding = forwarding
        self.loop = engine.loop
        self.timer = ConnectionTimer(counters: engine.shared.counters)
        self.timings = timings
        self.parser = HTTP1ResponseParser(limits: engine.shared.parserLimits)
    }

    private var now: MonotonicInstant { MonotonicInstant(nanoseconds: loop.now.uptimeNanoseconds) }

    // MARK: Start of an exchange

    func begin(_ exchange: Exchange, isReused: Bool) {
        let input = exchange.input
        machine.begin(keepsAlive: !input.request.fields.requestsClose)
        exchange.state = .running(self)
        self.exchange = exchange
        exchangeCount += 1
        guard let context else { return connectionFailed(.closedEarly) }
        let upload = RequestUpload(input.request, isHTTP2: false)
        writeBuffer.clear()
        let requestsUpgrade: Bool
        do throws(ApusError) {
            requestsUpgrade = try HTTP1RequestEncoder.encode(
                input.request,
                framing: upload.framing,
                forwarding: forwarding,
                into: &writeBuffer
            )
        } catch {
            return abandon(exchange, error)
        }
        parser.begin(method: input.request.method, requestsUpgrade: requestsUpgrade)
        let start = now
        progress = ExchangeProgress(start: start, headBytes: writeBuffer.readableBytes, isReused: isReused)
        let timeouts = input.timeouts
        clock = ExchangeClock(start: start, idleRead: timeouts.idleRead, idleWrite: timeouts.idleWrite)
        send(upload, context)
        let isRequestDone = machine.isRequestDone
        timings.begin(input.record, at: start, isRequestDone: isRequestDone, isReused: isReused, on: id)
        ensureTimer()
    }

    /// Writes the head, together with a short body, and starts sending a longer one.
    private func send(_ upload: RequestUpload, _ context: ChannelHandlerContext) {
        self.upload = nil
        if case .short(let content) = upload.content, !upload.expectsContinue {
            var content = content
            progress.sentBytes = Int64(content.readableBytes)
            exchange?.record.noteSent(progress.sentBytes)
            writeBuffer.writeBuffer(&content)
            machine.requestEnded()
        } else if case .nothing = upload.content {
            machine.requestEnded()
        } else {
            self.upload = upload
        }
        context.write(wrapOutboundOut(writeBuffer), promise: nil)
        isUnsent = true
        guard let upload = self.upload else {
            if let engine = pool?.engine { engine.flushAtEndOfTurn(self) } else { flush() }
            return
        }
        guard flush() else { return }
        if upload.expectsContinue {
            progress.continueDue = progress.start.advanced(by: exchange?.timeouts.expectContinue ?? .seconds(1))
        } else {
            sendContent(upload)
        }
    }

    /// Sends the written bytes. Returns `false` if the request moves to another connection instead.
    ///
    /// Bytes or an end of stream that the kernel has already received precede the request, and can't belong to its
    /// response. In that case the request is not sent on this connection. They are not looked for before the first
    /// request over TLS: on a prepared connection they are session tickets, which follow the handshake.
    @discardableResult
    func flush() -> Bool {
        defer { isUnsent = false }
        if progress.isReused, records == nil || exchangeCount > 1, let exchange, let context,
            peek.findsBytes(in: context.channel)
        {
            handBack(exchange)
            return false
        }
        context?.flush()
        return true
    }

    /// Moves an unsent exchange to a new connection.
    private func handBack(_ exchange: Exchange) {
        self.exchange = nil
        close()
        exchange.changeConnection(requiresNew: true)
    }

    private func abandon(_ exchange: Exchange, _ error: ApusError) {
        machine.abandon()
        self.exchange = nil
        exchangeCount -= 1
        exchange.fail(error)
        // Later, since the next waiter may fail in the same way, and each would need more of the stack.
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute { bound.value.pool?.release(bound.value) }
    }

    // MARK: Request body

    private func sendContent(_ upload: RequestUpload) {
        progress.continueDue = nil
        guard let exchange, let context, !exchange.holdsContent() else { return }
        clock.watchSending(context.channel.socketStatus, at: now)
        switch upload.content {
        case .nothing:
            break
        case .short, .long:
            sendMore()
        case .pumped:
            let pump = BodyPump(exchange)
            exchange.pump = pump
            pump.start()
        }
    }

    /// Writes slices of a long body while the channel is writable, and the request is not suspended.
    private func sendMore() {
        guard let context, let exchange else { return }
        while !exchange.holdsContent(), var rest = upload?.takeRest() {
            guard context.channel.isWritable else {
                upload?.putBack(rest)
                return clock.noteStalled()
            }
            guard let slice = rest.readSlice(length: min(rest.readableBytes, RequestUpload.sliceBytes)) else { break }
            upload?.putBack(rest)
            noteSent(slice.readableBytes)
            let isLast = rest.readableBytes == 0
            context.writeAndFlush(wrapOutboundOut(slice), promise: isLast ? endOfRequest() : nil)
            if isLast { return }
        }
    }

    private func noteSent(_ count: Int) {
        progress.sentBytes += Int64(count)
        clock.noteQueued(at: now)
        exchange?.record.noteSent(progress.sentBytes)
    }

    var isWritable: Bool {
        guard let context else { return false }
        if !context.channel.isWritable { clock.noteStalled() }
        return context.channel.isWritable
    }

    func write(_ chunk: ByteBuffer, of exchange: Exchange) {
        guard exchange === self.exchange, let context else { return }
        noteSent(chunk.readableBytes)
        guard case .chunked? = upload?.framing else {
            // Detected here, since the response may arrive before the pump reports the end.
            let isLast = if case .length(let length)? = upload?.framing { progress.sentBytes >= length } else { false }
            context.writeAndFlush(wrapOutboundOut(chunk), promise: isLast ? endOfRequest() : nil)
            return
        }
        var prefix = ByteBuffer()
        HTTP1RequestEncoder.writeChunkPrefix(length: chunk.readableBytes, into: &prefix)
        var suffix = ByteBuffer()
        HTTP1RequestEncoder.writeChunkSuffix(into: &suffix)
        context.write(wrapOutboundOut(prefix), promise: nil)
        context.write(wrapOutboundOut(chunk), promise: nil)
        context.writeAndFlush(wrapOutboundOut(suffix), promise: nil)
    }

    func exchangeIsReleased(_ exchange: Exchange) {
        guard exchange === self.exchange else { return }
        clock.noteProgress(at: now)
        // A pump that has begun continues by itself.
        if exchange.pump == nil, progress.continueDue == nil, let upload { sendContent(upload) }
        ensureTimer()
    }

    func endContent(of exchange: Exchange, trailers: HTTPFields?) {
        guard exchange === self.exchange, let upload, let context else { return }
        // Empty if the body has a declared length.
        var last = ByteBuffer()
        if case .chunked = upload.framing {
            do throws(RequestEncodeError) {
                try HTTP1RequestEncoder.writeLastChunk(trailers: trailers, into: &last)
            } catch {
                return abort(error.asApusError)
            }
        }
        context.writeAndFlush(wrapOutboundOut(last), promise: endOfRequest())
    }

    /// Returns a promise for the last write of a request. The request has ended once the kernel has taken all bytes.
    private func endOfRequest() -> EventLoopPromise<Void>? {
        guard let exchange, upload != nil else { return nil }
        upload = nil
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.requestEnded(exchange) }
        return promise
    }

    private func requestEnded(_ exchange: Exchange) {
        guard exchange === self.exchange else { return }
        machine.requestEnded()
        let end = now
        clock.noteQueued(at: end)
        clock.look(context?.channel.socketStatus, at: end)
        let sent = progress.sentBytes
        exchange.record.write { metrics in
            metrics.requestEnd = end
            metrics.requestBodyBytes = sent
        }
        ensureTimer()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            clock.noteWritable(at: now)
            if upload?.hasRest == true, progress.continueDue == nil { sendMore() }
            exchange?.resumeWriter()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var incoming = unwrapInboundIn(data).received
        let instant = now
        progress.lastRead = instant
        clock.noteProgress(at: instant)
        if unread == nil { unread = incoming } else { unread?.appendReceived(&incoming) }
        parse()
    }

    private func parse() {
        // Bytes received without a request stay unread, which makes `settle` close the connection.
        guard let exchange else { return }
        if isUnsent, progress.isReused { return handBack(exchange) }
        guard var buffer = unread.take() else { return }
        let received = buffer.readableBytes
        if progress.firstByte == nil { progress.firstByte = progress.lastRead }
        do throws(HTTP1ParseError) {
            while machine.isActive, !progress.isChallenged, let event = try parser.next(&buffer) {
                handle(event, exchange)
            }
        } catch {
            progress.receivedBytes += Int64(received - buffer.readableBytes)
            // A head that arrived just before belongs to the caller.
            if progress.status != nil { exchange.deliver() }
            return connectionFailed(error.asApusError)
        }
        progress.receivedBytes += Int64(received - buffer.readableBytes)
        if progress.isChallenged { return handBack(exchange) }
        if buffer.readableBytes > 0 { unread = buffer.received }
        if !machine.isActive { complete(exchange) }
        exchange.deliver()
        guard progress.startsContent else { return }
        progress.startsContent = false
        if exchange === self.exchange, machine.isActive, let upload { sendContent(upload) }
    }

    private func handle(_ event: HTTP1ResponseParser.Event, _ exchange: Exchange) {
        switch event {
        case .informational(let head):
            exchange.record.noteInformational(HTTPResponse(status: head.status, headerFields: head.fields))
            // Sent after the events of this read: after a write error SwiftNIO reads inside of a write.
            if head.status.code == 100, progress.continueDue != nil {
                progress.continueDue = nil
                progress.startsContent = true
            }
        case .head(let head):
            if head.status.code == 407, forwarding?.takeUp(head.fields, for: exchange) == true {
                progress.isChallenged = true
                return
            }
            progress.keepsAlive = head.keepAlive
            progress.status = head.status
            progress.hasUpgraded = head.framing == .upgraded
            // A final response instead of 100. A successful one may still read the body, any other one does not.
            if progress.continueDue != nil || progress.sentBytes == 0 && exchange.holdsUnreadContent {
                progress.continueDue = nil
                progress.keepsAlive = false
                progress.startsContent = head.status.kind == .successful
                if !progress.startsContent { upload = nil }
            }
            if !machine.isRequestDone || clock.watchesSending { ensureTimer() }
            exchange.receive(ReceivedHead(status: head.status, fields: head.fields, isPlain: head.isPlain))
        case .body(let chunk):
            progress.bodyBytes += Int64(chunk.readableBytes)
            exchange.receive(chunk)
        case .end(let trailers):
            progress.trailers = trailers
            machine.responseEnded(keepsAlive: progress.keepsAlive && !progress.hasUpgraded)
        }
    }

    /// Ends the exchange after a complete response, even if part of the request is unsent.
    private func complete(_ exchange: Exchange) {
        let progress = progress
        exchange.finish(at: progress.lastRead) { progress.write(into: &$0) }
        // Afterwards, since a reader that sees the end may read the record.
        exchange.receiveEnd(trailers: progress.trailers)
        if machine.isRequestDone { upload = nil }
        self.exchange = nil
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        settle()
        context.fireChannelReadComplete()
    }

    private func settle() {
        // TLS decrypts whole records only, so bytes of the next record may not have been passed on yet. Before the
        // first request they are those of a session ticket.
        switch machine.readEnded(hasLeftover: unread != nil || exchangeCount > 0 && records?.isInsideRecord == true) {
        case .nothing: break
        case .release: pool?.release(self)
        case .close: close()
        }
    }

    func read(context: ChannelHandlerContext) {
        isReadHeld = exchange?.holdsReading() ?? false
        if !isReadHeld { context.read() }
    }

    func exchangeWantsMore(_ exchange: Exchange) {
        guard exchange === self.exchange, isReadHeld else { return }
        isReadHeld = false
        clock.noteProgress(at: now)
        ensureTimer()
        context?.read()
    }

    func exchangeIsDiscarded(_ exchange: Exchange, upTo byteCount: Int) {
        guard exchange === self.exchange else { return }
        guard parser.missingBodyBytes ?? 0 <= byteCount else { return exchange.cancel() }
        if machine.servesAgain, progress.keepsAlive { pool?.drain(self) }
        exchangeWantsMore(exchange)
    }

    // MARK: Failure and closing

    func exchangeAborted(_ exchange: Exchange, _ error: ApusError) {
        guard exchange === self.exchange else { return exchange.fail(error) }
        abort(error)
    }

    /// Fails the current exchange and closes the connection.
    func abort(_ error: ApusError) {
        exchangeFailed(error)
        close()
    }

    private func exchangeFailed(_ error: ApusError) {
        guard let exchange else { return }
        self.exchange = nil
        let progress = progress
        exchange.record.write { progress.write(into: &$0) }
        exchange.fail(error)
    }

    /// Handles a connection failure: resends the exchange on a new connection if that is safe, otherwise fails it.
    private func connectionFailed(_ error: ApusError) {
        guard let exchange else { return close() }
        if isUnsent, progress.isReused { return handBack(exchange) }
        let fate: RequestFate = progress.isReused && !parser.hasStartedResponse ? .perhapsProcessed : .processed
        guard exchange.mayBeResent(after: fate) else { return abort(error) }
        exchange.noteResend(after: fate)
        handBack(exchange)
    }

    func channelInactive(context: ChannelHandlerContext) {
        endOfStream()
        context.fireChannelInactive()
    }

    private func endOfStream() {
        guard !hasSeenEnd else { return }
        hasSeenEnd = true
        if let exchange, machine.isActive {
            do throws(HTTP1ParseError) {
                handle(try parser.finish(), exchange)
                progress.keepsAlive = false
                complete(exchange)
                exchange.deliver()
            } catch {
                connectionFailed(error.asApusError)
            }
        }
        close()
        pool?.connectionClosed(self)
        pool = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard exchange != nil else { return close() }
        // Without close_notify, a read-until-close body may be truncated. Other framings detect truncation.
        if TLSFailure.isUncleanShutdown(error), !parser.isReadingUntilClose { return endOfStream() }
        let code: ApusError.Code = machine.isRequestDone || parser.hasStartedResponse ? .connectionClosed : .sendFailed
        connectionFailed(TLSFailure.connection(code, error, on: pool?.route))
    }

    func close() {
        _ = machine.closed()
        timer.stop()
        context?.close(promise: nil)
        // Don't wait for the peer's close_notify. RFC 8446 §6.1 does not require it.
        secureContext?.close(promise: nil)
        secureContext = nil
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        secureContext = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        records = try? context.pipeline.syncOperations.handler(type: TLSRecordTracker.self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        endOfStream()
        self.context = nil
        secureContext = nil
    }

    // MARK: Timeouts

    private var situation: ExchangeClock.Situation {
        .init(isRequestDone: machine.isRequestDone, hasResponse: progress.status != nil)
    }

    /// Whether the clock's limits apply. They don't while reading is paused, or while the body is held back: for a `100
    /// (Continue)`, or because the request is suspended.
    private var isTimed: Bool {
        guard let exchange, machine.isActive, !isReadHeld, progress.continueDue == nil else { return false }
        return machine.isRequestDone || !exchange.isContentHeld
    }

    /// Sets the one timer for the next due time. It is rescheduled when it fires, not at every read.
    private func ensureTimer() {
        guard let next = isTimed ? clock.nextCheck(situation) : progress.continueDue else { return }
        timer.ensure(next, on: loop, for: self)
    }

    func handleScheduledCallback(eventLoop: some EventLoop) {
        guard timer.fired() else { return }
        let now = now
        if let continueDue = progress.continueDue, continueDue <= now, let upload { sendContent(upload) }
        if isTimed {
            if clock.watchesSending { clock.look(context?.channel.socketStatus, at: now) }
            if let due = clock.due(situation), due.instant <= now { return abort(due.expiry.error(after: due.limit)) }
        }
        ensureTimer()
    }
}

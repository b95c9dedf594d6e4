internal import NIOCore

/// The source of the responses.
enum Responder: Sendable {
    case endpoints(Endpoints)
    case handler(@Sendable (TestRequest) async -> TestResponse)
}

/// Serves HTTP/1.1 on a connection. Handles one exchange at a time, and pipelined requests in order.
///
///     head ─→ body ─→ responding ─(persistent)→ head …
///                          └─→ over
final class OriginHandler: ChannelDuplexHandler, EndingHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case head
        case body(RequestHead, RequestBodyDecoder)
        case responding
        case over
    }

    /// The maximum number of unread bytes while a response is being written.
    private static let inputLimit = 256 << 10

    private let responder: Responder
    private let state: ServerState
    private let facts: ConnectionFacts
    private let door: LoopGate

    private var phase = Phase.head
    private var input = ByteBuffer()
    private var headReader = HeadReader()
    private var request: TestRequest?
    private var readsHeld = false
    private var isProcessing = false

    private var pump: ChunkPump?
    private var timer: Scheduled<Void>?
    private var task: Task<Void, Never>?

    init(_ responder: Responder, state: ServerState, facts: ConnectionFacts, door: LoopGate) {
        self.responder = responder
        self.state = state
        self.facts = facts
        self.door = door
    }

    // MARK: Channel events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .over = phase { return }
        var bytes = unwrapInboundIn(data)
        if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
        process(context)
    }

    func read(context: ChannelHandlerContext) {
        if input.readableBytes >= Self.inputLimit { readsHeld = true } else { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump?.run(context)
    }

    func end() {
        phase = .over
        timer?.cancel()
        timer = nil
        pump?.cancel()
        pump = nil
        task?.cancel()
        task = nil
        // Record a request with an incomplete body too.
        if let request { state.record(request) }
        request = nil
    }

    // MARK: Reading

    private func process(_ context: ChannelHandlerContext) {
        // A response that is written at once calls this again. Continue in the loop instead of recursing.
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while true {
            switch phase {
            case .responding, .over:
                return
            case .head:
                switch headReader.next(&input) {
                case .needsMore: return releaseReads(context)
                case .tooLarge: return refuse(431, "head too large", context)
                case .head(let bytes):
                    let head = RequestHead(bytes)
                    if !begin(head, context) { return }
                }
            case .body(let head, var reader):
                let event = reader.next(&input)
                phase = .body(head, reader)
                switch event {
                case nil: return releaseReads(context)
                case .bytes(let slice): slice.withUnsafeReadableBytes { request?.append($0) }
                case .fault(let text): return refuse(400, text, context)
                case .end(let trailers):
                    guard var request else { return }
                    request.complete(trailers: trailers)
                    self.request = nil
                    state.record(request)
                    phase = .responding
                    respond(to: request, head, context)
                }
            }
        }
    }

    /// - Returns: false if the connection ends.
    private func begin(_ head: RequestHead, _ context: ChannelHandlerContext) -> Bool {
        let request = TestRequest(head, connection: facts)
        if let fault = head.fault {
            state.record(request)
            refuse(400, fault, context)
            return false
        }
        self.request = request
        phase = .body(head, RequestBodyDecoder(head.framing))
        return head.expectsContinue && head.hasBody ? sendContinue(request, context) : true
    }

    /// Responds to `Expect: 100-continue` before the body.
    ///
    /// - Returns: false if the body is rejected.
    private func sendContinue(_ request: TestRequest, _ context: ChannelHandlerContext) -> Bool {
        if case .endpoints = responder, request.path == "/expect-continue", request.queryValue("refuse") == "1" {
            self.request = nil
            state.record(request)
            refuse(417, "no body wanted", context)
            return false
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        return true
    }

    private func refuse(_ status: Int, _ text: String, _ context: ChannelHandlerContext) {
        var response = TestResponse.text(text, status: status)
        response.closes = true
        phase = .responding
        request = nil
        write(response, nil, context)
    }

    private func releaseReads(_ context: ChannelHandlerContext) {
        guard readsHeld, input.readableBytes < Self.inputLimit else { return }
        readsHeld = false
        context.read()
    }
}

// MARK: - Responses

extension OriginHandler {
    private func respond(to request: TestRequest, _ head: RequestHead, _ context: ChannelHandlerContext) {
        switch responder {
        case .endpoints(let endpoints):
            begin(endpoints.response(to: request), head, context)
        case .handler(let handler):
            let door = door
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            task = Task {
                let response = await handler(request)
                door.enter {
                    let (origin, context) = bound.value
                    guard case .responding = origin.phase else { return }
                    origin.task = nil
                    origin.begin(response, head, context)
                }
            }
        }
    }

    private func begin(_ response: TestResponse, _ head: RequestHead, _ context: ChannelHandlerContext) {
        guard response.delay > .zero else { return write(response, head, context) }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(response.delay)) {
            self.timer = nil
            self.write(response, head, context)
        }
    }

    private func write(_ response: TestResponse, _ head: RequestHead?, _ context: ChannelHandlerContext) {
        let encoder = ResponseEncoder(response, to: head)
        let isCut = response.abortsAfterBodyBytes != nil
        if let whole = encoder.whole(context.channel.allocator) {
            guard encoder.closes else {
                context.writeAndFlush(wrapOutboundOut(whole), promise: nil)
                return finish(closes: false, isCut: false, context)
            }
            let promise = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(wrapOutboundOut(whole), promise: promise)
            promise.futureResult.assumeIsolated().whenComplete { _ in
                self.finish(closes: true, isCut: false, context)
            }
            return
        }
        context.write(wrapOutboundOut(encoder.head(context.channel.allocator)), promise: nil)
        let pieces = encoder.pieces(context.channel.allocator)
        let pump = ChunkPump(pieces: pieces, interval: response.body.interval) { result in
            self.pump = nil
            guard case .success = result else { return }
            self.finish(closes: encoder.closes, isCut: isCut, context)
        }
        self.pump = pump
        // Flush the head now, unless the first piece of the body follows at once.
        if response.body.interval > .zero || isCut { context.flush() }
        pump.run(context)
    }

    private func finish(closes: Bool, isCut: Bool, _ context: ChannelHandlerContext) {
        guard case .responding = phase else { return }
        if isCut {
            phase = .over
            context.closeAbruptly()
        } else if closes {
            phase = .over
            closeAfterLinger(context)
        } else {
            phase = .head
            process(context)
        }
    }

    /// Closes after the client had time to read the response.
    ///
    /// Closing a socket with unread bytes sends a RST, and the client loses the data it has not read yet. So only the
    /// output is closed first. The socket is closed after one second, unless the client closes earlier. With TLS, the
    /// close_notify and its timeout have the same effect.
    private func closeAfterLinger(_ context: ChannelHandlerContext) {
        guard !facts.isSecure else { return context.close(promise: nil) }
        context.close(mode: .output, promise: nil)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            self.timer = nil
            context.close(promise: nil)
        }
    }
}

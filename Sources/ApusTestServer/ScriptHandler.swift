internal import NIOCore

/// Runs a script on a channel.
///
/// Each step runs as soon as the previous one is done. A step without enough input stays current and runs again when
/// more input arrives. A step that takes time calls ``resume(_:)``.
final class ScriptHandler: ChannelDuplexHandler, EndingHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Progress {
        case done
        case needsInput
        case takesTime
    }

    ///     ready ⇄ needsInput | busy
    ///       └─→ silent ─→ over
    private enum Phase {
        case ready
        /// The current step waits for more bytes.
        case needsInput
        /// The current step takes time.
        case busy
        /// The script has ended. All input is ignored.
        case silent
        case over
    }

    /// The number of unread bytes at which reading from the socket stops.
    private static let inputLimit = 1 << 20
    /// The number of steps after which other channels of the event loop may run.
    private static let stepsPerTurn = 64

    private let state: ServerState
    private let facts: ConnectionFacts
    private let door: LoopGate
    private var cursor: ScriptCursor

    private var current: Step?
    private var phase = Phase.ready
    private var isPlaying = false
    private var readsHeld = false
    private var readsStopped = false
    private var inputEnded = false

    private var input = ByteBuffer()
    private var headReader = HeadReader()
    private var bodyReader: RequestBodyDecoder?
    private var bytesLeft: Int?
    private var request: TestRequest?
    private var requestIndex: Int?

    private let output = OutputHold()
    private var pump: ChunkPump?
    private var timer: Scheduled<Void>?
    private var waiting: (gate: Gate, token: Int)?

    init(_ script: Script, state: ServerState, facts: ConnectionFacts, door: LoopGate) {
        cursor = ScriptCursor(script)
        self.state = state
        self.facts = facts
        self.door = door
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { play(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        play(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .silent, .over: return
        case .ready, .needsInput, .busy: break
        }
        var bytes = unwrapInboundIn(data)
        if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
        inputReceived(context)
    }

    func read(context: ChannelHandlerContext) {
        if readsStopped || input.readableBytes >= Self.inputLimit {
            readsHeld = true
        } else {
            context.read()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump?.run(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
        inputEnded = true
        if case .silent = phase { close(context) } else { inputReceived(context) }
    }

    // MARK: Steps

    private func play(_ context: ChannelHandlerContext) {
        guard !isPlaying else { return }
        isPlaying = true
        defer { isPlaying = false }
        var steps = 0
        while case .ready = phase {
            guard steps < Self.stepsPerTurn else { return after(.turn, context) }
            steps += 1
            guard let step = current ?? cursor.next() else { return fallSilent(context) }
            current = step
            phase = .busy
            switch take(step, context) {
            case .done:
                current = nil
                if case .busy = phase { phase = .ready }
            case .needsInput:
                if inputEnded { close(context) } else { phase = .needsInput }
            case .takesTime:
                break
            }
            releaseReads(context)
        }
    }

    private func inputReceived(_ context: ChannelHandlerContext) {
        guard case .needsInput = phase else { return }
        phase = .ready
        play(context)
    }

    /// Continues after a step that took time. May be called before that step's function has returned.
    private func resume(_ context: ChannelHandlerContext) {
        guard case .busy = phase else { return }
        current = nil
        phase = .ready
        play(context)
    }

    private func take(_ step: Step, _ context: ChannelHandlerContext) -> Progress {
        switch step {
        case .expectHead: return takeHead(context)
        case .expectBytes(let count): return takeBytes(count)
        case .expectBody: return takeBody(context)
        case .expectEnd:
            input.clear()
            return inputEnded ? .done : .needsInput
        case .send(let text): return send([UInt8](latin1: text), context)
        case .sendBytes(let bytes): return send(bytes, context)
        case .sendRepeatedly(let bytes, let count): return send(bytes, count: count, context)
        case .hold: try? context.pipeline.syncOperations.addHandler(output, position: .first)
        case .release(let count): output.release(allBut: count)
        case .pause(let time):
            after(max(TimeAmount(time), .turn), context)
            return .takesTime
        case .wait(let gate): return wait(gate, context)
        case .signal(let gate): gate.open()
        case .allowHalfClose:
            try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        case .halfClose:
            context.close(mode: .output).assumeIsolated().whenComplete { _ in self.resume(context) }
            return .takesTime
        case .close: close(context)
        case .abruptClose: closeAbruptly(context)
        case .reset:
            phase = .over
            context.reset()
        case .stopReading:
            readsStopped = true
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        case .silence, .loop: fallSilent(context)
        }
        return .done
    }

    private func fallSilent(_ context: ChannelHandlerContext) {
        phase = .silent
        input.clear()
        if inputEnded { close(context) }
    }

    private func close(_ context: ChannelHandlerContext) {
        phase = .over
        context.close(promise: nil)
    }

    private func closeAbruptly(_ context: ChannelHandlerContext) {
        phase = .over
        context.closeAbruptly()
    }

    /// Cancels everything that could call back.
    func end() {
        phase = .over
        timer?.cancel()
        timer = nil
        pump?.cancel()
        pump = nil
        if let (gate, token) = waiting { gate.forget(token) }
        waiting = nil
        if bodyReader != nil { updateRecord() }
        bodyReader = nil
        request = nil
    }

    private func releaseReads(_ context: ChannelHandlerContext) {
        guard readsHeld, !readsStopped, input.readableBytes < Self.inputLimit else { return }
        readsHeld = false
        context.read()
    }
}

// MARK: - Reading

extension ScriptHandler {
    private func takeHead(_ context: ChannelHandlerContext) -> Progress {
        switch headReader.next(&input) {
        case .needsMore: return .needsInput
        case .tooLarge:
            closeAbruptly(context)
            return .done
        case .head(let bytes):
            let head = RequestHead(bytes)
            bodyReader = RequestBodyDecoder(head.framing)
            let request = TestRequest(head, connection: facts)
            requestIndex = state.record(request)
            self.request = request
            return .done
        }
    }

    private func takeBytes(_ count: Int) -> Progress {
        let left = bytesLeft ?? count
        let slice = input.readSlice(length: min(left, input.readableBytes)) ?? ByteBuffer()
        slice.withUnsafeReadableBytes { request?.append($0) }
        bytesLeft = left - slice.readableBytes
        guard bytesLeft == 0 else { return .needsInput }
        bytesLeft = nil
        updateRecord()
        return .done
    }

    private func takeBody(_ context: ChannelHandlerContext) -> Progress {
        while true {
            switch bodyReader?.next(&input) {
            case nil where bodyReader == nil: return .done
            case nil: return .needsInput
            case .bytes(let slice): slice.withUnsafeReadableBytes { request?.append($0) }
            case .end(let trailers):
                request?.complete(trailers: trailers)
                updateRecord()
                bodyReader = nil
                return .done
            case .fault:
                closeAbruptly(context)
                return .done
            }
        }
    }

    private func updateRecord() {
        if let request, let requestIndex { state.replace(request, at: requestIndex) }
    }
}

// MARK: - Asynchronous steps

extension ScriptHandler {
    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) -> Progress {
        guard !bytes.isEmpty else { return .done }
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { result in
            if case .success = result { self.resume(context) }
        }
        return .takesTime
    }

    private func send(_ bytes: [UInt8], count: Int, _ context: ChannelHandlerContext) -> Progress {
        guard !bytes.isEmpty, count > 0 else { return .done }
        let piece = ByteBuffer(bytes: bytes)
        var left = count
        let pump = ChunkPump(
            pieces: {
                guard left > 0 else { return nil }
                left -= 1
                return piece
            },
            completion: { result in
                self.pump = nil
                if case .success = result { self.resume(context) }
            }
        )
        self.pump = pump
        pump.run(context)
        return .takesTime
    }

    private func wait(_ gate: Gate, _ context: ChannelHandlerContext) -> Progress {
        if gate.isOpen { return .done }
        let door = door
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let token = gate.whenOpen {
            door.enter {
                let (handler, context) = bound.value
                handler.waiting = nil
                handler.resume(context)
            }
        }
        waiting = (gate, token)
        return .takesTime
    }

    private func after(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        phase = .busy
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.timer = nil
            self.resume(context)
        }
    }
}

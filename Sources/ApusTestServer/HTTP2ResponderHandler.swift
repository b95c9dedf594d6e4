internal import NIOCore

/// Responds to each HTTP/2 request of a connection with a short text, after a delay.
///
/// It reads the headers of frames, and decodes no fields. It ignores the windows of the client: all responses of a
/// connection together are shorter than the first window, which has 65,535 bytes. It closes the connection after an
/// invalid or unexpected frame.
///
///     preface ─→ frames ─→ over
final class HTTP2ResponderHandler: ChannelDuplexHandler, EndingHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case preface
        case frames
        case over
    }

    /// The type of a frame, RFC 9113 §6.
    private enum Kind: UInt8 {
        case data = 0x0
        case headers = 0x1
        case priority = 0x2
        case reset = 0x3
        case settings = 0x4
        case ping = 0x6
        case goAway = 0x7
        case windowUpdate = 0x8
    }

    private enum Flag {
        static let acknowledgement: UInt8 = 0x1
        static let endStream: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
    }

    private struct Frame {
        let kind: Kind
        let flags: UInt8
        let stream: UInt32
        let payload: ByteBuffer

        var endsStream: Bool { flags & Flag.endStream != 0 }
        var endsHeaders: Bool { flags & Flag.endHeaders != 0 }
        var isAcknowledgement: Bool { flags & Flag.acknowledgement != 0 }
    }

    /// A frame or a preface that closes the connection.
    private struct Fault: Error {}

    /// The maximum number of requests on a connection.
    private static let requestLimit = 1000
    /// The default of SETTINGS_MAX_FRAME_SIZE, which the server does not raise.
    private static let largestPayload = 16_384
    private static let headerBytes = 9
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    /// The header block `:status: 200, content-type: text/plain`, which needs no table, RFC 7541 §6.
    private static let block: [UInt8] = [0x88, 0x0F, 0x10, 0x0A] + Array("text/plain".utf8)

    private let delay: @Sendable (Int) -> Duration
    private let state: ServerState

    private var phase = Phase.preface
    private var input = ByteBuffer()
    private var isReadHeld = false
    private var requestCount = 0
    private var lastStream: UInt32 = 0
    /// The streams whose requests have not ended.
    private var unfinished: Set<UInt32> = []
    /// The streams whose responses are delayed.
    private var timers: [UInt32: Scheduled<Void>] = [:]

    /// - Parameters:
    ///   - delay: Returns the delay of the response on a stream.
    ///   - state: Counts the requests.
    init(delay: @escaping @Sendable (Int) -> Duration, state: ServerState) {
        self.delay = delay
        self.state = state
    }

    // MARK: Channel events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .over else { return }
        var bytes = unwrapInboundIn(data)
        if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
        do throws(Fault) {
            try readPreface(context)
            while phase == .frames, let frame = try nextFrame() { try take(frame, context) }
        } catch {
            end()
            return context.closeAbruptly()
        }
        if input.readableBytes == 0 { input = ByteBuffer() } else { input.discardReadBytes() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
        context.fireChannelReadComplete()
    }

    /// Stops reading while the client does not read, so that the memory of unsent frames is limited.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { isReadHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isReadHeld, context.channel.isWritable {
            isReadHeld = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    func end() {
        phase = .over
        for timer in timers.values { timer.cancel() }
        timers = [:]
        unfinished = []
        input = ByteBuffer()
    }

    // MARK: Frames

    /// Reads the beginning of the connection, which is the same for every client, and responds with SETTINGS.
    private func readPreface(_ context: ChannelHandlerContext) throws(Fault) {
        guard phase == .preface else { return }
        let beginning = input.readableBytesView.prefix(Self.preface.count)
        guard Self.preface.starts(with: beginning) else { throw Fault() }
        guard beginning.count == Self.preface.count else { return }
        input.moveReaderIndex(forwardBy: Self.preface.count)
        phase = .frames
        write(.settings, on: 0, context)
    }

    /// Returns the next frame, or `nil` if more bytes are needed.
    private func nextFrame() throws(Fault) -> Frame? {
        guard let word = input.getInteger(at: input.readerIndex, as: UInt32.self) else { return nil }
        let length = Int(word >> 8)
        guard length <= Self.largestPayload, let kind = Kind(rawValue: UInt8(truncatingIfNeeded: word)) else {
            throw Fault()
        }
        guard input.readableBytes >= Self.headerBytes + length else { return nil }
        input.moveReaderIndex(forwardBy: 4)
        guard let flags = input.readInteger(as: UInt8.self), let stream = input.readInteger(as: UInt32.self),
            let payload = input.readSlice(length: length)
        else { return nil }
        // The highest bit is reserved.
        return Frame(kind: kind, flags: flags, stream: stream & 0x7FFF_FFFF, payload: payload)
    }

    private func take(_ frame: Frame, _ context: ChannelHandlerContext) throws(Fault) {
        switch frame.kind {
        case .headers: try takeHeaders(frame, context)
        case .data: try takeData(frame, context)
        case .reset:
            unfinished.remove(frame.stream)
            timers.removeValue(forKey: frame.stream)?.cancel()
        case .settings:
            if !frame.isAcknowledgement { write(.settings, flags: Flag.acknowledgement, on: 0, context) }
        case .ping:
            guard frame.payload.readableBytes == 8 else { throw Fault() }
            if !frame.isAcknowledgement {
                write(.ping, flags: Flag.acknowledgement, on: 0, context, payload: frame.payload)
            }
        case .priority, .goAway, .windowUpdate: break
        }
    }

    /// Begins a request, or ends it with its trailers.
    private func takeHeaders(_ frame: Frame, _ context: ChannelHandlerContext) throws(Fault) {
        // The requests of a test are short, so no CONTINUATION is expected.
        guard frame.endsHeaders else { throw Fault() }
        if unfinished.contains(frame.stream) {
            guard frame.endsStream else { throw Fault() }
        } else {
            guard frame.stream > lastStream, frame.stream % 2 == 1, requestCount < Self.requestLimit else {
                throw Fault()
            }
            lastStream = frame.stream
            requestCount += 1
            unfinished.insert(frame.stream)
        }
        if frame.endsStream { respond(on: frame.stream, context) }
    }

    private func takeData(_ frame: Frame, _ context: ChannelHandlerContext) throws(Fault) {
        guard frame.stream % 2 == 1, frame.stream <= lastStream else { throw Fault() }
        let isExpected = unfinished.contains(frame.stream)
        let byteCount = frame.payload.readableBytes
        if byteCount > 0 {
            // The rest of the body needs the windows that this frame has used.
            let increment = ByteBuffer(integer: UInt32(byteCount))
            write(.windowUpdate, on: 0, context, payload: increment)
            if isExpected, !frame.endsStream { write(.windowUpdate, on: frame.stream, context, payload: increment) }
        }
        if isExpected, frame.endsStream { respond(on: frame.stream, context) }
    }

    // MARK: Responses

    /// Responds to a complete request after its delay.
    private func respond(on stream: UInt32, _ context: ChannelHandlerContext) {
        unfinished.remove(stream)
        state.countRequest()
        let time = delay(Int(stream))
        guard time > .zero else { return writeResponse(on: stream, context) }
        timers[stream] = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) {
            self.timers[stream] = nil
            self.writeResponse(on: stream, context)
            context.flush()
        }
    }

    private func writeResponse(on stream: UInt32, _ context: ChannelHandlerContext) {
        write(.headers, flags: Flag.endHeaders, on: stream, context, payload: ByteBuffer(bytes: Self.block))
        write(.data, flags: Flag.endStream, on: stream, context, payload: ByteBuffer(string: "stream \(stream)"))
    }

    private func write(
        _ kind: Kind,
        flags: UInt8 = 0,
        on stream: UInt32,
        _ context: ChannelHandlerContext,
        payload: ByteBuffer = ByteBuffer()
    ) {
        var frame = context.channel.allocator.buffer(capacity: Self.headerBytes + payload.readableBytes)
        frame.writeInteger(UInt32(payload.readableBytes) << 8 | UInt32(kind.rawValue))
        frame.writeInteger(flags)
        frame.writeInteger(stream)
        frame.writeImmutableBuffer(payload)
        context.write(wrapOutboundOut(frame), promise: nil)
    }
}

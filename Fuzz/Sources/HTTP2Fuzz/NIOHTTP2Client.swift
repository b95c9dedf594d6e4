internal import NIOCore
internal import NIOEmbedded
internal import NIOHPACK
internal import NIOHTTP2

/// SwiftNIO's client for one connection. It reads the frames of a server one by one.
final class NIOHTTP2Client {
    private let channel = EmbeddedChannel()
    private let recorder = Recorder()
    private(set) var outcome: HTTP2Outcome
    /// The names of the errors that the last frame caused.
    private(set) var reason = ""
    /// The code of the connection's failure.
    private(set) var failureCode: UInt32?

    /// Opens the streams of a connection, with the limits of Apus where they can be set.
    init(_ connection: HTTP2Case) throws {
        outcome = HTTP2Outcome(connection.requests)
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .initialWindowSize, value: connection.streamWindowBytes),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 65_536),
        ]
        configuration.maximumSequentialEmptyDataFrames = 1_000
        configuration.maximumSequentialContinuationFrames = 64
        let handler = NIOHTTP2Handler(
            mode: .client,
            connectionConfiguration: configuration,
            streamConfiguration: NIOHTTP2Handler.StreamConfiguration()
        )
        try channel.pipeline.syncOperations.addHandlers([handler, recorder])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for request in connection.requests {
            let content = HTTP2Frame.FramePayload.Headers(
                headers: HPACKHeaders(request.lines),
                endStream: !request.isOpen
            )
            try write(.headers(content), on: request.stream)
        }
        _ = takeOutput()
    }

    deinit {
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    func cancel(_ stream: Int32) throws {
        try write(.rstStream(.cancel), on: stream)
        noteSent()
        recorder.forget()
    }

    func receive(_ frame: [UInt8]) throws {
        recorder.forget()
        try channel.writeInbound(ByteBuffer(bytes: frame))
        noteSent()
        for frame in recorder.frames { note(frame) }
        for stream in recorder.closedStreams { noteClosed(stream) }
        reason = recorder.errors.map(Self.name).joined(separator: ", ")
    }

    private func write(_ payload: HTTP2Frame.FramePayload, on stream: Int32) throws {
        try channel.writeOutbound(HTTP2Frame(streamID: HTTP2StreamID(stream), payload: payload))
    }

    private func takeOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try? channel.readOutbound(as: ByteBuffer.self) { bytes += Array(buffer.readableBytesView) }
        return bytes
    }

    /// Records the frames that end a stream or the connection.
    private func noteSent() {
        for frame in HTTP2SentFrame.all(in: takeOutput()) ?? [] {
            switch frame.type {
            case HTTP2Peer.Kind.reset: outcome.streams[frame.stream]?.isReset = true
            case HTTP2Peer.Kind.goAway:
                outcome.isFailed = true
                failureCode = HTTP2SentFrame.number(frame.payload.dropFirst(4).prefix(4))
            default: break
            }
        }
    }

    private func note(_ frame: HTTP2Frame) {
        let stream = Int32(frame.streamID)
        switch frame.payload {
        case .headers(let content):
            noteHeaders(content.headers.map { ($0.name, $0.value) }, endStream: content.endStream, of: stream)
        case .data(let content):
            if case .byteBuffer(let bytes) = content.data {
                outcome.streams[stream]?.body.append(contentsOf: bytes.readableBytesView)
            }
            if content.endStream { outcome.streams[stream]?.end = .complete }
        case .rstStream:
            if outcome.streams[stream]?.end == .open { outcome.streams[stream]?.end = .resetByServer }
        default: break
        }
    }

    private func noteHeaders(_ lines: [(name: String, value: String)], endStream: Bool, of stream: Int32) {
        var status = ""
        var fields: [(name: String, value: String)] = []
        for line in lines {
            if line.name == ":status" { status = line.value }
            if !line.name.hasPrefix(":") { fields.append(line) }
        }
        if outcome.streams[stream]?.status != nil {
            outcome.streams[stream]?.trailers = HTTP2OutcomeFields.trailers(fields)
        } else if status.hasPrefix("1") {
            // SwiftNIO leaves the stream open here.
            outcome.streams[stream]?.informational.append(status)
            return
        } else {
            outcome.streams[stream]?.status = status
            outcome.streams[stream]?.fields = HTTP2OutcomeFields.head(fields)
        }
        if endStream { outcome.streams[stream]?.end = .complete }
    }

    /// Records a closed stream. If neither side has reset it and its response is incomplete, a GOAWAY excluded it.
    private func noteClosed(_ stream: Int32) {
        guard let known = outcome.streams[stream], known.end == .open, !known.isReset else { return }
        outcome.streams[stream]?.end = .excluded
    }

    /// Returns the name of an error's type. An error of a stream contains another one.
    private static func name(_ error: any Error) -> String {
        if let error = error as? NIOHTTP2Errors.StreamError { return name(error.baseError) }
        return "\(type(of: error))"
    }

    /// Keeps everything that the handler passes on.
    private final class Recorder: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame

        private(set) var frames: [HTTP2Frame] = []
        private(set) var closedStreams: [Int32] = []
        private(set) var errors: [any Error] = []

        func forget() {
            frames = []
            closedStreams = []
            errors = []
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            frames.append(unwrapInboundIn(data))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? StreamClosedEvent { closedStreams.append(Int32(event.streamID)) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            errors.append(error)
        }
    }
}

import NIOCore
import NIOSSL

/// One connection of an `HTTP2Server`. Confined to the event loop.
///
///     unknown → http2 → over      (the first bytes of the client decide)
///        └────→ http1 ──↗
final class HTTP2ServerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Phase {
        case unknown
        case http2
        case http1
        case over
    }

    /// A header block that a CONTINUATION frame must continue.
    struct OpenBlock {
        let stream: Int32
        let ends: Bool
        var bytes: [UInt8]
    }

    /// The window of a connection, and that of a stream unless SETTINGS has another one.
    static let initialWindow = 65_535
    private static let mark = "PRI "

    let number: Int
    let options: HTTP2Server.Options
    let log: Watched<HTTP2Server.Log>
    let responder: HTTP2Server.Responder
    /// The connection for its streams. `nil` after its end.
    var connection: HTTP2ServerConnection?

    private var context: ChannelHandlerContext?
    private(set) var phase = Phase.unknown
    private var firstBytes = ByteBuffer()
    private var http1 = HTTP1HeadReader()

    var reader: ClientFrameReader
    var headerBlocks = HeaderBlockReader()
    var openBlock: OpenBlock?
    /// The streams that are open in at least one direction.
    var streams: [Int32: HTTP2ServerStreamState] = [:]
    /// The last stream that the client has opened.
    var lastStream: Int32 = 0
    /// The last stream that is processed. A GOAWAY lowers it.
    var lastProcessed = Int32.max
    /// The streams whose requests the client has ended or reset.
    var endedByClient: Set<Int32> = []
    /// The streams that the client has reset.
    var resetByClient: Set<Int32> = []

    /// The stream of which DATA was last sent.
    var lastServed: Int32 = 0
    /// The number of bytes that the client accepts on the connection.
    var sendWindow = HTTP2ServerHandler.initialWindow
    /// The same for a new stream.
    var streamSendWindow = HTTP2ServerHandler.initialWindow
    /// The number of bytes that the client may send on the connection.
    var receiveWindow = HTTP2ServerHandler.initialWindow
    /// The same for a new stream, as far as the client has acknowledged it.
    var streamReceiveWindow = HTTP2ServerHandler.initialWindow
    /// The maximum number of streams that was announced.
    var announcedLimit = Int.max
    /// The maximum number of streams that the client has acknowledged.
    var acknowledgedLimit = Int.max
    /// The SETTINGS that the client has not acknowledged, in order.
    var unacknowledged: [[HTTP2ServerSetting]] = []

    init(
        number: Int,
        options: HTTP2Server.Options,
        log: Watched<HTTP2Server.Log>,
        responder: @escaping HTTP2Server.Responder
    ) {
        self.number = number
        self.options = options
        self.log = log
        self.responder = responder
        self.reader = ClientFrameReader(connection: number)
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        switch phase {
        case .unknown: begin(bytes)
        case .http2: readFrames(bytes)
        case .http1: readHeads(bytes)
        case .over: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        close()
    }

    // MARK: Start and end

    private func begin(_ bytes: ByteBuffer) {
        firstBytes.writeImmutableBuffer(bytes)
        let beginning = firstBytes.getString(at: firstBytes.readerIndex, length: Self.mark.utf8.count)
        guard let beginning else { return }
        let first = firstBytes
        firstBytes = ByteBuffer()
        guard beginning == Self.mark else {
            phase = .http1
            return readHeads(first)
        }
        phase = .http2
        change(options.settings)
        readFrames(first)
    }

    /// Ends all streams, because the connection has closed.
    private func end() {
        guard phase != .over else { return }
        phase = .over
        let open = streams
        streams = [:]
        for state in open.values { state.end() }
        connection = nil
    }

    /// Closes the socket. With TLS, no close_notify is sent.
    func close() {
        guard let context else { return }
        // A close from the TLS handler's context goes to the socket and bypasses the handler.
        if let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            tls.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
    }

    /// Records a fault of the client, and closes the connection.
    func report(_ fault: ClientFault) {
        let text = "connection \(number): \(fault.text)"
        log.change { $0.faults.append(text) }
        close()
    }

    func write(_ bytes: [UInt8]) {
        guard let context, phase != .over else { return }
        context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        context.flush()
    }

    // MARK: HTTP/1.1

    /// Responds to each request of a client that speaks HTTP/1.1.
    private func readHeads(_ bytes: ByteBuffer) {
        http1.append(bytes)
        while let head = http1.next() {
            let request = HTTP2ServerRequest(connection: number, head: head)
            log.change { $0.requests.append(request) }
            write(Array("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhttp/1.1".utf8))
        }
    }
}

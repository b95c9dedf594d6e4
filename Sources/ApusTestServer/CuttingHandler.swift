internal import NIOCore

/// One side of a connection of a ``CuttingRelay``: that of the client, or that of the server. Reads only while the
/// other side can be written to.
///
/// Confined to the event loop of both channels.
final class CuttingHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let link: RelayLink
    private let readsClient: Bool
    private var other: CuttingHandler?
    private var context: ChannelHandlerContext?
    /// Whether a read waits until the other side can be written to.
    private var isReadHeld = false

    private init(_ link: RelayLink, readsClient: Bool) {
        self.link = link
        self.readsClient = readsClient
    }

    /// Returns the side of the client and that of the server.
    static func ends(of link: RelayLink) -> (client: CuttingHandler, server: CuttingHandler) {
        let client = CuttingHandler(link, readsClient: true)
        let server = CuttingHandler(link, readsClient: false)
        client.other = server
        server.other = client
        return (client, server)
    }

    /// Whether its bytes are counted.
    private var isCounted: Bool { readsClient == (link.direction == .toServer) }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        other = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        other?.releaseRead()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !link.isOver else { return }
        let bytes = unwrapInboundIn(data)
        if !readsClient { link.hasAnswer = true }
        let passed = isCounted ? link.pass(bytes) : bytes
        if passed.readableBytes > 0 { other?.send(passed) }
        if link.isDue { cut() }
    }

    func read(context: ChannelHandlerContext) {
        if canRead { context.read() } else { isReadHeld = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { other?.releaseRead() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !link.isOver { other?.close() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: Both sides

    private var canRead: Bool {
        guard let other, let channel = other.context?.channel else { return false }
        return channel.isActive && channel.isWritable && !(isCounted && link.isUsedUp)
    }

    private func releaseRead() {
        guard isReadHeld, canRead, let context else { return }
        isReadHeld = false
        context.read()
    }

    private func send(_ bytes: ByteBuffer) {
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    private func cut() {
        link.isOver = true
        link.totals.countCut()
        let (client, server): (CuttingHandler?, CuttingHandler?) = readsClient ? (self, other) : (other, self)
        if link.resets { client?.context?.reset() } else { client?.close() }
        server?.close()
    }

    /// Closes this side after everything that was sent to it.
    private func close() {
        guard let context else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
        promise.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }
}

/// The state that both sides of a connection share. Confined to their event loop.
final class RelayLink {
    let direction: CuttingRelay.Direction
    let totals: RelayTotals
    let resets: Bool
    private let waitsForAnswer: Bool
    /// The number of counted bytes until the cut. Nil if there is none.
    private var left: Int?
    var hasAnswer = false
    var isOver = false

    init(counting direction: CuttingRelay.Direction, cut: CuttingRelay.Cut?, totals: RelayTotals) {
        self.direction = direction
        self.totals = totals
        self.resets = cut?.resets ?? false
        self.waitsForAnswer = cut?.waitsForAnswer ?? false
        self.left = cut?.byteCount
    }

    /// Whether no further bytes are passed on in the counted direction.
    var isUsedUp: Bool { left == 0 }

    /// Whether the connection is to be cut now.
    var isDue: Bool { isUsedUp && (hasAnswer || !waitsForAnswer) }

    /// Counts bytes, and returns those before the cut.
    func pass(_ bytes: ByteBuffer) -> ByteBuffer {
        let count = min(left ?? .max, bytes.readableBytes)
        left = left.map { $0 - count }
        totals.count(count)
        return bytes.getSlice(at: bytes.readerIndex, length: count) ?? ByteBuffer()
    }
}

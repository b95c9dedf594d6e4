internal import NIOCore

/// Holds back bytes below TLS, so that a script can split or join TLS records.
final class OutputHold: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var held = ByteBuffer()
    private var isHolding = true
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isHolding else { return context.write(data, promise: promise) }
        var bytes = unwrapOutboundIn(data)
        held.writeBuffer(&bytes)
        promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {
        if !isHolding { context.flush() }
    }

    /// Writes the held bytes except the last `count`.
    func release(allBut count: Int) {
        isHolding = count > 0
        guard let bytes = held.readSlice(length: max(held.readableBytes - count, 0)) else { return }
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }
}

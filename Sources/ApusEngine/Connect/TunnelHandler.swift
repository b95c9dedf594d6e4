internal import NIOCore

/// Passes the bytes of a proxy to the stage that opens a tunnel, and those after them to the next handler. It is
/// removed from the pipeline afterwards.
final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Handles the unread bytes. Returns whether the tunnel is open.
    private var receive: ((inout ByteBuffer) -> Bool)?
    private var end: ((any Error) -> Void)?
    private var unread = ByteBuffer()

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - receive: Takes bytes off the unread ones. Returns whether the tunnel is open, so that the others belong to
    ///     the next handler.
    ///   - end: Called at most once, if the connection fails before.
    init(receive: @escaping (inout ByteBuffer) -> Bool, end: @escaping (any Error) -> Void) {
        self.receive = receive
        self.end = end
    }

    /// Ends the calls to the stage.
    func stop() {
        receive = nil
        end = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let receive else { return context.fireChannelRead(data) }
        // The stage may add handlers, or send more, so the bytes are not held in the property meanwhile.
        var buffer = unread
        unread = ByteBuffer()
        var incoming = unwrapInboundIn(data).received
        buffer.writeBuffer(&incoming)
        guard receive(&buffer) else {
            unread = buffer
            return
        }
        stop()
        if buffer.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(buffer)) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.eof)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard end != nil else { return context.fireErrorCaught(error) }
        fail(error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(ChannelError.alreadyClosed)
    }

    private func fail(_ error: any Error) {
        let end = end
        stop()
        end?(error)
    }
}

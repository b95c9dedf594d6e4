internal import NIOCore

/// A handler whose work ends with its connection.
protocol EndingHandler: ChannelInboundHandler {
    /// Ends all work. Called at the end of the connection, and when the handler is removed.
    func end()
}

extension EndingHandler {
    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After a failed handshake or a RST the connection is gone. The test observes it from the client's side.
        context.closeAbruptly()
    }
}

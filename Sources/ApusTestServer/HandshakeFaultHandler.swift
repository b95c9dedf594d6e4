internal import NIOCore

/// Replaces TLS: ignores the ClientHello, or closes the connection at its first byte.
final class HandshakeFaultHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let closes: Bool

    init(closes: Bool) {
        self.closes = closes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if closes { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

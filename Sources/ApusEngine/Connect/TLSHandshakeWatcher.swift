internal import NIOCore
internal import NIOTLS

/// Waits for the end of a TLS handshake. It is removed from the pipeline afterwards.
final class TLSHandshakeWatcher: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var completion: ((Result<TLSHandshakeWatcher, any Error>) -> Void)?
    /// The protocol that the server has chosen with ALPN.
    private(set) var negotiated: String?

    init(completion: @escaping (Result<TLSHandshakeWatcher, any Error>) -> Void) {
        self.completion = completion
    }

    private func finish(_ result: Result<TLSHandshakeWatcher, any Error>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            self.negotiated = negotiated
            finish(.success(self))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard completion != nil else { return context.fireErrorCaught(error) }
        finish(.failure(error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(ChannelError.eof))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish(.failure(ChannelError.alreadyClosed))
    }
}

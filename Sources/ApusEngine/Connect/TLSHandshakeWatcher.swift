internal import NIOCore
internal import NIOTLS

/// Waits for the end of a TLS handshake. It is removed from the pipeline afterwards.
final class TLSHandshakeWatcher: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var completion: ((Result<TLSHandshakeWatcher, any Error>) -> Void)?
    /// The protocol that the server has chosen with ALPN.
    private(set) var negotiated: String?

    /// Whether nothing is read, because the handshake waits for the verification of the server. The TLS library would
    /// keep all bytes that a server sends meanwhile.
    var holdsReads = false {
        didSet {
            guard !holdsReads, isReadHeld else { return }
            isReadHeld = false
            context?.read()
        }
    }
    private var isReadHeld = false
    private var context: ChannelHandlerContext?

    init(completion: @escaping (Result<TLSHandshakeWatcher, any Error>) -> Void) {
        self.completion = completion
    }

    private func finish(_ result: Result<TLSHandshakeWatcher, any Error>) {
        let completion = completion
        self.completion = nil
        completion?(result)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func read(context: ChannelHandlerContext) {
        if holdsReads { isReadHeld = true } else { context.read() }
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
        self.context = nil
        finish(.failure(ChannelError.alreadyClosed))
    }
}

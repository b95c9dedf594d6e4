internal import ApusPlatform
internal import NIOCore
internal import NIOSSL

extension Channel {
    /// Closes the socket without sending a close_notify. Must be called on the event loop.
    func closeAbruptly() {
        // A close from the TLS handler's context goes to the socket and bypasses the handler.
        if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            tls.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }
}

extension ChannelHandlerContext {
    func closeAbruptly() {
        channel.closeAbruptly()
    }

    /// Closes the socket with a RST, by setting its linger time to zero.
    func reset() {
        if let socket = channel as? any SocketOptionProvider {
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        closeAbruptly()
    }
}

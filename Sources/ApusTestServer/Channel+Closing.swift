internal import NIOCore
internal import NIOSSL

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension Channel {
    /// Closes the socket without a close_notify in front. To be called on the event loop.
    func closeAbruptly() {
        // From the TLS handler's own place a close goes on towards the socket and never meets the handler.
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

    /// Closes the socket with a RST: lingering for no time is how a socket is told to.
    func reset() {
        if let socket = channel as? any SocketOptionProvider {
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        closeAbruptly()
    }
}

internal import ApusCore
internal import NIOCore
internal import NIOPosix

/// Opens a connection to one address, over TCP or a Unix socket. Tests replace it to control how peers behave.
struct Dialer: Sendable {
    /// Connects on a loop, from a local address if there is one. First calls `begun` there with the channel, so that
    /// the attempt can be cancelled.
    let dial:
        @Sendable (
            _ address: SocketAddress,
            _ local: SocketAddress?,
            _ loop: any EventLoop,
            _ begun: @escaping @Sendable (any Channel) -> Void
        ) -> EventLoopFuture<any Channel>

    /// Returns the dialer of the operating system's sockets.
    static func tcp(_ keepAlive: TCPKeepAlive?) -> Dialer {
        Dialer { address, local, loop, begun in
            let bootstrap = ClientBootstrap(group: loop)
                // The session's own limit applies instead, to all addresses together.
                .connectTimeout(.hours(24 * 365))
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
                .channelOption(.recvAllocator, value: ReadSizes())
                .channelInitializer { channel in
                    if address.isTCP { keepAlive?.apply(to: channel) }
                    begun(channel)
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
            return (local.map { bootstrap.bind(to: $0) } ?? bootstrap).connect(to: address)
        }
    }
}

extension SocketAddress {
    /// Whether the address is an IP address, and not that of a Unix socket.
    fileprivate var isTCP: Bool {
        if case .unixDomainSocket = self { false } else { true }
    }
}

internal import NIOCore
internal import NIOPosix

/// Opens a TCP connection to one address. Tests put one in whose peers do what they are told.
struct Dialer: Sendable {
    /// Connects on a loop; `begun` is called there with the channel before it connects, so that it can be given up.
    let dial:
        @Sendable (
            _ address: SocketAddress,
            _ loop: any EventLoop,
            _ begun: @escaping @Sendable (any Channel) -> Void
        ) -> EventLoopFuture<any Channel>

    static let tcp = Dialer { address, loop, begun in
        ClientBootstrap(group: loop)
            // The session's own limit counts, for all addresses together.
            .connectTimeout(.hours(24 * 365))
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.writeBufferWaterMark, value: .init(low: 64 << 10, high: 256 << 10))
            .channelOption(.recvAllocator, value: ReadSizes())
            .channelInitializer { channel in
                begun(channel)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .connect(to: address)
    }
}

internal import NIOCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What the kernel knows of the bytes that a connection has sent.
struct SocketStatus: Equatable {
    /// How many bytes the peer has acknowledged since the connection began.
    var acknowledgedBytes: UInt64
    /// Whether the kernel holds bytes that the peer has not acknowledged.
    var hasUnacknowledged: Bool
}

extension Channel {
    /// The state of the channel's TCP socket; `nil` where there is none, or the system does not tell.
    ///
    /// To be called on the channel's loop.
    var socketStatus: SocketStatus? {
        let status = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            TCPInformation.status(of: $0)
        }
        return status ?? nil
    }
}

/// Looks for bytes of a channel that the kernel has received and the channel has not read.
struct SocketPeek {
    private var socket: NIOBSDSocket.Handle?

    /// Whether there are such bytes, or the end of the stream.
    ///
    /// To be called on the channel's loop. It costs a system call; the first call asks for the socket, which costs more
    /// than a request, and a connection that serves once never needs it.
    mutating func findsBytes(in channel: any Channel) -> Bool {
        // The number of a closed socket may be another's by now.
        guard channel.isActive else { return false }
        if socket == nil {
            socket = try? channel.pipeline.syncOperations
                .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
        }
        guard let socket else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(truncatingIfNeeded: MSG_PEEK) | Int32(truncatingIfNeeded: MSG_DONTWAIT))
            >= 0
    }
}

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

    /// The channel's socket; `nil` where there is none. It is the channel's as long as that is active.
    ///
    /// To be called on the channel's loop. It costs more than most calls on a socket: ask once.
    var socket: NIOBSDSocket.Handle? {
        try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
    }

    /// Whether the kernel has received bytes, or the end of the stream, that were not read yet.
    ///
    /// To be called on the channel's loop. It costs a system call.
    func hasUnreadBytes(in socket: NIOBSDSocket.Handle) -> Bool {
        // The number of a closed socket may be another's by now.
        guard isActive else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, Int32(truncatingIfNeeded: MSG_PEEK) | Int32(truncatingIfNeeded: MSG_DONTWAIT))
            >= 0
    }
}

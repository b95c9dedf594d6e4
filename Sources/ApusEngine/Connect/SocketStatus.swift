internal import ApusPlatform
internal import NIOCore

/// The kernel's information about the bytes that a connection has sent.
struct SocketStatus: Equatable {
    /// The number of bytes that the peer has acknowledged since the connection began.
    var acknowledgedBytes: UInt64
    /// Whether the kernel holds bytes that the peer has not acknowledged.
    var hasUnacknowledged: Bool
}

extension Channel {
    /// The status of the channel's TCP socket. `nil` if it has none or the system does not provide it.
    ///
    /// To be accessed on the channel's loop.
    var socketStatus: SocketStatus? {
        let status = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            TCPInformation.status(of: $0)
        }
        return status ?? nil
    }
}

/// Checks whether the kernel has received bytes of a channel that the channel has not read.
struct SocketPeek {
    private var socket: NIOBSDSocket.Handle?

    /// Returns whether there are such bytes, or an end of stream.
    ///
    /// To be called on the channel's loop. It costs a system call. The first call also fetches the socket, which costs
    /// more than a request, so a connection that serves a single request never pays that.
    mutating func findsBytes(in channel: any Channel) -> Bool {
        // The file descriptor of a closed socket may have been reused.
        guard channel.isActive else { return false }
        if socket == nil {
            socket = try? channel.pipeline.syncOperations
                .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
        }
        guard let socket else { return false }
        var byte: UInt8 = 0
        let flags = Int32(truncatingIfNeeded: MSG_PEEK) | Int32(truncatingIfNeeded: MSG_DONTWAIT)
        guard recv(socket, &byte, 1, flags) < 0 else { return true }
        // An error such as a reset is an end of stream too.
        let fault = errno
        return fault != EAGAIN && fault != EWOULDBLOCK && fault != EINTR
    }
}

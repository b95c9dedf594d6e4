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

    /// Whether the kernel has received bytes, or the end of the stream, that were not read yet.
    ///
    /// To be called on the channel's loop. It costs a system call.
    var hasUnreadBytes: Bool {
        let result = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            var byte: UInt8 = 0
            return recv($0, &byte, 1, Int32(truncatingIfNeeded: MSG_PEEK) | Int32(truncatingIfNeeded: MSG_DONTWAIT))
                >= 0
        }
        return result ?? false
    }
}

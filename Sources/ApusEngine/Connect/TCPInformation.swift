#if os(Linux)
    internal import ApusPlatform

    /// Reads `TCP_INFO`.
    ///
    /// The C library's `tcp_info` lacks the byte counts. The kernel's struct has them, and its fields never move.
    enum TCPInformation {
        /// The offsets of these fields in the kernel's `struct tcp_info`.
        private enum Offset {
            static let unacknowledgedSegments = 24
            static let acknowledgedBytes = 120
            static let unsentBytes = 144
            static let end = 148
        }

        static func status(of socket: Int32) -> SocketStatus? {
            withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer -> SocketStatus? in
                var length = socklen_t(buffer.count)
                let code = getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, buffer.baseAddress, &length)
                guard code == 0, Int(length) >= Offset.end else { return nil }
                let segments = buffer.load(fromByteOffset: Offset.unacknowledgedSegments, as: UInt32.self)
                let unsent = buffer.load(fromByteOffset: Offset.unsentBytes, as: UInt32.self)
                return SocketStatus(
                    acknowledgedBytes: buffer.load(fromByteOffset: Offset.acknowledgedBytes, as: UInt64.self),
                    hasUnacknowledged: segments > 0 || unsent > 0
                )
            }
        }
    }
#else
    /// Other systems provide no count of acknowledged bytes in this way.
    enum TCPInformation {
        static func status(of socket: Int32) -> SocketStatus? { nil }
    }
#endif

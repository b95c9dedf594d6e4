#if !canImport(Darwin)
    internal import ApusCore
    internal import ApusPlatform

    /// A socket to the kernel's interfaces, addresses and routes: see netlink(7). It is closed when it is released.
    final class NetlinkSocket: Sendable {
        /// Links, and the addresses, routes and rules of IPv4 and IPv6.
        static let allGroups: UInt32 = 0x1 | 0x10 | 0x40 | 0x80 | 0x100 | 0x400 | 0x40000

        /// The outcome of reading a datagram.
        enum Received {
            case datagram([UInt8])
            /// There is none.
            case nothing
            /// Datagrams were lost, or one was cut off.
            case overrun
            /// The socket failed with this error number.
            case failure(Int32)
        }

        /// A question that was not answered.
        struct Failure: Error {
            /// The error number of the kernel.
            let number: Int32
        }

        // Literals, because the type of these constants differs between C libraries.
        private static let raw: Int32 = 3
        private static let closeOnExec: Int32 = 0o2000000
        private static let wholeLength: Int32 = 0x20
        private static let withoutWaiting: Int32 = 0x40

        /// The kernel writes datagrams of at most 32 KiB.
        private static let bufferBytes = 64 << 10
        /// A list is refused beyond this many datagrams: those of more than 30,000 interfaces.
        private static let maximumDatagrams = 4096

        let descriptor: Int32

        /// Opens a socket.
        ///
        /// - Parameters:
        ///   - groups: The groups of changes to receive. Default: none.
        ///   - receiveBytes: The size of the kernel's buffer for unread datagrams, at least the smallest one that the
        ///     kernel allows. Default: `nil`, that of the system.
        /// - Throws: `ApusError` with the code `invalidConfiguration` if the process may not open it.
        init(groups: UInt32 = 0, receiveBytes: Int32? = nil) throws(ApusError) {
            let descriptor = socket(AF_NETLINK, Self.raw | Self.closeOnExec, 0)
            guard descriptor >= 0 else { throw Self.refusal(errno) }
            // The family, padding, any port, and the groups.
            var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, groups)
            let isBound = withUnsafeBytes(of: &address) { bytes in
                guard let start = bytes.baseAddress else { return false }
                return bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
            }
            guard isBound else {
                let number = errno
                _ = close(descriptor)
                throw Self.refusal(number)
            }
            if var size = receiveBytes {
                _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
            self.descriptor = descriptor
        }

        deinit { _ = close(descriptor) }

        private static func refusal(_ number: Int32) -> ApusError {
            let hint: String? =
                switch number {
                case EMFILE: "raise the limit of open files of the process"
                case EPERM, EACCES, EAFNOSUPPORT, EPROTONOSUPPORT: "allow sockets of AF_NETLINK in its sandbox"
                default: nil
                }
            return ApusError(
                .invalidConfiguration,
                "the process can't watch the kernel's routes: \(String(cString: strerror(number)))",
                hint: hint
            )
        }

        /// Sends a request and returns the contents of its response. The number must be another one for each request
        /// of a socket.
        func ask(_ request: NetlinkRequest, sequence: UInt32) throws(Failure) -> [NetlinkMessage.Content] {
            try post(request, sequence: sequence)
            var contents: [NetlinkMessage.Content] = []
            for _ in 0..<Self.maximumDatagrams {
                let parser = NetlinkParser(try datagram())
                guard !parser.isMalformed else { throw Failure(number: EBADMSG) }
                for message in parser.messages where message.sequence == sequence {
                    guard !message.isInterrupted else { throw Failure(number: EAGAIN) }
                    switch message.content {
                    case .done(let number), .failure(let number):
                        guard number == 0 else { throw Failure(number: number) }
                        return contents
                    case .overrun: throw Failure(number: ENOBUFS)
                    default: contents.append(message.content)
                    }
                    guard message.isPartial else { return contents }
                }
            }
            throw Failure(number: EMSGSIZE)
        }

        /// Sends a request, and does not read its response.
        func post(_ request: NetlinkRequest, sequence: UInt32) throws(Failure) {
            let bytes = request.bytes(sequence: sequence)
            guard send(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Failure(number: errno) }
        }

        /// Returns the next datagram of a response.
        private func datagram() throws(Failure) -> [UInt8] {
            // The kernel writes the response while the request is sent, so there is always one.
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var count = poll(&waiting, 1, 1000)
            while count < 0, errno == EINTR { count = poll(&waiting, 1, 1000) }
            switch receive() {
            case .datagram(let bytes): return bytes
            case .nothing: throw Failure(number: ETIMEDOUT)
            case .overrun: throw Failure(number: ENOBUFS)
            case .failure(let number): throw Failure(number: number)
            }
        }

        /// Reads a datagram, without waiting for one. Those of other processes are skipped.
        func receive() -> Received {
            while true {
                var (count, port, number) = (0, UInt32(0), Int32(0))
                let bytes = [UInt8](unsafeUninitializedCapacity: Self.bufferBytes) { buffer, initialized in
                    var sender: (UInt16, UInt16, UInt32, UInt32) = (0, 0, 0, 0)
                    var length = socklen_t(MemoryLayout.size(ofValue: sender))
                    withUnsafeMutableBytes(of: &sender) { sender in
                        let start = sender.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                        let flags = Self.wholeLength | Self.withoutWaiting
                        count = recvfrom(descriptor, buffer.baseAddress, buffer.count, flags, start, &length)
                        number = errno
                    }
                    port = sender.2
                    initialized = max(0, min(count, buffer.count))
                }
                guard count >= 0 else {
                    switch number {
                    case EINTR: continue
                    case EAGAIN: return .nothing
                    case ENOBUFS: return .overrun
                    default: return .failure(number)
                    }
                }
                guard port == 0 else { continue }
                return count > bytes.count ? .overrun : .datagram(bytes)
            }
        }
    }
#endif

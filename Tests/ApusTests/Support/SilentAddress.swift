import ApusPlatform

#if os(Linux)
    /// An address that neither accepts nor refuses connections, as behind a dead route.
    ///
    /// A listening socket with a full backlog, so that the system drops further connection attempts.
    final class SilentAddress: Sendable {
        static let isPossible = true

        private let descriptors: [Int32]

        /// - Parameter port: The port on 127.0.0.2. Returns `nil` if the system does not support this.
        init?(port: Int) {
            let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let listener = socket(AF_INET, stream, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port)).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0002).bigEndian
            let use = { (call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) in
                withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
            guard listener >= 0, use({ bind(listener, $0, $1) }) == 0, listen(listener, 0) == 0 else { return nil }
            let knocking = (0..<4).map { _ in
                let descriptor = socket(AF_INET, stream, 0)
                _ = use { connect(descriptor, $0, $1) }
                return descriptor
            }
            descriptors = [listener] + knocking
        }

        deinit {
            for descriptor in descriptors { close(descriptor) }
        }
    }
#else
    /// Other systems have no second loopback address, and refuse connections when a backlog is full.
    final class SilentAddress: Sendable {
        static let isPossible = false

        init?(port: Int) { return nil }
    }
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

#if os(Linux)
    /// An address where nobody accepts and nobody refuses: what knocks there hears nothing, as behind a dead route.
    ///
    /// A socket that listens and whose queue is full, so that the system drops whoever comes next.
    final class SilentAddress: Sendable {
        static let isPossible = true

        private let descriptors: [Int32]

        /// - Parameter port: Of 127.0.0.2, where nothing else listens. `nil` where the system can't do this.
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
    /// Other systems have no second address to themselves, and refuse whom a full queue has no room for.
    final class SilentAddress: Sendable {
        static let isPossible = false

        init?(port: Int) { return nil }
    }
#endif

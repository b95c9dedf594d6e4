internal import ApusPlatform
internal import Foundation

/// Creates sockets that query the kernel's routes.
enum RouteSocket {
    /// The address families of IPv4 and IPv6.
    static let families = [AF_INET, AF_INET6]
}

#if canImport(Darwin)
    extension RouteSocket {
        /// Returns a socket that becomes readable when an interface, address or route changes. Negative on failure.
        static func changes() -> Int32 { socket(PF_ROUTE, SOCK_RAW, 0) }

        /// Returns a socket to look up a route of an address family. It sends nothing.
        static func route(_ family: Int32) -> Int32 { socket(family, SOCK_DGRAM, 0) }
    }
#else
    extension RouteSocket {
        /// Returns a socket that becomes readable when an interface, address or route changes. Negative on failure.
        ///
        /// See netlink(7) and rtnetlink(7).
        static func changes() -> Int32 {
            let descriptor = socket(AF_NETLINK, raw | cloexec, 0)
            guard descriptor >= 0 else { return descriptor }
            // The family, padding, any port, and the groups of links, and of IPv4 and IPv6 addresses and routes.
            var address: (UInt16, UInt16, UInt32, UInt32) = (
                UInt16(AF_NETLINK), 0, 0, 0x1 | 0x10 | 0x40 | 0x100 | 0x400
            )
            let isBound = withUnsafeBytes(of: &address) { bytes in
                guard let start = bytes.baseAddress else { return false }
                return bind(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
            }
            guard isBound else {
                close(descriptor)
                return -1
            }
            return descriptor
        }

        /// Returns a socket to look up a route of an address family. It sends nothing.
        static func route(_ family: Int32) -> Int32 { socket(family, datagram | cloexec, 0) }

        // Literals, because the type of these constants differs between C libraries.
        private static let datagram: Int32 = 2
        private static let raw: Int32 = 3
        private static let cloexec: Int32 = 0o2000000
    }
#endif

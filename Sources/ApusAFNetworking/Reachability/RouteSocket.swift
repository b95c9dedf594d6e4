internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Sockets that ask the kernel about routes.
enum RouteSocket {
    /// The families of IPv4 and IPv6.
    static let families = [AF_INET, AF_INET6]
}

#if canImport(Darwin)
    extension RouteSocket {
        /// A socket that can be read from whenever an interface, an address or a route changes; negative where there is none.
        static func changes() -> Int32 { socket(PF_ROUTE, SOCK_RAW, 0) }

        /// A socket for a route of a family; it sends nothing.
        static func route(_ family: Int32) -> Int32 { socket(family, SOCK_DGRAM, 0) }
    }
#else
    extension RouteSocket {
        /// A socket that can be read from whenever an interface, an address or a route changes; negative where there is none.
        ///
        /// See netlink(7) and rtnetlink(7).
        static func changes() -> Int32 {
            let descriptor = socket(AF_NETLINK, raw | cloexec, 0)
            guard descriptor >= 0 else { return descriptor }
            // Family, padding, any port, and the groups of links, of addresses and of routes of both families.
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

        /// A socket for a route of a family; it sends nothing.
        static func route(_ family: Int32) -> Int32 { socket(family, datagram | cloexec, 0) }

        // Their types are another in each C library.
        private static let datagram: Int32 = 2
        private static let raw: Int32 = 3
        private static let cloexec: Int32 = 0o2000000
    }
#endif

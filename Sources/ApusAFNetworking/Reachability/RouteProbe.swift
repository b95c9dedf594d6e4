internal import Apus
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Asks the kernel how it would send a packet somewhere; none is sent.
struct RouteProbe: Sendable {
    /// Socket addresses, as their bytes: one group has to be reached, and with it all that are in it.
    private let targets: [[[UInt8]]]

    /// The way to any address, of either family. Those that stand in documentation (RFC 5737, RFC 3849, RFC 9637) are no machine's;
    /// who uses one of their networks all the same has no route to the others but the default one.
    static let anywhere = RouteProbe(
        targets: [["192.0.2.1", "198.51.100.1", "203.0.113.1"], ["2001:db8::1", "3fff::1"]].map { group in
            group.compactMap { bytes(of: $0) }
        }
    )

    private init(targets: [[[UInt8]]]) {
        self.targets = targets
    }

    /// The way to an address.
    init(address: String) throws(ApusError) {
        guard let bytes = Self.bytes(of: address) else {
            throw ApusError(.invalidConfiguration, "'\(address)' is no address of IPv4 or IPv6")
        }
        self.init(targets: [[bytes]])
    }

    /// The best of the ways there are.
    var status: AFNetworkReachabilityStatus {
        let ofGroups = targets.map { group in
            group.map { Self.status(of: $0) }.min { $0.rawValue < $1.rawValue } ?? .notReachable
        }
        return ofGroups.max { $0.rawValue < $1.rawValue } ?? .notReachable
    }

    private static func bytes(of address: String) -> [UInt8]? {
        guard !address.utf8.contains(0) else { return nil }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, "9", &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        guard let info = found?.pointee, let start = info.ai_addr, RouteSocket.families.contains(info.ai_family) else {
            return nil
        }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(info.ai_addrlen)))
    }

    private static func status(of target: [UInt8]) -> AFNetworkReachabilityStatus {
        guard let local = localAddress(towards: target) else { return .notReachable }
        // An address that belongs to no interface any more is one that is just going away.
        guard let interface = interface(with: local) else { return .notReachable }
        guard interface.isRunning else { return .notReachable }
        return isModem(interface.name) ? .reachableViaWWAN : .reachableViaWiFi
    }

    /// The address that a packet to `target` would come from; `nil` where there is no route.
    private static func localAddress(towards target: [UInt8]) -> [UInt8]? {
        target.withUnsafeBytes { bytes -> [UInt8]? in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return nil }
            let descriptor = RouteSocket.route(Int32(start.pointee.sa_family))
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            guard connect(descriptor, start, socklen_t(bytes.count)) == 0 else { return nil }
            var local = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutableBytes(of: &local) { storage -> [UInt8]? in
                guard let start = storage.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    getsockname(descriptor, start, &length) == 0
                else { return nil }
                return hostBytes(start)
            }
        }
    }

    private static func interface(with address: [UInt8]) -> (name: String, isRunning: Bool)? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var next = first
        while let entry = next?.pointee {
            if let start = entry.ifa_addr, hostBytes(start) == address {
                let flags = Int32(bitPattern: UInt32(entry.ifa_flags))
                let running = Int32(0x1 | 0x40)
                return (String(cString: entry.ifa_name), flags & running == running)
            }
            next = entry.ifa_next
        }
        return nil
    }

    /// The bytes of an address without its port; `nil` where it is of neither family.
    private static func hostBytes(_ address: UnsafePointer<sockaddr>) -> [UInt8]? {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) }
            }
        default:
            nil
        }
    }

    /// Whether an interface is a modem of a mobile network, as Linux says; elsewhere none is known to be.
    private static func isModem(_ name: String) -> Bool {
        guard !name.contains("/") else { return false }
        let facts = try? String(contentsOfFile: "/sys/class/net/\(name)/uevent", encoding: .utf8)
        return facts?.split(separator: "\n").contains("DEVTYPE=wwan") ?? false
    }
}

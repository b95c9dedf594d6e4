internal import Apus
internal import ApusPlatform
internal import Foundation

/// Asks the kernel for the route of a packet to some address. No packet is sent.
struct RouteProbe: Sendable {
    /// Groups of socket addresses, as bytes. At least one group must be reachable, which requires all of its addresses.
    private let targets: [[[UInt8]]]

    /// The route to any address, IPv4 or IPv6. The addresses are reserved for documentation (RFC 5737, RFC 3849, RFC
    /// 9637). A local network may use one of these ranges. The other ranges then still need a default route.
    static let anywhere = RouteProbe(
        targets: [["192.0.2.1", "198.51.100.1", "203.0.113.1"], ["2001:db8::1", "3fff::1"]].map { group in
            group.compactMap { bytes(of: $0) }
        }
    )

    private init(targets: [[[UInt8]]]) {
        self.targets = targets
    }

    /// Creates a probe for the route to an address.
    init(address: String) throws(ApusError) {
        guard let bytes = Self.bytes(of: address) else {
            throw ApusError(.invalidConfiguration, "'\(address)' is not an IPv4 or IPv6 address")
        }
        self.init(targets: [[bytes]])
    }

    /// The best status of all groups.
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
        // An address without an interface is being removed.
        guard let interface = interface(with: local) else { return .notReachable }
        guard interface.isRunning else { return .notReachable }
        return isModem(interface.name) ? .reachableViaWWAN : .reachableViaWiFi
    }

    /// Returns the source address of a packet to `target`, or `nil` if there is no route.
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

    /// Returns the bytes of an address without its port, or `nil` if it is neither IPv4 nor IPv6.
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

    /// Returns whether an interface is a mobile network modem, as Linux reports it. Always `false` on other systems.
    private static func isModem(_ name: String) -> Bool {
        guard !name.contains("/") else { return false }
        let facts = try? String(contentsOfFile: "/sys/class/net/\(name)/uevent", encoding: .utf8)
        return facts?.split(separator: "\n").contains("DEVTYPE=wwan") ?? false
    }
}

internal import ApusPlatform

/// Reports a network if an interface is up and running, is not a loopback interface, and has an assigned address: one
/// of IPv4 or IPv6 that is not link-local (RFC 3927, RFC 4291 §2.5.6).
///
/// It queries the operating system and sends nothing. A reported network means that a request is worth trying, not that
/// a server is reachable.
public struct InterfaceWatch: NetworkWatch {
    /// Flags in `ifa_flags`. The values are the same on Linux and on Apple's systems.
    struct Flags: OptionSet {
        let rawValue: UInt32

        static let up = Flags(rawValue: 0x1)
        static let loopback = Flags(rawValue: 0x8)
        static let running = Flags(rawValue: 0x40)
    }

    /// Creates a watch. All of its values are equivalent.
    public init() {}

    public func isReachable() -> Bool {
        // If the addresses can't be read, do not hold requests back.
        Self.addresses()?.contains { Self.isUsable($0.flags) && Self.isAssigned($0.bytes) } ?? true
    }

    static func isUsable(_ flags: Flags) -> Bool {
        flags.isSuperset(of: [.up, .running]) && !flags.contains(.loopback)
    }

    /// Returns the IPv4 and IPv6 addresses of this machine and the flags of their interfaces, or `nil` on failure.
    static func addresses() -> [(flags: Flags, bytes: [UInt8])]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var addresses: [(flags: Flags, bytes: [UInt8])] = []
        var next = first
        while let entry = next?.pointee {
            if let address = entry.ifa_addr, let bytes = bytes(of: address) {
                addresses.append((Flags(rawValue: entry.ifa_flags), bytes))
            }
            next = entry.ifa_next
        }
        return addresses
    }

    /// Returns the address bytes, or `nil` for any other address family.
    private static func bytes(of address: UnsafePointer<sockaddr>) -> [UInt8]? {
        // The address follows family and port, and in IPv6 also the flow label, on every system.
        let start = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: return Array(UnsafeRawBufferPointer(start: start + 4, count: 4))
        case AF_INET6: return Array(UnsafeRawBufferPointer(start: start + 8, count: 16))
        default: return nil
        }
    }

    /// Whether an address of 4 or 16 bytes was assigned, as opposed to link-local, loopback or unspecified.
    static func isAssigned(_ bytes: [UInt8]) -> Bool {
        guard bytes.contains(where: { $0 != 0 }) else { return false }
        if bytes.count == 4 { return bytes[0] != 127 && !bytes.starts(with: [169, 254]) }
        let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        return !isLinkLocal && !isLoopback
    }
}

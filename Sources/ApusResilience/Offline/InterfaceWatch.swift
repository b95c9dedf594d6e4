#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Takes it that there is a network where an interface is up and running, is not this machine itself, and has an address
/// that somebody gave it: one of IPv4 or IPv6 that is no link-local one (RFC 3927, RFC 4291 §2.5.6).
///
/// It asks the operating system, and sends nothing. That there is a network says that a request may be tried, and not that
/// anybody answers.
public struct InterfaceWatch: NetworkWatch {
    /// Of `ifa_flags`; the same on Linux and on Apple's systems.
    struct Flags: OptionSet {
        let rawValue: UInt32

        static let up = Flags(rawValue: 0x1)
        static let loopback = Flags(rawValue: 0x8)
        static let running = Flags(rawValue: 0x40)
    }

    /// Makes the one value there is.
    public init() {}

    public func isReachable() -> Bool {
        // What can't be found out keeps no request back.
        Self.addresses()?.contains { Self.isUsable($0.flags) && Self.isGiven($0.bytes) } ?? true
    }

    static func isUsable(_ flags: Flags) -> Bool {
        flags.isSuperset(of: [.up, .running]) && !flags.contains(.loopback)
    }

    /// The addresses of IPv4 and IPv6 that this machine has, with the flags of their interfaces; `nil` where they can't be had.
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

    /// `nil` where the address is of another family.
    private static func bytes(of address: UnsafePointer<sockaddr>) -> [UInt8]? {
        // They stand behind family and port, and in IPv6 behind the flow too; so they do on every system.
        let start = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET: return Array(UnsafeRawBufferPointer(start: start + 4, count: 4))
        case AF_INET6: return Array(UnsafeRawBufferPointer(start: start + 8, count: 16))
        default: return nil
        }
    }

    /// Whether an address of 4 or 16 bytes is one that somebody gave the interface, and not one that it has anyway.
    static func isGiven(_ bytes: [UInt8]) -> Bool {
        guard bytes.contains(where: { $0 != 0 }) else { return false }
        if bytes.count == 4 { return bytes[0] != 127 && !bytes.starts(with: [169, 254]) }
        let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        return !isLinkLocal && !isLoopback
    }
}

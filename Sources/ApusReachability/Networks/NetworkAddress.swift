internal import ApusPlatform

/// An IPv4 or IPv6 address.
struct NetworkAddress: Sendable, Hashable {
    /// 4 or 16 bytes, in network byte order.
    let bytes: [UInt8]
    /// The index of the interface of a link-local address, or 0.
    let scope: UInt32

    /// Makes an address of 4 or 16 bytes.
    init?(bytes: [UInt8], scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.scope = scope
    }

    /// Parses the usual notation, with an interface after a `%` in a link-local IPv6 address. Returns `nil` for any
    /// other text.
    init?(_ text: String) {
        // The C functions end at a zero byte.
        guard !text.utf8.contains(0) else { return nil }
        if let bytes = Self.parsed(text, AF_INET, count: 4) {
            self.init(bytes: bytes)
            return
        }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = Self.parsed(String(first), AF_INET6, count: 16) else { return nil }
        guard parts.count == 2 else {
            self.init(bytes: bytes)
            return
        }
        let interface = String(parts[1])
        let index = UInt32(interface) ?? if_nametoindex(interface)
        guard index > 0 else { return nil }
        self.init(bytes: bytes, scope: index)
    }

    /// Copies the address of a socket. Returns `nil` for any other address family.
    init?(socket address: UnsafePointer<sockaddr>) {
        // The address follows family and port, and in IPv6 also the flow label, on every system. The scope follows it.
        let start = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(bytes: Array(UnsafeRawBufferPointer(start: start + 4, count: 4)))
        case AF_INET6:
            let scope = start.loadUnaligned(fromByteOffset: 24, as: UInt32.self)
            self.init(bytes: Array(UnsafeRawBufferPointer(start: start + 8, count: 16)), scope: scope)
        default:
            return nil
        }
    }

    var isIPv6: Bool { bytes.count == 16 }

    /// Whether the address was assigned by a network, and is not a link-local, loopback or unspecified one.
    var isAssigned: Bool {
        guard bytes.contains(where: { $0 != 0 }) else { return false }
        guard isIPv6 else { return bytes[0] != 127 && !bytes.starts(with: [169, 254]) }
        let isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        return !isLinkLocal && !isLoopback
    }

    private static func parsed(_ text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}

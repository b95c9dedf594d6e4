internal import ApusPlatform

/// An IP address as bytes, to compare with addresses and networks.
package struct IPAddressBytes: Sendable, Hashable {
    /// 4 bytes of an IPv4 address, or 16 of an IPv6 address.
    package let bytes: [UInt8]

    /// Parses an address in its usual notation, without brackets. Returns `nil` if the text is none.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        // A C function reads up to a zero byte.
        guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 else { return nil }
        self.bytes = bytes
    }

    /// Whether it is an address of this machine: `127.0.0.0/8`, `::1`, or the IPv6 form of the former.
    package var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped ? bytes[12] == 127 : bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// Whether both are of one version of IP and have the same first bits.
    func agrees(with other: IPAddressBytes, inFirst bits: Int) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        let whole = bits / 8
        guard bytes[..<whole] == other.bytes[..<whole] else { return false }
        let rest = bits % 8
        guard rest > 0 else { return true }
        return bytes[whole] >> (8 - rest) == other.bytes[whole] >> (8 - rest)
    }
}

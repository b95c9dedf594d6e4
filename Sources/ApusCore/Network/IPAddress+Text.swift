internal import ApusPlatform

extension IPAddress: LosslessStringConvertible {
    /// Parses an address: `192.0.2.7`, `2001:db8::1`, `::ffff:192.0.2.7`, or `fe80::1%eth0` with the name or the index
    /// of an interface. `nil` for any other text, such as short or octal forms of IPv4, and for brackets.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        if let bits = Self.ipv4Bits(bytes) {
            self.init(ipv4: bits)
            return
        }
        let percent = bytes.firstIndex(of: UInt8(ascii: "%"))
        guard let groups = Self.groups(bytes[..<(percent ?? bytes.endIndex)]) else { return nil }
        guard let percent else {
            self.init(groups: groups, scope: 0)
            return
        }
        guard let scope = Self.scope(bytes[(percent + 1)...]) else { return nil }
        self.init(groups: groups, scope: scope)
    }

    /// Parses a host in all notations in which systems accept an address: as `init(_:)`, and as `inet_aton` does, which
    /// reads `127.1`, `0x7f.1`, `0177.0.0.1` and `2130706433`. `nil` if the host is a name.
    package init?(hostNotation text: String) {
        if let address = IPAddress(text) {
            self = address
            return
        }
        var parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard (1...4).contains(parts.count) else { return nil }
        let numbers = parts.compactMap { Self.number(Array($0.utf8)) }
        guard numbers.count == parts.count, let last = numbers.last else { return nil }
        let others = numbers.dropLast()
        // The last number fills all remaining bytes.
        guard others.allSatisfy({ $0 <= 255 }), last < UInt64(1) << UInt64(8 * (5 - parts.count)) else { return nil }
        let bits = others.enumerated().reduce(last) { $0 | $1.element << UInt64(24 - 8 * $1.offset) }
        self.init(ipv4: UInt32(truncatingIfNeeded: bits))
    }

    /// The address in its usual notation, without brackets. An IPv6 address is written as RFC 5952 recommends.
    public var description: String {
        guard isIPv6 else { return Self.dotted(low) }
        let end = scope == 0 ? "" : "%\(scope)"
        if isMapped { return "::ffff:\(Self.dotted(low & 0xFFFF_FFFF))\(end)" }
        let groups = (0..<8).map { index in
            UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64(48 - 16 * (index % 4)))
        }
        let gap = Self.longestGap(groups)
        let before = groups[..<gap.lowerBound].map { String($0, radix: 16) }.joined(separator: ":")
        guard !gap.isEmpty else { return before + end }
        let after = groups[gap.upperBound...].map { String($0, radix: 16) }.joined(separator: ":")
        return "\(before)::\(after)\(end)"
    }

    private static func dotted(_ bits: UInt64) -> String {
        "\(bits >> 24 & 0xFF).\(bits >> 16 & 0xFF).\(bits >> 8 & 0xFF).\(bits & 0xFF)"
    }

    /// Returns the first of the longest runs of at least two zeros. Empty, at the end, if there is none.
    private static func longestGap(_ groups: [UInt16]) -> Range<Int> {
        var longest = groups.count..<groups.count
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > max(longest.count, 1) { longest = start..<index }
            start = index + 1
        }
        return longest
    }

    /// Parses four decimal numbers without leading zeros.
    private static func ipv4Bits(_ text: some Collection<UInt8>) -> UInt32? {
        var bits: UInt32 = 0
        var octet: UInt32 = 0
        var (digitCount, dotCount) = (0, 0)
        for byte in text {
            if byte == UInt8(ascii: ".") {
                guard digitCount > 0, dotCount < 3 else { return nil }
                bits = bits << 8 | octet
                octet = 0
                digitCount = 0
                dotCount += 1
            } else {
                guard (0x30...0x39).contains(byte), digitCount == 0 || octet > 0 else { return nil }
                octet = octet * 10 + UInt32(byte - 0x30)
                digitCount += 1
                guard octet <= 255 else { return nil }
            }
        }
        guard digitCount > 0, dotCount == 3 else { return nil }
        return bits << 8 | octet
    }

    /// Parses the groups of an IPv6 address, the last two of which may be an IPv4 address.
    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        var groups: [UInt16] = []
        var gap: Int?
        var rest = text
        if rest.starts(with: [colon, colon]) {
            gap = 0
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let group = rest.prefix { $0 != colon }
            if group.contains(UInt8(ascii: ".")) {
                guard group.count == rest.count, groups.count <= 6, let bits = ipv4Bits(group) else { return nil }
                groups += [UInt16(truncatingIfNeeded: bits >> 16), UInt16(truncatingIfNeeded: bits)]
                break
            }
            guard groups.count < 8, (1...4).contains(group.count), let value = digits(group, radix: 16) else {
                return nil
            }
            groups.append(UInt16(truncatingIfNeeded: value))
            rest = rest.dropFirst(group.count)
            guard !rest.isEmpty else { break }
            rest = rest.dropFirst()
            if rest.first == colon {
                guard gap == nil else { return nil }
                gap = groups.count
                rest = rest.dropFirst()
            } else if rest.isEmpty {
                return nil
            }
        }
        if let gap {
            guard groups.count < 8 else { return nil }
            groups.insert(contentsOf: Array(repeating: 0, count: 8 - groups.count), at: gap)
        }
        return groups.count == 8 ? groups : nil
    }

    /// Returns the index of an interface. `nil` if there is no such interface.
    private static func scope(_ text: ArraySlice<UInt8>) -> UInt32? {
        if let index = digits(text, radix: 10) { return index > 0 ? UInt32(exactly: index) : nil }
        // The C function ends a name at its first zero.
        guard !text.contains(0) else { return nil }
        let index = if_nametoindex(String(decoding: text, as: UTF8.self))
        return index > 0 ? index : nil
    }

    /// Parses a number in the notation of C: decimal, octal with a leading zero, or hexadecimal after `0x`.
    private static func number(_ text: [UInt8]) -> UInt64? {
        guard text.first == UInt8(ascii: "0"), text.count > 1 else { return digits(text[...], radix: 10) }
        guard text[1] | 0x20 == UInt8(ascii: "x") else { return digits(text.dropFirst(), radix: 8) }
        return text.count == 2 ? 0 : digits(text.dropFirst(2), radix: 16)
    }

    /// Parses digits without a sign. `nil` above the range of 32 bits.
    private static func digits(_ text: ArraySlice<UInt8>, radix: UInt64) -> UInt64? {
        guard !text.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in text {
            let digit: UInt64
            switch byte {
            case 0x30...0x39: digit = UInt64(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: digit = UInt64((byte | 0x20) - 0x61) + 10
            default: return nil
            }
            guard digit < radix else { return nil }
            value = value * radix + digit
            guard value <= UInt64(UInt32.max) else { return nil }
        }
        return value
    }
}

internal import ApusPlatform

/// Reads and writes IP addresses.
enum AddressText {
    /// Returns the bytes of an address, 4 or 16. `nil` if the text is a name.
    ///
    /// An IPv6 address may be in brackets, and have a scope, which a certificate never names.
    static func bytes(of text: String) -> [UInt8]? {
        // The C function ends a text at its first zero.
        guard !text.utf8.contains(0) else { return nil }
        var address = text[...]
        if address.first == "[", address.last == "]" { address = address.dropFirst().dropLast() }
        if let four = parsed(address, AF_INET, 4) { return four }
        return parsed(address.prefix { $0 != "%" }, AF_INET6, 16)
    }

    private static func parsed(_ text: Substring, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = inet_pton(family, String(text), &bytes)
        return result == 1 ? bytes : nil
    }

    /// Returns the text of an address, RFC 5952. `nil` if it does not have 4 or 16 bytes.
    static func text(of bytes: ArraySlice<UInt8>) -> String? {
        let bytes = Array(bytes)
        switch bytes.count {
        case 4: return bytes.map { String($0) }.joined(separator: ".")
        case 16:
            let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return text(of: groups)
        default: return nil
        }
    }

    private static func text(of groups: [UInt16]) -> String {
        let zeros = longestZeros(in: groups)
        func joined(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard zeros.count > 1 else { return joined(groups[...]) }
        return "\(joined(groups[..<zeros.lowerBound]))::\(joined(groups[zeros.upperBound...]))"
    }

    /// Returns the first of the longest runs of zeros.
    private static func longestZeros(in groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start = 0
        for index in groups.indices {
            if groups[index] != 0 {
                start = index + 1
            } else if index + 1 - start > longest.count {
                longest = start..<(index + 1)
            }
        }
        return longest
    }
}

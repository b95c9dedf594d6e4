/// The name of a host, or a DNS name of a certificate, in the form in which both are compared. RFC 9525 §6.3.
///
/// It is in lower case and without a dot at its end. Names are compared as ASCII text, since those of a certificate and
/// of a URL are A-labels. Other text is no name: a Unicode character could otherwise count as the ASCII letter that it
/// is folded to.
package struct DNSName: Hashable, Sendable {
    private let octets: [UInt8]

    private init(octets: [UInt8]) {
        self.octets = octets
    }

    /// Returns `nil` if the name has an empty label or bytes outside of ASCII.
    package init?(_ name: String) {
        let bytes = Array(name.utf8)
        var isAfterDot = true
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes.last == Self.dot ? bytes.dropLast() : bytes[...] {
            guard byte < 0x80, byte != Self.dot || !isAfterDot else { return nil }
            isAfterDot = byte == Self.dot
            result.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
        guard !isAfterDot else { return nil }
        octets = result
    }

    /// The names with which a certificate names this host: its own, and that with a wildcard as the first label. Empty
    /// if the host has a wildcard.
    package var certificateNames: [DNSName] {
        guard !octets.contains(Self.star) else { return [] }
        // A wildcard stands for one label, and never directly below a top-level domain.
        guard let end = octets.firstIndex(of: Self.dot), octets[(end + 1)...].contains(Self.dot) else { return [self] }
        return [self, DNSName(octets: [Self.star] + octets[end...])]
    }

    private static let dot = UInt8(ascii: ".")
    private static let star = UInt8(ascii: "*")
}

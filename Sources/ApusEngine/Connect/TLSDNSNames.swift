/// The DNS names of a certificate. A search takes the same time with any number of them.
///
/// Names are compared as ASCII text without regard to case, RFC 9525 §6.3. A name with other bytes matches no host: a
/// Unicode character could otherwise count as the ASCII letter that it is folded to.
struct TLSDNSNames: Sendable {
    /// The names without wildcards, in lower case and without a trailing dot.
    private var exact: Set<[UInt8]> = []
    /// The parts of the wildcard names after `*.`.
    private var parents: Set<[UInt8]> = []

    init(_ names: [String]) {
        for name in names { insert(Array(name.utf8)) }
    }

    private mutating func insert(_ bytes: [UInt8]) {
        guard let name = Self.normalized(bytes) else { return }
        guard name.starts(with: Self.wildcard) else {
            exact.insert(name)
            return
        }
        // A wildcard stands for one label, and never directly below a top-level domain.
        let parent = Array(name.dropFirst(Self.wildcard.count))
        if parent.contains(Self.dot) { parents.insert(parent) }
    }

    /// Whether they include a host.
    func contains(_ host: String) -> Bool {
        guard let host = Self.normalized(Array(host.utf8)), !host.contains(Self.star) else { return false }
        if exact.contains(host) { return true }
        guard !parents.isEmpty, let dot = host.firstIndex(of: Self.dot) else { return false }
        return parents.contains(Array(host[(dot + 1)...]))
    }

    private static let dot = UInt8(ascii: ".")
    private static let star = UInt8(ascii: "*")
    private static let wildcard = [star, dot]

    /// Returns a name in lower case and without a trailing dot. `nil` if it has an empty label or bytes outside of ASCII.
    private static func normalized(_ bytes: [UInt8]) -> [UInt8]? {
        let name = bytes.last == dot ? bytes.dropLast() : bytes[...]
        var isAfterDot = true
        var result: [UInt8] = []
        result.reserveCapacity(name.count)
        for byte in name {
            guard byte < 0x80, byte != dot || !isAfterDot else { return nil }
            isAfterDot = byte == dot
            result.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
        }
        return isAfterDot ? nil : result
    }
}

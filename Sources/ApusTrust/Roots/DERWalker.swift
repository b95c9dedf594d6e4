/// Reads DER elements one after the other, from untrusted bytes, without reading into them.
///
/// See X.690 §8.1.
struct DERWalker {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let sequence: UInt8 = 0x30

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the content of the next element if it has this tag. Otherwise reads nothing.
    mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? { element(tag)?.content }

    /// Returns the next element if it has this tag: with its tag and length, and its content. Otherwise reads nothing.
    mutating func element(_ tag: UInt8) -> (whole: ArraySlice<UInt8>, content: ArraySlice<UInt8>)? {
        guard rest.first == tag, let (length, header) = length(), rest.count - header >= length else { return nil }
        let whole = rest.prefix(header + length)
        rest = rest.dropFirst(header + length)
        return (whole, whole.dropFirst(header))
    }

    /// Returns the length of the next element's content, and the size of its header.
    private func length() -> (length: Int, header: Int)? {
        let bytes = rest.dropFirst().prefix(5)
        guard let first = bytes.first else { return nil }
        guard first >= 0x80 else { return (Int(first), 2) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count > count else { return nil }
        let length = bytes.dropFirst().prefix(count).reduce(0) { $0 << 8 | Int($1) }
        return (length, 2 + count)
    }
}

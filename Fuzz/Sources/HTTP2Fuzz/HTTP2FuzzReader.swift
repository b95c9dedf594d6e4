/// Reads the bytes of an input one after another. After the last one it returns zeros.
struct HTTP2FuzzReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number() -> Int { Int(byte()) }

    mutating func chance() -> Bool { byte() & 1 == 1 }

    /// Returns a number of 32 bits, most significant byte first.
    mutating func word() -> UInt32 {
        var word: UInt32 = 0
        for _ in 0..<4 { word = word << 8 | UInt32(byte()) }
        return word
    }

    /// Returns `count` bytes, or fewer at the end.
    mutating func bytes(_ count: Int) -> [UInt8] {
        let taken = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        return taken
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number() % elements.count]
    }
}

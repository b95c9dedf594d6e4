/// Reads the integers and strings of a header block (RFC 7541 §5).
struct HPACKReader {
    /// A string as received.
    struct Text {
        let octets: UnsafeRawBufferPointer
        let isHuffman: Bool
    }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// Creates a reader. The bytes must be valid as long as it is used.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Takes the next byte. Returns `nil` at the end of the block.
    mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        position += 1
        return byte
    }

    /// Takes the rest of an integer.
    ///
    /// - Parameters:
    ///   - first: The byte with the prefix of the integer, which was taken before.
    ///   - prefixBits: The number of bits of the prefix, from 1 to 8.
    /// - Returns: The integer.
    /// - Throws: `HPACKError`, if it is too large or incomplete.
    mutating func integer(_ first: UInt8, prefixBits: UInt8) throws(HPACKError) -> Int {
        let mask = UInt8(0xFF) &>> (8 &- prefixBits)
        var value = UInt64(first & mask)
        if first & mask < mask { return Int(value) }
        // Five bytes suffice for all accepted values. Without a limit, zeros could continue an integer forever.
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let byte = next() else { throw .truncated }
            value += UInt64(byte & 0x7F) << UInt64(shift)
            if byte & 0x80 != 0 { continue }
            guard value <= UInt64(Int32.max) else { throw .integerTooLarge }
            return Int(value)
        }
        throw .integerTooLarge
    }

    /// Takes a string. Its length is compared with the rest of the block before use.
    mutating func text() throws(HPACKError) -> Text {
        guard let first = next() else { throw .truncated }
        let count = try integer(first, prefixBits: 7)
        guard count <= bytes.count - position else { throw .truncated }
        let octets = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        position += count
        return Text(octets: octets, isHuffman: first & 0x80 != 0)
    }
}

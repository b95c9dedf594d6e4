/// Writes the integers and strings of a header block into the free part of a buffer (RFC 7541 §5).
struct HPACKWriter {
    /// The room that a line needs beyond the bytes of its name and value: three integers of at most ten bytes.
    static var overheadBytes: Int { 32 }

    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// Creates a writer. The caller provides enough room, as a writer has no way to grow.
    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    /// Writes an integer, which must not be negative.
    ///
    /// - Parameters:
    ///   - value: The integer.
    ///   - prefixBits: The number of bits of the prefix, from 1 to 8.
    ///   - pattern: The bits of the first byte before the prefix.
    mutating func write(_ value: Int, prefixBits: Int, pattern: UInt8) {
        let mask = 0xFF >> (8 - prefixBits)
        guard value >= mask else {
            append(pattern | UInt8(truncatingIfNeeded: value))
            return
        }
        append(pattern | UInt8(truncatingIfNeeded: mask))
        var rest = value - mask
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a string, in the Huffman code unless that is longer.
    mutating func write(_ text: UnsafeRawBufferPointer) {
        let huffman = HPACKHuffman.shared
        let codedCount = huffman.codedCount(of: text)
        if text.count > 0, codedCount <= text.count {
            write(codedCount, prefixBits: 7, pattern: 0x80)
            let target = UnsafeMutableRawBufferPointer(rebasing: bytes[count..<count + codedCount])
            huffman.encode(text, into: target)
            count += codedCount
        } else {
            write(text.count, prefixBits: 7, pattern: 0)
            let target = UnsafeMutableRawBufferPointer(rebasing: bytes[count..<count + text.count])
            target.copyMemory(from: text)
            count += text.count
        }
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }
}

/// The escapes of JSON strings.
///
/// See RFC 8259 §7, https://www.rfc-editor.org/rfc/rfc8259.html#section-7
package enum JSONEscape {
    /// Returns the text in quotation marks. Only characters that JSON requires to be escaped are escaped.
    package static func quoted(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        append(text, to: &output)
        return output
    }

    /// Appends the text in quotation marks. Only characters that JSON requires to be escaped are escaped.
    package static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, to: &output) }
    }

    /// Appends the text in quotation marks. Only characters that JSON requires to be escaped are escaped.
    package static func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = plainEnd(of: text, from: start)
            output.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            guard end < text.count else { break }
            append(escaping: text[end], to: &output)
            start = end + 1
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Returns the index of the first byte from `start` that needs an escape, or else the end.
    private static func plainEnd(of text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let bytes = UnsafeRawBufferPointer(text)
        var index = start
        while index + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let marks = marks(in: word)
            guard marks == 0 else { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count, bytes[index] >= 0x20, bytes[index] != 0x22, bytes[index] != 0x5C { index += 1 }
        return index
    }

    /// The highest bit of each of eight bytes.
    static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Marks the bytes of a word that must be escaped in a string: quotation marks, backslashes and control characters.
    /// The lowest mark is exact. A borrow may set false marks only above it.
    @inline(__always)
    static func marks(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let controls = (word &- ones &* 0x20) & ~word
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        return (controls | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & highs
    }

    private static func append(escaping byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            let digit = byte & 0x0F
            output.append(contentsOf: "u00".utf8)
            output.append(0x30 + byte >> 4)
            output.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        default: output.append(byte)
        }
    }

    /// Returns the decoded string between two quotation marks, which the reader has validated.
    @inline(__always)
    static func text(
        of bytes: UnsafeRawBufferPointer,
        _ traits: JSONReader.TextTraits
    ) throws(JSONReader.Fault) -> String {
        // Most strings take this path, without validation and with a single copy.
        if traits == .isASCII { return String(decoding: bytes, as: UTF8.self) }
        return traits.contains(.hasEscapes) ? try text(of: bytes) : try plainText(of: bytes)
    }

    /// Returns the decoded string in a range of a text, which the reader has validated.
    ///
    /// - Throws: A fault whose offset is relative to the whole text.
    static func text(
        at range: Range<Int>,
        in bytes: UnsafeRawBufferPointer,
        _ traits: JSONReader.TextTraits
    ) throws(JSONReader.Fault) -> String {
        do throws(JSONReader.Fault) {
            return try text(of: UnsafeRawBufferPointer(rebasing: bytes[range]), traits)
        } catch {
            throw JSONReader.Fault(offset: range.lowerBound + error.offset, reason: error.reason)
        }
    }

    /// Returns the decoded string between two quotation marks, which the reader has validated.
    ///
    /// - Throws: A fault at the offset within `bytes` of an escape that is not valid Unicode, or at offset 0 if the
    ///   bytes are not valid UTF-8.
    package static func text(of bytes: UnsafeRawBufferPointer) throws(JSONReader.Fault) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var plain = 0
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            output.append(contentsOf: bytes[plain..<index])
            index = try append(escapeAt: index, of: bytes, to: &output)
            plain = index
        }
        output.append(contentsOf: bytes[plain...])
        return try plainText(of: output)
    }

    /// Returns the string of bytes without escapes.
    private static func plainText(of bytes: some Collection<UInt8>) throws(JSONReader.Fault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw JSONReader.Fault(offset: 0, reason: "a string is not UTF-8")
        }
        return text
    }

    /// - Returns: The end of the escape.
    private static func append(
        escapeAt index: Int,
        of bytes: UnsafeRawBufferPointer,
        to output: inout [UInt8]
    ) throws(JSONReader.Fault) -> Int {
        guard index + 1 < bytes.count else { return bytes.count }
        switch bytes[index + 1] {
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "u"):
            guard let (scalar, end) = scalar(in: bytes, at: index) else {
                throw JSONReader.Fault(offset: index, reason: "an escape is half of a surrogate pair")
            }
            output.append(contentsOf: String(scalar).utf8)
            return end
        case let other: output.append(other)
        }
        return index + 2
    }

    /// Returns the scalar of a `\u` escape, or of a surrogate pair of two escapes, and the end of it.
    package static func scalar<Bytes: RandomAccessCollection>(
        in bytes: Bytes,
        at index: Int
    ) -> (Unicode.Scalar, end: Int)? where Bytes.Element == UInt8, Bytes.Index == Int {
        guard let high = unit(in: bytes, at: index) else { return nil }
        if (0xD800...0xDBFF).contains(high) {
            guard let low = unit(in: bytes, at: index + 6), (0xDC00...0xDFFF).contains(low) else { return nil }
            return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)).map { ($0, index + 12) }
        }
        return Unicode.Scalar(high).map { ($0, index + 6) }
    }

    private static func unit<Bytes: RandomAccessCollection>(
        in bytes: Bytes,
        at index: Int
    ) -> UInt32? where Bytes.Element == UInt8, Bytes.Index == Int {
        guard index + 6 <= bytes.endIndex, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt32 = 0
        for byte in bytes[(index + 2)..<(index + 6)] {
            guard let value = byte.hexadecimalValue else { return nil }
            unit = unit << 4 | UInt32(value)
        }
        return unit
    }
}

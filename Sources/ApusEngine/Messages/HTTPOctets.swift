/// Scans the bytes of lines and fields, eight at a time where speed matters.
enum HTTPOctets {
    static var tab: UInt8 { 0x09 }
    static var lineFeed: UInt8 { 0x0A }
    static var carriageReturn: UInt8 { 0x0D }
    static var space: UInt8 { 0x20 }
    static var comma: UInt8 { 0x2C }
    static var colon: UInt8 { 0x3A }

    @inline(__always)
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inline(__always)
    private static var highs: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns a mask with the high bit of the first byte below 0x20 or equal to 0x7F set, for a little-endian word.
    ///
    /// A borrow may also mark bytes above the first one. The lowest mark is exact, and zero means that there is none.
    @inline(__always)
    static func controlMarks(_ word: UInt64) -> UInt64 {
        let below = (word &- ones &* 0x20) & ~word
        let delete = word ^ (ones &* 0x7F)
        return (below | ((delete &- ones) & ~delete)) & highs
    }

    /// Returns the index of the first control character other than HTAB at or after `start`, or `bytes.count`.
    ///
    /// A valid HTTP/1.1 line contains such a character only at its end, so one pass finds the end of the line and
    /// validates every byte before it.
    @inline(__always)
    static func firstControl(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        let end = bytes.count
        while index &+ 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let marks = controlMarks(word)
            if marks == 0 {
                index &+= 8
                continue
            }
            index &+= marks.trailingZeroBitCount &>> 3
            if bytes[index] != tab { return index }
            index &+= 1
        }
        if index < end, end >= 8 {
            // The last word overlaps the previous one, which avoids a loop over up to seven single bytes.
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self))
            if controlMarks(word) == 0 { return end }
        }
        while index < end {
            let byte = bytes[index]
            if (byte < 0x20 && byte != tab) || byte == 0x7F { return index }
            index &+= 1
        }
        return end
    }

    /// Returns the index of the first colon in `start..<end`, or `end`.
    @inline(__always)
    static func firstColon(in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
        var index = start
        while index &+ 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let difference = word ^ (ones &* 0x3A)
            let marks = (difference &- ones) & ~difference & highs
            if marks != 0 { return index &+ (marks.trailingZeroBitCount &>> 3) }
            index &+= 8
        }
        while index < end, bytes[index] != colon { index &+= 1 }
        return index
    }

    /// Returns whether `count` bytes are the same in both buffers.
    @inline(__always)
    static func areEqual(
        _ left: UnsafeRawBufferPointer,
        _ leftStart: Int,
        _ right: UnsafeRawBufferPointer,
        _ rightStart: Int,
        count: Int
    ) -> Bool {
        var offset = 0
        while offset &+ 8 <= count {
            let one = left.loadUnaligned(fromByteOffset: leftStart &+ offset, as: UInt64.self)
            let other = right.loadUnaligned(fromByteOffset: rightStart &+ offset, as: UInt64.self)
            if one != other { return false }
            offset &+= 8
        }
        if count >= 8 {
            // The last word overlaps the previous one, which avoids a loop over up to seven single bytes.
            let last = count &- 8
            return left.loadUnaligned(fromByteOffset: leftStart &+ last, as: UInt64.self)
                == right.loadUnaligned(fromByteOffset: rightStart &+ last, as: UInt64.self)
        }
        while offset < count {
            if left[leftStart &+ offset] != right[rightStart &+ offset] { return false }
            offset &+= 1
        }
        return true
    }

    @inline(__always)
    static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index &+ 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & highs != 0 { return false }
            index &+= 8
        }
        while index < bytes.count {
            if bytes[index] >= 0x80 { return false }
            index &+= 1
        }
        return true
    }

    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// Returns the value of a hexadecimal digit, or `nil`.
    @inline(__always)
    static func hexValue(_ byte: UInt8) -> Int? {
        let digit = byte &- 0x30
        if digit < 10 { return Int(digit) }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? Int(letter) + 10 : nil
    }

    /// Returns whether the byte is allowed in a token (RFC 9110 §5.6.2).
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // One bit a character: ! # $ % & ' * + - . 0-9 in the low word, A-Z ^ _ ` a-z | ~ in the high one.
        let word: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && (word &>> UInt64(byte & 63)) & 1 == 1
    }

    /// `start..<end` without the optional white space (SP, HTAB) around it.
    @inline(__always)
    static func trimmed(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Range<Int> {
        var start = start
        var end = end
        while start < end, isBlank(bytes[start]) { start &+= 1 }
        while start < end, isBlank(bytes[end &- 1]) { end &-= 1 }
        return start..<end
    }

    /// Returns whether `range` spells `lowercase`, an ASCII literal in lower case, ignoring the case of the bytes.
    @inline(__always)
    static func matches(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ lowercase: StaticString) -> Bool {
        guard range.count == lowercase.utf8CodeUnitCount else { return false }
        let expected = lowercase.utf8Start
        for offset in 0..<range.count {
            var byte = bytes[range.lowerBound &+ offset]
            if byte &- 0x41 < 26 { byte |= 0x20 }
            if byte != expected[offset] { return false }
        }
        return true
    }
}

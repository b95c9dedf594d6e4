/// Reads field lines (RFC 9112 §5) directly from bytes.
enum FieldLines {
    /// Calls `body` for each field line, from an index to the empty line or the end of the bytes.
    ///
    /// - Returns: false if a line is malformed. Lines without a valid name are skipped.
    static func visit(_ bytes: [UInt8], from start: Int, _ body: (Range<Int>, Range<Int>) -> Void) -> Bool {
        var isWellFormed = true
        var index = start
        while index < bytes.count {
            guard let feed = bytes[index...].firstIndex(of: 0x0A) else { return false }
            var end = feed
            if end > index && bytes[end - 1] == 0x0D { end -= 1 } else { isWellFormed = false }
            if end == index { return isWellFormed }
            if let colon = bytes[index..<end].firstIndex(of: UInt8(ascii: ":")), colon > index,
                bytes[index..<colon].allSatisfy(isTokenByte)
            {
                let value = trimmed(bytes[(colon + 1)..<end])
                if !value.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) { isWellFormed = false }
                body(index..<colon, value.startIndex..<value.endIndex)
            } else {
                isWellFormed = false
            }
            index = feed + 1
        }
        return isWellFormed
    }

    static func trimmed(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var slice = slice
        while let first = slice.first, first == 0x20 || first == 0x09 { slice.removeFirst() }
        while let last = slice.last, last == 0x20 || last == 0x09 { slice.removeLast() }
        return slice
    }

    /// Compares case-insensitively with a text in lower case.
    static func equals(_ slice: ArraySlice<UInt8>, _ lowercased: StaticString) -> Bool {
        guard slice.count == lowercased.utf8CodeUnitCount else { return false }
        return lowercased.withUTF8Buffer { text in
            zip(slice, text).allSatisfy { byte, letter in
                byte == letter || (byte >= 0x41 && byte <= 0x5A && byte | 0x20 == letter)
            }
        }
    }

    static func decimal(_ slice: ArraySlice<UInt8>) -> Int? {
        guard !slice.isEmpty, slice.count <= 18, slice.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return slice.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension String {
    /// Maps each byte to the scalar with the same number, so that no byte is lost.
    init(latin1 bytes: some Sequence<UInt8>) {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        self = String(text)
    }
}

extension [UInt8] {
    /// The bytes of a text in ISO-8859-1. Other characters become question marks.
    init(latin1 text: String) {
        self = text.unicodeScalars.map { $0.value < 0x100 ? UInt8($0.value) : UInt8(ascii: "?") }
    }
}

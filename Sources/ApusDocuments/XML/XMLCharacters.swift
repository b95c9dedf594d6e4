/// The characters allowed in documents and names: XML 1.0 §2.2 and §2.3.
enum XMLCharacters {
    /// Flags for the use of an ASCII character.
    private static let nameStart: UInt8 = 1
    private static let name: UInt8 = 2

    private static let ascii: [UInt8] = (0..<128).map { byte in
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x3A, 0x5F: nameStart | name
        case 0x30...0x39, 0x2D, 0x2E: name
        default: 0
        }
    }

    /// Returns the number of bytes of the character at `index`, or 0 if it may not be in, or begin, a name.
    ///
    /// `bytes` must be valid UTF-8.
    static func nameLength(at index: Int, of bytes: [UInt8], isFirst: Bool) -> Int {
        let byte = bytes[index]
        if byte < 0x80 { return ascii[Int(byte)] & (isFirst ? nameStart : name) == 0 ? 0 : 1 }
        let (scalar, length) = decode(at: index, of: bytes)
        return isNameStart(scalar) || (!isFirst && isNameContinuation(scalar)) ? length : 0
    }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    /// Returns whether a character is allowed in a document.
    static func isAllowed(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x20...0xD7FF, 0x09, 0x0A, 0x0D, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }

    /// Returns whether `string` is a name.
    static func isName(_ string: String) -> Bool {
        let bytes = Array(string.utf8)
        guard !bytes.isEmpty else { return false }
        var index = 0
        while index < bytes.count {
            let length = nameLength(at: index, of: bytes, isFirst: index == 0)
            guard length > 0 else { return false }
            index += length
        }
        return true
    }

    /// Returns the character that starts at `index`, and its number of bytes. `bytes` must be valid UTF-8.
    private static func decode(at index: Int, of bytes: [UInt8]) -> (scalar: UInt32, length: Int) {
        let first = UInt32(bytes[index])
        func next(_ offset: Int) -> UInt32 { UInt32(bytes[index + offset] & 0x3F) }
        if first < 0xE0 { return ((first & 0x1F) << 6 | next(1), 2) }
        if first < 0xF0 { return ((first & 0x0F) << 12 | next(1) << 6 | next(2), 3) }
        return ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4)
    }

    private static func isNameStart(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x1_0000...0xE_FFFF:
            true
        default:
            false
        }
    }

    private static func isNameContinuation(_ scalar: UInt32) -> Bool {
        scalar == 0xB7 || (0x300...0x36F).contains(scalar) || (0x203F...0x2040).contains(scalar)
    }
}

/// Decodes Big5 with the characters of Hong Kong, using a table of the system. For a few byte pairs the table has other
/// characters than browsers use, and it lacks some.
///
/// See https://encoding.spec.whatwg.org/#big5
enum Big5Text {
    /// The characters that differ from the table.
    private static let signs: [UInt16: String] = [
        0xA145: "‧", 0xA14E: "﹑", 0xA15A: "╴", 0xA1C2: "¯", 0xA1C3: "￣", 0xA1C5: "ˍ", 0xA1E3: "～", 0xA1F2: "⊕",
        0xA1F3: "⊙", 0xA1FE: "／", 0xA240: "＼", 0xA241: "∕", 0xA242: "﹨", 0xA244: "￥", 0xA246: "￠", 0xA247: "￡",
        0xA2CC: "十", 0xA2CE: "卅", 0xA3E1: "€",
    ]

    /// Returns the text of the bytes, or `nil` if they are not valid Big5 or the system lacks the table.
    static func string(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard let converter = SystemConverter(.big5) else { return nil }
        var utf8: [UInt8] = []
        utf8.reserveCapacity(bytes.count + bytes.count / 2)
        func decode(_ range: Range<Int>) -> Bool {
            converter.append(UnsafeRawBufferPointer(rebasing: bytes[range]), to: &utf8) == range.count
        }
        var start = 0
        var index = 0
        while index < bytes.count {
            // The table maps this byte to a control character, but in Big5 it is invalid as a first byte.
            guard bytes[index] != 0x80 else { return nil }
            guard bytes[index] > 0x80, index + 1 < bytes.count else {
                index += 1
                continue
            }
            if let sign = signs[UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])] {
                guard decode(start..<index) else { return nil }
                utf8.append(contentsOf: sign.utf8)
                start = index + 2
            }
            index += 2
        }
        guard decode(start..<bytes.count) else { return nil }
        return String(validating: utf8, as: UTF8.self)
    }
}

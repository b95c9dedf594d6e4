/// Decodes EUC-JP and ISO-2022-JP through the Shift_JIS table: all three encode the characters of JIS X 0208, with
/// different bytes.
///
/// The tables of the C library for these two lack the Windows extensions at the positions that browsers expect.
///
/// See https://encoding.spec.whatwg.org/#legacy-multi-byte-japanese-encodings
struct JapaneseText {
    /// The interpretation of bytes in ISO-2022-JP until the next escape sequence.
    private enum Mode {
        case ascii, roman, katakana, jisX0208
    }

    private let shiftJIS: SystemConverter
    /// Opened when a character first needs it.
    private var jisX0212: SystemConverter?
    /// Bytes in Shift_JIS that are not decoded yet.
    private var run: [UInt8] = []
    private var utf8: [UInt8] = []

    /// Whether the system has the required tables.
    static var isSupported: Bool { SystemConverter(.shiftJIS) != nil && SystemConverter(.jisX0212) != nil }

    /// Returns the text of bytes in EUC-JP, or `nil` if they are not valid or the system lacks a table.
    static func string(eucJP bytes: UnsafeRawBufferPointer) -> String? {
        guard var text = JapaneseText(bytes.count), text.readEUC(bytes) else { return nil }
        return text.string()
    }

    /// Returns the text of bytes in ISO-2022-JP, or `nil` if they are not valid or the system lacks a table.
    static func string(iso2022JP bytes: UnsafeRawBufferPointer) -> String? {
        guard var text = JapaneseText(bytes.count), text.readISO2022(bytes) else { return nil }
        return text.string()
    }

    private init?(_ count: Int) {
        guard let shiftJIS = SystemConverter(.shiftJIS) else { return nil }
        self.shiftJIS = shiftJIS
        run.reserveCapacity(count)
        utf8.reserveCapacity(count + count / 2)
    }

    private mutating func string() -> String? {
        flush() ? String(validating: utf8, as: UTF8.self) : nil
    }

    private mutating func flush() -> Bool {
        let count = run.withUnsafeBytes { shiftJIS.append($0, to: &utf8) }
        defer { run.removeAll(keepingCapacity: true) }
        return count == run.count
    }

    private mutating func readEUC(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let cells = UInt8(0xA1)...0xFE
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            switch bytes[index] {
            case ..<0x80:
                run.append(bytes[index])
                index += 1
            case 0x8E where left > 1 && (0xA1...0xDF).contains(bytes[index + 1]):
                run.append(bytes[index + 1])
                index += 2
            case 0x8F where left > 2 && cells.contains(bytes[index + 1]) && cells.contains(bytes[index + 2]):
                guard flush(), appendJISX0212(UnsafeRawBufferPointer(rebasing: bytes[index..<index + 3])) else {
                    return false
                }
                index += 3
            case cells where left > 1 && cells.contains(bytes[index + 1]):
                appendJISX0208(bytes[index] & 0x7F, bytes[index + 1] & 0x7F)
                index += 2
            default:
                return false
            }
        }
        return true
    }

    private mutating func readISO2022(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var mode = Mode.ascii
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0x1B {
                guard index + 2 < bytes.count, let next = Self.mode(bytes[index + 1], bytes[index + 2]) else {
                    return false
                }
                mode = next
                index += 3
                continue
            }
            guard byte < 0x80, byte != 0x0E, byte != 0x0F else { return false }
            switch mode {
            case .roman where byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "~"):
                guard flush() else { return false }
                utf8.append(contentsOf: (byte == UInt8(ascii: "~") ? "\u{203E}" : "¥").utf8)
            case .ascii, .roman:
                run.append(byte)
            case .katakana:
                guard (0x21...0x5F).contains(byte) else { return false }
                run.append(byte | 0x80)
            case .jisX0208:
                index += 1
                guard index < bytes.count, (0x21...0x7E).contains(byte), (0x21...0x7E).contains(bytes[index]) else {
                    return false
                }
                appendJISX0208(byte, bytes[index])
            }
            index += 1
        }
        return true
    }

    /// Returns the mode that an escape sequence with these two bytes starts.
    private static func mode(_ first: UInt8, _ second: UInt8) -> Mode? {
        switch (first, second) {
        case (UInt8(ascii: "("), UInt8(ascii: "B")): .ascii
        case (UInt8(ascii: "("), UInt8(ascii: "J")): .roman
        case (UInt8(ascii: "("), UInt8(ascii: "I")): .katakana
        case (UInt8(ascii: "$"), UInt8(ascii: "@")), (UInt8(ascii: "$"), UInt8(ascii: "B")): .jisX0208
        default: nil
        }
    }

    /// Appends a character by row and cell, both from 0x21 to 0x7E. In Shift_JIS two rows share a first byte.
    private mutating func appendJISX0208(_ row: UInt8, _ cell: UInt8) {
        let isOdd = row & 1 == 1
        run.append((row + 1) >> 1 + (row < 0x5F ? 0x70 : 0xB0))
        run.append(cell + (isOdd ? (cell < 0x60 ? 0x1F : 0x20) : 0x7E))
    }

    private mutating func appendJISX0212(_ bytes: UnsafeRawBufferPointer) -> Bool {
        jisX0212 = jisX0212 ?? SystemConverter(.jisX0212)
        return jisX0212?.append(bytes, to: &utf8) == bytes.count
    }
}

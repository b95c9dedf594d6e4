/// The escapes of JSON strings, as far as the command takes them apart or writes them.
enum JSONEscape {
    /// The text in quotation marks, with what JSON demands escaped.
    static func quoted(_ text: String) -> [UInt8] {
        var output: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x0A: output += Array("\\n".utf8)
            case 0x0D: output += Array("\\r".utf8)
            case 0x09: output += Array("\\t".utf8)
            case 0x00..<0x20: output += Array("\\u00".utf8) + [0x30 + (byte >> 4), digit(byte & 0xF)]
            default: output.append(byte)
            }
        }
        return output + [UInt8(ascii: "\"")]
    }

    /// A string token with its `\u` escapes turned into readable characters, but for what may not stand in JSON or would
    /// steer a terminal; every other byte stays.
    static func readable(_ token: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(token.count)
        var index = token.startIndex
        while index < token.endIndex {
            let byte = token[index]
            guard byte == UInt8(ascii: "\\"), index + 1 < token.endIndex else {
                output.append(byte)
                index += 1
                continue
            }
            if let (scalar, end) = scalar(in: token, at: index), scalar.value >= 0x80,
                !TerminalText.steers(scalar.value)
            {
                output.append(contentsOf: Array(String(scalar).utf8))
                index = end
            } else {
                output.append(byte)
                output.append(token[index + 1])
                index += 2
            }
        }
        return output
    }

    /// The value of a hexadecimal digit.
    static func value(ofDigit byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x41 + 10)
        case 0x61...0x66: UInt32(byte - 0x61 + 10)
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }

    /// The scalar that a `\u` escape, or a surrogate pair of two of them, stands for, and where it ends.
    private static func scalar(in token: ArraySlice<UInt8>, at index: Int) -> (Unicode.Scalar, Int)? {
        guard let high = unit(in: token, at: index) else { return nil }
        if (0xD800...0xDBFF).contains(high) {
            guard let low = unit(in: token, at: index + 6), (0xDC00...0xDFFF).contains(low) else { return nil }
            return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)).map { ($0, index + 12) }
        }
        return Unicode.Scalar(high).map { ($0, index + 6) }
    }

    private static func unit(in token: ArraySlice<UInt8>, at index: Int) -> UInt32? {
        guard index + 6 <= token.endIndex, token[index] == UInt8(ascii: "\\"), token[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt32 = 0
        for byte in token[(index + 2)..<(index + 6)] {
            guard let value = value(ofDigit: byte) else { return nil }
            unit = unit << 4 | value
        }
        return unit
    }
}

internal import Apus

extension JSONEscape {
    /// Returns a string token with its `\u` escapes replaced by readable characters, except ASCII characters and those
    /// that control a terminal. All other bytes stay unchanged.
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
                !ControlCharacters.steers(scalar.value)
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
}

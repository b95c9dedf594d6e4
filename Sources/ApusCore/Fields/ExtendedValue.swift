internal import ApusJSON

/// Decodes the values of parameters whose names end with an asterisk, such as `filename*` and `title*`.
///
/// See RFC 8187, https://www.rfc-editor.org/rfc/rfc8187.html
enum ExtendedValue {
    /// Returns the text of `UTF-8''na%C3%AFve.txt`, or of the same in ISO-8859-1. `nil` if it is none of these.
    static func text(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return PercentEncoding.decode(String(parts[2]))
        case "iso-8859-1": return latin(parts[2])
        default: return nil
        }
    }

    /// Decodes percent-encoded ISO-8859-1, in which each byte is one scalar.
    private static func latin(_ text: Substring) -> String {
        var scalars = String.UnicodeScalarView()
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(\.hexadecimalValue)
            guard byte == UInt8(ascii: "%"), digits.count == 2, rest.count >= 2 else {
                scalars.append(Unicode.Scalar(byte))
                continue
            }
            rest = rest.dropFirst(2)
            scalars.append(Unicode.Scalar(UInt8(digits[0] << 4 | digits[1])))
        }
        return String(scalars)
    }
}

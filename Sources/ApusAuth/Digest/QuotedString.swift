internal import ApusCore

extension Sequence<UInt8> {
    /// The bytes in quotes, with each quote and backslash escaped: RFC 9110 §5.6.4.
    var quoted: [UInt8] {
        var text = [UInt8(ascii: "\"")]
        for byte in self {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
            text.append(byte)
        }
        text.append(UInt8(ascii: "\""))
        return text
    }
}

extension String {
    /// The text with everything but RFC 3986's unreserved characters percent-encoded.
    var percentEncoded: String { PercentEncoding.encode(self) }
}

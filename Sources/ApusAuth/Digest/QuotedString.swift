internal import ApusCore

extension Sequence<UInt8> {
    /// In quotes, with backslashes ahead of quotes and backslashes: RFC 9110 §5.6.4.
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
    /// With everything but RFC 3986's unreserved characters percent-encoded.
    var percentEncoded: String { PercentEncoding.encode(self) }
}

internal import ApusJSON

/// Percent-encodes and decodes strings, RFC 3986 §2.1.
package enum PercentEncoding {
    /// Encodes all except the unreserved characters, so that the result is valid anywhere in a URI.
    package static func encode(_ string: String) -> String {
        var encoded = [UInt8]()
        encoded.reserveCapacity(string.utf8.count)
        for byte in string.utf8 {
            if isUnreserved(byte) { encoded.append(byte) } else { append(byte, to: &encoded) }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Decodes every `%XX`. A percent sign without two hexadecimal digits after it is kept.
    package static func decode(_ string: String) -> String {
        let bytes = Array(string.utf8)
        guard bytes.contains(UInt8(ascii: "%")) else { return string }
        var decoded = [UInt8]()
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = bytes[index + 1].hexadecimalValue, let low = bytes[index + 2].hexadecimalValue
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// Encodes the bytes that are invalid in a path or query. Existing percent-encoding is kept.
    static func encodePathAndQuery(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        var encoded = [UInt8]()
        var isInQuery = false
        for byte in bytes {
            if byte == UInt8(ascii: "?") { isInQuery = true }
            if byte == UInt8(ascii: "\\"), !isInQuery {
                // As browsers do: a backslash in a path is taken for a mistyped slash.
                encoded.append(UInt8(ascii: "/"))
            } else if standsInPathOrQuery(byte) {
                encoded.append(byte)
            } else {
                append(byte, to: &encoded)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Encodes the bytes that are invalid in a query. Existing percent-encoding is kept.
    static func encodeQuery(_ query: String) -> String {
        func stands(_ byte: UInt8) -> Bool { standsInPathOrQuery(byte) && byte != UInt8(ascii: "#") }
        guard !query.utf8.allSatisfy(stands) else { return query }
        var encoded = [UInt8]()
        for byte in query.utf8 {
            if stands(byte) { encoded.append(byte) } else { append(byte, to: &encoded) }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Returns whether `byte` is valid in a path or query without encoding.
    static func standsInPathOrQuery(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default:
            byte > 0x20 && byte < 0x7F
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "~")
    }

    /// Appends `%XX`, in upper case.
    @inlinable
    package static func append(_ byte: UInt8, to encoded: inout [UInt8]) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
        encoded.append(UInt8(ascii: "%"))
        encoded.append(digit(byte >> 4))
        encoded.append(digit(byte & 15))
    }
}

internal import ApusCore
internal import Foundation

/// The delimiter between the parts of a multipart body.
///
/// See RFC 2046 §5.1.1, https://www.rfc-editor.org/rfc/rfc2046.html#section-5.1.1
struct MultipartBoundary: Hashable {
    let text: String
    /// Whether it was generated without checking the parts for it.
    let isRandom: Bool

    /// Creates a boundary from 128 random bits. It can't occur in a body by chance.
    init(using generator: inout some RandomNumberGenerator) {
        let digits = (0..<2).map { _ in generator.next().padded(to: 16, radix: 16) }
        self.text = "apus.boundary." + digits.joined()
        self.isRandom = true
    }

    /// Creates a boundary chosen by the user.
    init(_ text: String) throws(ApusError) {
        guard (1...70).contains(text.utf8.count), text.last != " ", text.utf8.allSatisfy(Self.isAllowed) else {
            throw ApusError(
                .multipartEncodingFailed,
                "a boundary has 1 to 70 letters, digits, spaces or characters of '()+_,-./:=?, and no space at its end"
                    + "; RFC 2046 §5.1.1"
            )
        }
        self.text = text
        self.isRandom = false
    }

    /// The value of a `boundary` parameter, quoted if it is not a token.
    var parameterValue: String {
        text.utf8.allSatisfy { Self.isAllowed($0) && !Self.needsQuotes($0) } ? text : "\"\(text)\""
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool { "(),/:=? ".utf8.contains(byte) }
}

extension MultipartBoundary {
    /// Returns whether a parser could take a line of `data` for a delimiter.
    ///
    /// Lines may end in a lone CR or LF here, since some parsers accept that. A line that begins with the boundary
    /// counts, because parsers compare no further (RFC 2046 §5.1.1).
    func beginsLine(of data: Data) -> Bool {
        let delimiter = Array("--\(text)".utf8)
        return data.withUnsafeBytes { bytes in
            var isAtBegin = true
            for (index, byte) in bytes.enumerated() {
                if isAtBegin, byte == delimiter[0], bytes[index...].starts(with: delimiter) { return true }
                isAtBegin = byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
            }
            return false
        }
    }
}

internal import ApusCore
internal import Foundation

/// What stands between the parts of a multipart content.
///
/// See RFC 2046 §5.1.1, https://www.rfc-editor.org/rfc/rfc2046.html#section-5.1.1
struct MultipartBoundary: Hashable {
    let text: String
    /// Whether it was chosen without looking at what it stands between.
    let isRandom: Bool

    /// Makes one of 128 random bits: that it stands in a content by chance can't happen.
    init(using generator: inout some RandomNumberGenerator) {
        let digits = (0..<2).map { _ in
            let half = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - half.count) + half
        }
        self.text = "apus.boundary." + digits.joined()
        self.isRandom = true
    }

    /// Takes one of the user's.
    init(_ text: String) throws(ApusError) {
        guard (1...70).contains(text.utf8.count), text.last != " ", text.utf8.allSatisfy(Self.isAllowed) else {
            throw ApusError(
                .multipartEncodingFailed,
                "a boundary has 1 to 70 letters, digits, spaces and characters of '()+_,-./:=?, and no space at its end; "
                    + "RFC 2046 §5.1.1"
            )
        }
        self.text = text
        self.isRandom = false
    }

    /// The value of a `boundary` parameter, in quotes where it is no token.
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
    /// Whether a reader would take a line of `data` for a delimiter.
    ///
    /// Readers that are content with less than CR LF are thought of, and that one line begins with the boundary is
    /// enough: RFC 2046 §5.1.1 has them compare no further.
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

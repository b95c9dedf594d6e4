internal import Foundation

/// The identification of a program: `tool/1.2 (Linux; Debian GNU/Linux 12) Apus/0.1.0`.
///
/// See RFC 9110 §10.1.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-10.1.5
struct UserAgent {
    /// The maximum length of a part in bytes. It keeps the field short even if the executable has a long name.
    private static let largestCount = 64

    /// The name of the executable.
    let executable: String
    /// The version of the executable, if known.
    let version: String?
    /// The platform that the program runs on.
    let platform: [String]

    /// The value of a `User-Agent` field.
    ///
    /// A command builds it at each start, so it is assembled byte by byte, without functions that are slow at first
    /// use.
    var fieldValue: String {
        var value: [UInt8] = []
        if !Self.append(token: executable, to: &value) { value += "Unknown".utf8 }
        if let version {
            let count = value.count
            value.append(UInt8(ascii: "/"))
            if !Self.append(token: version, to: &value) { value.removeSubrange(count...) }
        }
        var separator = " ("
        for part in platform where Self.append(comment: part, behind: separator, to: &value) { separator = "; " }
        value += (separator == "; " ? ") Apus/" : " Apus/").utf8
        value += ApusVersion.current.utf8
        return String(decoding: value, as: UTF8.self)
    }

    /// Appends the text as a token: letters without their accents, and hyphens for invalid ASCII characters.
    ///
    /// - Returns: `false` if no valid character is left.
    private static func append(token text: String, to value: inout [UInt8]) -> Bool {
        var text = text
        if text.utf8.contains(where: { $0 >= 0x80 }) {
            text = text.folding(options: [.diacriticInsensitive, .widthInsensitive], locale: nil)
        }
        let start = value.count
        var isEmpty = true
        for byte in text.utf8 where byte < 0x80 && value.count - start < largestCount {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"),
                UInt8(ascii: "~"), UInt8(ascii: "!"), UInt8(ascii: "'"), UInt8(ascii: "#"), UInt8(ascii: "&"):
                value.append(byte)
                isEmpty = false
            default:
                value.append(UInt8(ascii: "-"))
            }
        }
        if isEmpty { value.removeSubrange(start...) }
        return !isEmpty
    }

    /// Appends the text as a part of a comment, without characters that would end the comment or start another.
    ///
    /// - Returns: `false` if no valid character is left.
    private static func append(comment text: String, behind separator: String, to value: inout [UInt8]) -> Bool {
        let start = value.count
        value += separator.utf8
        let first = value.count
        for byte in text.utf8 where value.count - first < largestCount {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ";"), UInt8(ascii: "\\"): break
            case 0x20 where value.count == first: break
            case 0x20..<0x7F: value.append(byte)
            default: break
            }
        }
        while value.count > first, value.last == 0x20 { value.removeLast() }
        guard value.count > first else {
            value.removeSubrange(start...)
            return false
        }
        return true
    }
}

internal import ApusJSON
internal import Foundation

/// The identification of a program: `tool/1.2 (Linux; Debian GNU/Linux 12) Apus/0.1.0`.
///
/// ```swift
/// configuration.userAgent = try UserAgent(product: "MyApp", version: "1.2")
/// ```
///
/// The system and this library follow the program. Any other text is set as a field:
/// `configuration.fields[.userAgent] = "MyApp"`.
///
/// See RFC 9110 §10.1.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-10.1.5
public struct UserAgent: Sendable, Hashable {
    /// The maximum length of a product and of a version: 64 bytes. It keeps the field short even if the executable has
    /// a long name.
    public static let longestPart = 64

    /// The value of the `User-Agent` field.
    public let fieldValue: String

    /// Creates the identification of a program from its name and its version.
    ///
    /// - Parameters:
    ///   - product: The name: a token of RFC 9110 §5.6.2, up to `longestPart` bytes.
    ///   - version: The version, also a token of up to `longestPart` bytes. `nil` for none. Default: `nil`.
    /// - Throws: `ApusError` with the code `invalidField` if the name or the version is empty, too long or no token. A
    ///   token has letters and digits of ASCII, and no space, slash, parenthesis, comma or control character.
    public init(product: String, version: String? = nil) throws(ApusError) {
        try Self.check(product, "product")
        var value = Array(product.utf8)
        if let version {
            try Self.check(version, "version")
            value.append(UInt8(ascii: "/"))
            value += version.utf8
        }
        Self.append(systemAndLibrary: Self.system, to: &value)
        self.init(fieldValue: String(decoding: value, as: UTF8.self))
    }

    /// Creates the identification that has a value.
    init(fieldValue: String) {
        self.fieldValue = fieldValue
    }

    /// Creates the identification of a program. Characters that a token can't have become hyphens.
    ///
    /// A command builds it at each start, so it is assembled byte by byte, without functions that are slow at first
    /// use.
    ///
    /// - Parameters:
    ///   - executable: The name of the executable.
    ///   - version: The version of the executable, if known.
    ///   - platform: The platform that the program runs on.
    init(executable: String, version: String?, platform: [String]) {
        var value: [UInt8] = []
        if !Self.append(token: executable, to: &value) { value += "Unknown".utf8 }
        if let version {
            let count = value.count
            value.append(UInt8(ascii: "/"))
            if !Self.append(token: version, to: &value) { value.removeSubrange(count...) }
        }
        Self.append(systemAndLibrary: platform, to: &value)
        self.init(fieldValue: String(decoding: value, as: UTF8.self))
    }

    private static func append(systemAndLibrary platform: [String], to value: inout [UInt8]) {
        var separator = " ("
        for part in platform where append(comment: part, behind: separator, to: &value) { separator = "; " }
        value += (separator == "; " ? ") Apus/" : " Apus/").utf8
        value += ApusVersion.current.utf8
    }

    private static func check(_ text: String, _ part: String) throws(ApusError) {
        guard !text.isEmpty, text.utf8.count <= longestPart, text.utf8.allSatisfy(isAllowedInToken) else {
            throw ApusError(
                .invalidField,
                "the \(part) \(Excerpt.quoted(text)) of the User-Agent is no token; use 1 to \(longestPart) letters, "
                    + "digits, dots and hyphens"
            )
        }
    }

    /// Whether a token may have a byte, RFC 9110 §5.6.2.
    private static func isAllowedInToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
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
        for byte in text.utf8 where byte < 0x80 && value.count - start < longestPart {
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
        for byte in text.utf8 where value.count - first < longestPart {
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

extension UserAgent: CustomStringConvertible {
    /// The value of the field.
    public var description: String { fieldValue }
}

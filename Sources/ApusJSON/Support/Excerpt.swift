/// Text of unknown origin for use in an error: shortened, and with escapes for characters that control a terminal or
/// break a line in a log.
package enum Excerpt {
    /// The maximum number of characters shown of a name, a number or a field.
    package static let limit = 40
    /// The maximum number of characters shown of a sentence from another library.
    package static let sentenceLimit = 400
    /// The maximum number of keys shown of a path.
    private static let keyLimit = 16

    /// Returns the beginning of a text.
    package static func of(_ text: some StringProtocol) -> String { cut(text, limit) }

    /// Returns the beginning of a text, in quotation marks.
    package static func quoted(_ text: some StringProtocol) -> String { "'\(of(text))'" }

    /// Returns the beginning of a UTF-8 text, in quotation marks.
    package static func quoted(utf8 text: some Collection<UInt8>) -> String {
        // A character has at most four bytes, so a truncated one is beyond the characters shown.
        quoted(String(decoding: text.prefix(4 * (limit + 1)), as: UTF8.self))
    }

    /// Returns the keys that lead to a value: `users[2].name`.
    package static func path(_ keys: [any CodingKey]) -> String {
        let steps = keys.prefix(keyLimit).map { key in key.intValue.map { "[\($0)]" } ?? ".\(of(key.stringValue))" }
        return "\(steps.joined().trimmingPrefix("."))\(keys.count > steps.count ? "…" : "")"
    }

    /// Returns a sentence or a longer description.
    package static func sentence(_ text: String, limit: Int = sentenceLimit) -> String { cut(text, limit) }

    /// Limits the number of Unicode scalars, since a single `Character` may have any number of them.
    private static func cut(_ text: some StringProtocol, _ limit: Int) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex) ?? scalars.endIndex
        let shown = scalars[..<end]
        let isCut = end < scalars.endIndex
        guard isCut || shown.contains(where: isEscaped) else { return String(text) }
        let pieces = shown.map { isEscaped($0) ? $0.escaped(asASCII: true) : String($0) }
        return "\(pieces.joined())\(isCut ? "…" : "")"
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || ControlCharacters.steers(scalar.value)
    }
}

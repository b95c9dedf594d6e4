/// Text of unknown origin in an error: cut, and with escapes in place of characters that steer a terminal or break a line
/// of a log.
package enum Excerpt {
    /// How many characters of a name, a number or a field are shown.
    package static let limit = 40
    /// How many characters of a sentence of another library are shown.
    package static let sentenceLimit = 400
    /// How many keys of a path are shown.
    private static let keyLimit = 16

    /// The beginning of a text.
    package static func of(_ text: some StringProtocol) -> String { cut(text, limit) }

    /// The beginning of a text, in quotation marks.
    package static func quoted(_ text: some StringProtocol) -> String { "'\(of(text))'" }

    /// The beginning of a text in UTF-8, in quotation marks.
    package static func quoted(utf8 text: some Collection<UInt8>) -> String {
        // A character has no more than four bytes; one that was cut is behind those that are shown.
        quoted(String(decoding: text.prefix(4 * (limit + 1)), as: UTF8.self))
    }

    /// The keys that lead to a value: `users[2].name`.
    package static func path(_ keys: [any CodingKey]) -> String {
        let steps = keys.prefix(keyLimit).map { key in key.intValue.map { "[\($0)]" } ?? ".\(of(key.stringValue))" }
        return "\(steps.joined().trimmingPrefix("."))\(keys.count > steps.count ? "…" : "")"
    }

    /// A whole sentence, or a description of several.
    package static func sentence(_ text: String, limit: Int = sentenceLimit) -> String { cut(text, limit) }

    /// Unicode scalars are counted: a `Character` may have any number of them.
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

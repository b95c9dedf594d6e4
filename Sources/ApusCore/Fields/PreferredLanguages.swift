/// The languages preferred for responses, the best first.
///
/// See RFC 9110 §12.5.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.4
public struct PreferredLanguages: Sendable, Hashable {
    /// The maximum number of languages that are sent to a server.
    private static let largestCount = 6

    /// The language tags, RFC 5646: `de-DE`. At most six, without duplicates.
    public let tags: [String]

    /// Keeps the first six valid language tags and skips the rest.
    init(_ tags: some Sequence<String>) {
        var chosen: [String] = []
        for tag in tags where chosen.count < Self.largestCount && Self.isTag(tag) {
            if !chosen.contains(where: { $0.lowercased() == tag.lowercased() }) { chosen.append(tag) }
        }
        self.tags = chosen
    }

    /// Creates the languages of a POSIX environment: those of `LANGUAGE`, else the first one set of `LC_ALL`,
    /// `LC_MESSAGES` and `LANG`.
    ///
    /// `LANGUAGE` is ignored if the locale is `C` or `POSIX`, as in GNU gettext, since programs use English then.
    /// Values that are not locale names are skipped.
    ///
    /// - Parameter environment: The environment variables. An empty value counts as unset.
    public init(environment: [String: String]) {
        self.init { environment[$0] }
    }

    /// - Parameter variable: Returns the value of an environment variable.
    init(variable: (String) -> String?) {
        var locale = variable("LC_ALL") ?? ""
        if locale.isEmpty { locale = variable("LC_MESSAGES") ?? "" }
        if locale.isEmpty { locale = variable("LANG") ?? "" }
        guard !locale.isEmpty, !Self.isPlain(locale) else {
            self.tags = []
            return
        }
        // After a "C" in the list, no entry is a translation.
        let list = (variable("LANGUAGE") ?? "").split(separator: ":").prefix { !Self.isPlain($0) }
        let listed = PreferredLanguages(list.map(Self.tag))
        self = listed.tags.isEmpty ? PreferredLanguages([Self.tag(locale)]) : listed
    }

    /// The value of an `Accept-Language` field: `de-DE;q=1.0, en;q=0.9`. `nil` if there is no language.
    public var fieldValue: String? {
        guard !tags.isEmpty else { return nil }
        return tags.enumerated().map { "\($1);q=\($0 == 0 ? "1.0" : "0.\(10 - $0)")" }.joined(separator: ", ")
    }

    /// Returns `de_DE.UTF-8@euro` without its character set and modifier, and with a hyphen: `de-DE`.
    private static func tag(_ locale: some StringProtocol) -> String {
        var tag: [UInt8] = []
        for byte in locale.utf8 {
            if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "@") { break }
            tag.append(byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte)
        }
        return String(decoding: tag, as: UTF8.self)
    }

    /// Returns whether a locale is `C` or `POSIX`, which have no language.
    private static func isPlain(_ locale: some StringProtocol) -> Bool {
        let tag = tag(locale)
        return tag == "C" || tag == "POSIX"
    }

    /// Returns whether the text is a language tag: a language code, then parts of up to eight letters and digits.
    private static func isTag(_ tag: String) -> Bool {
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return tag.utf8.count <= 35 && parts.allSatisfy { 1...8 ~= $0.count && $0.allSatisfy(isLetterOrDigit) }
            && (2...3).contains(parts[0].count) && parts[0].allSatisfy { $0 >= 0x41 }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }
}

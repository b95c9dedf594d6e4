/// The languages that somebody wants answers in, the best first.
///
/// See RFC 9110 §12.5.4, https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.4
public struct PreferredLanguages: Sendable, Hashable {
    /// As many languages as are told to a server.
    private static let largestCount = 6

    /// Language tags after RFC 5646: `de-DE`. At most six, each once.
    public let tags: [String]

    /// Takes the first six of what are language tags, and passes over what is none.
    init(_ tags: some Sequence<String>) {
        var chosen: [String] = []
        for tag in tags where chosen.count < Self.largestCount && Self.isTag(tag) {
            if !chosen.contains(where: { $0.lowercased() == tag.lowercased() }) { chosen.append(tag) }
        }
        self.tags = chosen
    }

    /// The languages of a POSIX environment: those of `LANGUAGE`, else that of `LC_ALL`, of `LC_MESSAGES` or of `LANG`,
    /// the first of them that is set.
    ///
    /// `LANGUAGE` counts for nothing where the locale is `C` or `POSIX`, as in GNU gettext: programs speak English then,
    /// whatever it says. What is no name of a locale is passed over.
    ///
    /// - Parameter environment: The variables; an empty one is none.
    public init(environment: [String: String]) {
        self.init { environment[$0] }
    }

    /// - Parameter variable: The value of a variable of the environment.
    init(variable: (String) -> String?) {
        var locale = variable("LC_ALL") ?? ""
        if locale.isEmpty { locale = variable("LC_MESSAGES") ?? "" }
        if locale.isEmpty { locale = variable("LANG") ?? "" }
        guard !locale.isEmpty, !Self.isPlain(locale) else {
            self.tags = []
            return
        }
        // Behind a "C" in the list nothing is a translation any more.
        let list = (variable("LANGUAGE") ?? "").split(separator: ":").prefix { !Self.isPlain($0) }
        let listed = PreferredLanguages(list.map(Self.tag))
        self = listed.tags.isEmpty ? PreferredLanguages([Self.tag(locale)]) : listed
    }

    /// The value of an `Accept-Language` field: `de-DE;q=1.0, en;q=0.9`; `nil` where there is no language.
    public var fieldValue: String? {
        guard !tags.isEmpty else { return nil }
        return tags.enumerated().map { "\($1);q=\($0 == 0 ? "1.0" : "0.\(10 - $0)")" }.joined(separator: ", ")
    }

    /// `de_DE.UTF-8@euro` without its character set and modifier, and with a hyphen: `de-DE`.
    private static func tag(_ locale: some StringProtocol) -> String {
        var tag: [UInt8] = []
        for byte in locale.utf8 {
            if byte == UInt8(ascii: ".") || byte == UInt8(ascii: "@") { break }
            tag.append(byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte)
        }
        return String(decoding: tag, as: UTF8.self)
    }

    /// Whether a locale is the one that speaks no language.
    private static func isPlain(_ locale: some StringProtocol) -> Bool {
        let tag = tag(locale)
        return tag == "C" || tag == "POSIX"
    }

    /// Letters and digits, in parts of up to eight; the first part is a language's code.
    private static func isTag(_ tag: String) -> Bool {
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return tag.utf8.count <= 35 && parts.allSatisfy { 1...8 ~= $0.count && $0.allSatisfy(isLetterOrDigit) }
            && (2...3).contains(parts[0].count) && parts[0].allSatisfy { $0 >= 0x41 }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }
}

internal import Foundation
public import HTTPTypes

/// Takes secrets out of what people and logs get to see.
public enum Redaction {
    /// What stands in a secret's place.
    public static let mark = "<redacted>"

    /// The fields whose values are never shown.
    public static let secretFields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate", "proxy-authenticate",
        "authentication-info", "x-api-key", "api-key", "x-auth-token", "x-amz-security-token", "x-csrf-token",
    ]

    /// The fields whose values are URLs, and shown as such.
    static let urlFields: Set<String> = ["location", "content-location", "referer", "refresh"]

    /// The value of a field as it may be shown.
    public static func value(of field: HTTPField) -> String {
        let name = field.name.canonicalName
        if secretFields.contains(name) { return mark }
        return urlFields.contains(name) ? url(field.value) : field.value
    }

    /// Fields as they may be shown, in their order.
    public static func fields(_ fields: HTTPFields) -> [(name: String, value: String)] {
        fields.map { ($0.name.rawName, value(of: $0)) }
    }

    /// A URL as it may be shown: without user name and password, without the values of its query, and without its
    /// fragment.
    public static func url(_ url: String) -> String {
        var shown = withoutUserInformation(url)
        if let hash = shown.firstIndex(of: "#") { shown.replaceSubrange(hash..., with: "#…") }
        guard let mark = shown.firstIndex(of: "?") else { return shown }
        let query = shown[shown.index(after: mark)...].prefix { $0 != "#" }
        let names = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            pair.contains("=") ? "\(pair.prefix { $0 != "=" })=…" : String(pair)
        }
        return String(shown[...mark]) + names.joined(separator: "&") + shown[query.endIndex...]
    }

    private static func withoutUserInformation(_ url: String) -> String {
        var shown = withWholeAuthority(url)
        let slashes = shown.range(of: "//")
        // A double slash further on, in a path or a query, begins no authority.
        let before = shown[..<(slashes?.lowerBound ?? shown.startIndex)]
        let hasAuthority =
            slashes != nil && (before.isEmpty || before.last == ":") && !before.contains { "/?#".contains($0) }
        let start = hasAuthority ? slashes?.upperBound ?? shown.startIndex : shown.startIndex
        let end = shown[start...].firstIndex { "/?#\\".contains($0) } ?? shown.endIndex
        let authority = shown[start..<end]
        if let at = authority.lastIndex(of: "@") {
            shown.removeSubrange(start...at)
        } else if hasAuthority, authority.first != "[", let colon = authority.firstIndex(of: ":"),
            !authority[authority.index(after: colon)...].allSatisfy({ $0.isASCII && $0.isNumber })
        {
            // What should be a port is none: a password with a character that ends the authority, or one without a host.
            if let at = shown[end...].lastIndex(of: "@") {
                shown.removeSubrange(start...at)
            } else {
                shown.replaceSubrange(colon..<end, with: ":…")
            }
        }
        return shown
    }

    /// A web URL with one slash, three, or backslashes behind its scheme, as people mistype it and as browsers read it,
    /// with two: so that what stands ahead of an `@` is found.
    private static func withWholeAuthority(_ url: String) -> String {
        guard let colon = url.firstIndex(of: ":"), ["http", "https"].contains(url[..<colon].lowercased()) else {
            return url
        }
        let rest = url[url.index(after: colon)...]
        let behind = rest.drop { $0 == "/" || $0 == "\\" }
        let slashes = rest[..<behind.startIndex]
        guard !slashes.isEmpty, slashes != "//" else { return url }
        return "\(url[...colon])//\(behind)"
    }

    /// A text of unknown origin: what looks like credentials is taken out, of URLs and behind `Basic` and `Bearer`.
    public static func text(_ text: String) -> String {
        var shown = ""
        var followsScheme = false
        var rest = text[...]
        while !rest.isEmpty {
            let word = rest.prefix { !isSeparator($0) }
            rest = rest[word.endIndex...]
            let separators = rest.prefix(while: isSeparator)
            rest = rest[separators.endIndex...]
            // "Basic authentication" is no credential.
            if followsScheme, !word.isEmpty, word.count > 16 || !word.allSatisfy({ $0.isLowercase }) {
                shown += mark
            } else {
                let mayHoldSecret = word.contains("://") || word.contains("@") && word.contains(":")
                shown += mayHoldSecret ? url(String(word)) : String(word)
            }
            shown += separators
            followsScheme = separators.allSatisfy(\.isWhitespace) && isScheme(word)
        }
        return shown
    }

    /// A content as it may be shown: the values of what is called a password, a secret, a token, or a key are taken out
    /// of JSON, of forms, and of XML's elements and attributes; what `text` takes out is too.
    public static func content(_ text: String) -> String {
        Self.text(SecretsOfContent.takenOut(of: text))
    }

    private static func isScheme(_ word: Substring) -> Bool {
        let end = word.split { ":=,([{'".contains($0) }.last ?? word
        return ["basic", "bearer"].contains(end.lowercased())
    }

    private static func isSeparator(_ character: Character) -> Bool {
        character.isWhitespace || "\"<>`".contains(character)
    }
}

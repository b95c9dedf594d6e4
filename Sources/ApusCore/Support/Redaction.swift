internal import Foundation
public import HTTPTypes

/// Takes secrets out of what people and logs get to see.
public enum Redaction {
    /// What stands in a secret's place.
    public static let mark = "<redacted>"

    /// Names of fields whose values are never shown. Others are not either, whose names have a word like `token`,
    /// `password`, `key` or `signature` in them.
    public static let secretFields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate", "proxy-authenticate",
        "authentication-info", "x-api-key", "api-key", "x-auth-token", "x-amz-security-token", "x-csrf-token",
    ]

    /// The fields whose values are URLs, and shown as such.
    static let urlFields: Set<String> = ["location", "content-location", "referer", "refresh"]

    /// Whether the name of a field says that its value is a secret.
    static func isSecret(_ name: HTTPField.Name) -> Bool {
        SecretName.isSecret(name.rawName) || secretFields.contains(name.canonicalName)
    }

    /// The value of a field as it may be shown: nothing of one that has a secret's name, a URL without its secrets, and
    /// of any other value what `content` shows.
    public static func value(of field: HTTPField) -> String {
        if isSecret(field.name) { return mark }
        return urlFields.contains(field.name.canonicalName) ? url(field.value) : content(field.value)
    }

    /// Fields as they may be shown, in their order.
    public static func fields(_ fields: HTTPFields) -> [(name: String, value: String)] {
        fields.map { ($0.name.rawName, value(of: $0)) }
    }

    /// A URL as it may be shown: without user name and password, without the values of its query and of the parameters in
    /// its path, and without its fragment.
    ///
    /// A part of the query that has no name is shown unless it is long and looks random.
    public static func url(_ url: String) -> String { RedactedURL.text(url) { _, _ in false } }

    /// A text of unknown origin: what looks like credentials is taken out, of URLs, behind `Basic` and `Bearer`, and behind
    /// names as `content` knows them.
    public static func text(_ text: String) -> String {
        SecretsOfContent.takenOut(of: withoutCredentials(text) { url($0) }, kind: .sentence)
    }

    /// A content as it may be shown: the values of what is called a password, a secret, a token, a key or the like are
    /// taken out of JSON, of forms, of XML and HTML, and of lines with a name and a colon; what `text` takes out of URLs
    /// and behind `Basic` and `Bearer` is too.
    public static func content(_ text: String) -> String {
        // A value that was taken out of a query already leaves none.
        withoutCredentials(SecretsOfContent.takenOut(of: text)) { RedactedURL.text($0) { $1.isEmpty } }
    }

    /// Goes by scalars, since a combining character makes one character with the sign ahead of it.
    private static func withoutCredentials(_ text: String, url: (String) -> String) -> String {
        var shown = ""
        var followsScheme = false
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            let word = rest.prefix { !isSeparator($0) }
            rest = rest[word.endIndex...]
            let separators = rest.prefix(while: isSeparator)
            rest = rest[separators.endIndex...]
            // "Basic authentication" is no credential.
            if followsScheme, !word.isEmpty, word.count > 16 || !word.allSatisfy(\.properties.isLowercase) {
                shown += mark
            } else {
                shown += mayHoldSecret(word) ? url(String(word)) : String(word)
            }
            shown += String(separators)
            followsScheme = separators.allSatisfy(\.properties.isWhitespace) && isScheme(word)
        }
        return shown
    }

    typealias Scalars = Substring.UnicodeScalarView

    private static func mayHoldSecret(_ word: Scalars) -> Bool {
        word.contains("@") && word.contains(":") || holdsURL(word)
    }

    /// Whether a text has a URL in it with its scheme.
    static func holdsURL(_ text: Scalars) -> Bool {
        var rest = text
        while let colon = rest.firstIndex(of: ":") {
            rest = rest[colon...]
            if rest.starts(with: "://".unicodeScalars) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    private static func isScheme(_ word: Scalars) -> Bool {
        let end = word.split { ":=,([{'".unicodeScalars.contains($0) }.last ?? word
        return ["basic", "bearer"].contains(String(end).lowercased())
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || "\"<>`".unicodeScalars.contains(scalar)
    }
}

public import HTTPTypes

/// Removes secrets from text that is shown to people or logged.
public enum Redaction {
    /// The text that replaces a secret.
    public static let mark = "<redacted>"

    /// Names of fields whose values are never shown. Fields whose names contain a word like `token`, `password`, `key`
    /// or `signature` are not shown either.
    public static let secretFields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate", "proxy-authenticate",
        "authentication-info", "x-api-key", "api-key", "x-auth-token", "x-amz-security-token", "x-csrf-token",
    ]

    /// The fields whose values are redacted as URLs.
    package static let urlFields: Set<String> = ["location", "content-location", "referer", "refresh"]

    /// Whether the name of a field indicates that its value is a secret.
    package static func isSecret(_ name: HTTPField.Name) -> Bool {
        SecretName.isSecret(name.rawName) || secretFields.contains(name.canonicalName)
    }

    /// Returns the redacted value of a field. A secret field is replaced as a whole, a URL field is redacted by `url`,
    /// and any other value by `content`.
    public static func value(of field: HTTPField) -> String {
        if isSecret(field.name) { return mark }
        return urlFields.contains(field.name.canonicalName) ? url(field.value) : content(field.value)
    }

    /// Returns redacted fields, in order.
    public static func fields(_ fields: HTTPFields) -> [(name: String, value: String)] {
        fields.map { ($0.name.rawName, value(of: $0)) }
    }

    /// Returns a URL without user name, password, fragment, and the values of its query and path parameters.
    ///
    /// A part of the query without a name is shown unless it is long and looks random.
    public static func url(_ url: String) -> String { RedactedURL.text(url) { _, _ in false } }

    /// Returns a text of unknown origin without credentials: those in URLs, those after `Basic` and `Bearer`, and those
    /// after the names that `content` recognizes.
    public static func text(_ text: String) -> String {
        ContentRedactor.takenOut(of: withoutCredentials(text) { url($0) }, kind: .sentence)
    }

    /// Returns a body without secrets. The values of names like password, secret, token or key are removed from JSON,
    /// forms, XML, HTML, and lines of a name and a colon. Credentials in URLs and after `Basic` and `Bearer` are
    /// removed too, as in `text`.
    public static func content(_ text: String) -> String {
        // A value that was already removed from a query is empty here.
        withoutCredentials(ContentRedactor.takenOut(of: text)) { RedactedURL.text($0) { $1.isEmpty } }
    }

    /// Works on scalars, since a combining character forms one `Character` with the sign before it.
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

    package typealias Scalars = Substring.UnicodeScalarView

    private static func mayHoldSecret(_ word: Scalars) -> Bool {
        word.contains("@") && word.contains(":") || holdsURL(word)
    }

    /// Whether a text has a URL in it with its scheme.
    package static func holdsURL(_ text: Scalars) -> Bool {
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

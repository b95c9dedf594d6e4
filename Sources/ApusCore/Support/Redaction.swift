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

    /// The value of a field as it may be shown.
    public static func value(of field: HTTPField) -> String {
        secretFields.contains(field.name.canonicalName) ? mark : field.value
    }

    /// Fields as they may be shown, in their order.
    public static func fields(_ fields: HTTPFields) -> [(name: String, value: String)] {
        fields.map { ($0.name.rawName, value(of: $0)) }
    }

    /// A URL as it may be shown: without user name and password, and without the values of its query.
    public static func url(_ url: String) -> String {
        var shown = url
        if let start = shown.range(of: "://") ?? shown.range(of: "//") {
            let end = shown[start.upperBound...].firstIndex { "/?#".contains($0) } ?? shown.endIndex
            if let at = shown[start.upperBound..<end].lastIndex(of: "@") {
                shown.replaceSubrange(start.upperBound...at, with: "")
            }
        }
        guard let mark = shown.firstIndex(of: "?") else { return shown }
        let query = shown[shown.index(after: mark)...].prefix { $0 != "#" }
        let names = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            pair.contains("=") ? "\(pair.prefix { $0 != "=" })=…" : String(pair)
        }
        return String(shown[...mark]) + names.joined(separator: "&")
    }

    /// A text of unknown origin: what looks like credentials in a URL is taken out.
    public static func text(_ text: String) -> String {
        guard text.contains("@"), text.contains("://") else { return text }
        return text.split(separator: " ", omittingEmptySubsequences: false)
            .map { $0.contains("://") ? url(String($0)) : String($0) }
            .joined(separator: " ")
    }
}

internal import ApusCore
internal import HTTPTypes

/// Prepares data for an archive: all of it, or everything except secrets.
struct HARView {
    let includesSecrets: Bool

    /// Returns a URL. Without secrets, it has no fragment, no user information, and no secret path or query values.
    func url(_ url: String) -> String {
        includesSecrets ? url : RedactedURL.text(url, showing: Self.isShown)
    }

    /// Returns a query or a form in its encoded form.
    func query(_ query: some StringProtocol) -> String {
        includesSecrets ? String(query) : RedactedURL.pairs(String(query), showing: Self.isShown)
    }

    /// Returns the decoded parameters of a query or a form.
    func pairs(_ query: some StringProtocol) -> [(name: String, value: String)] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { part in
            if !includesSecrets, RedactedURL.isBareSecret(Array(part)[...]) { return (Redaction.mark, "") }
            let sign = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let name = Self.decoded(part[..<sign])
            let value = Self.decoded(part[sign...].dropFirst())
            guard !includesSecrets else { return (name, value) }
            return (name, Self.hides(name, value) ? Redaction.mark : Redaction.content(value))
        }
    }

    /// Returns the value of a field.
    func value(of field: HTTPField) -> String {
        guard !includesSecrets else { return field.value }
        let isURL = Redaction.urlFields.contains(field.name.canonicalName)
        return isURL && !Redaction.isSecret(field.name) ? url(field.value) : Redaction.value(of: field)
    }

    /// Returns the value that belongs to a name.
    func value(_ value: String, named name: String) -> String {
        includesSecrets || !SecretName.isSecret(name) ? value : Redaction.mark
    }

    /// Returns the name and value of a cookie. The value is shown only with secrets. A pair without `=` is a value
    /// without a name.
    func cookie(_ pair: Substring) -> (name: String, value: String) {
        let bytes = pair.utf8
        let sign = bytes.firstIndex(of: UInt8(ascii: "="))
        let name = sign.map { Self.text(bytes[..<$0]) } ?? ""
        let value = Self.text(sign.map { bytes[$0...].dropFirst() } ?? bytes[...])
        return (name, includesSecrets ? value : Redaction.mark)
    }

    /// Returns a text of unknown kind.
    func text(_ text: String) -> String { includesSecrets ? text : Redaction.content(text) }

    private static func isShown(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Bool {
        let value = decoded(value)
        return !hides(decoded(name), value) && Redaction.content(value) == value
    }

    /// Whether to hide a parameter's value: its name is secret, or it is a URL that may contain secrets.
    private static func hides(_ name: String, _ value: String) -> Bool {
        SecretName.isSecret(name)
            || value.utf8.contains { "@?#".utf8.contains($0) } && Redaction.holdsURL(value.unicodeScalars[...])
    }

    private static func decoded(_ text: some Sequence<UInt8>) -> String {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.decode(String(decoding: spaced, as: UTF8.self))
    }

    private static func text(_ bytes: Substring.UTF8View) -> String { String(decoding: bytes, as: UTF8.self).trimmed }
}

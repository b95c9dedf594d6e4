internal import HTTPTypes

/// What an archive shows of what was sent and received: everything, or everything but secrets.
struct HARView {
    let includesSecrets: Bool

    /// A URL; without secrets it has no fragment, no user name and password, and no secret values in its query.
    func url(_ url: String) -> String {
        guard !includesSecrets else { return url }
        let shown = Redaction.url(url)
        // What stands ahead of the query is the same, unless it held a password.
        guard let question = url.firstIndex(of: "?"), shown.hasPrefix(url[...question]) else { return shown }
        let query = url[url.index(after: question)...].prefix { $0 != "#" }
        return "\(url[...question])\(self.query(query))\(url.contains("#") ? "#…" : "")"
    }

    /// A query or a form, coded as it is.
    func query(_ query: some StringProtocol) -> String {
        guard !includesSecrets else { return String(query) }
        let pairs = String(query).split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
            let value = Self.decoded(pair[pair.index(after: equals)...])
            let isHidden = hides(Self.decoded(pair[..<equals]), value) || Redaction.content(value) != value
            return isHidden ? "\(pair[...equals])…" : String(pair)
        }
        return pairs.joined(separator: "&")
    }

    /// The parameters of a query or of a form.
    func pairs(_ query: some StringProtocol) -> [(name: String, value: String)] {
        query.split(separator: "&").map { pair in
            let name = Self.decoded(pair.prefix { $0 != "=" })
            let value = Self.decoded(pair.drop { $0 != "=" }.dropFirst())
            guard !includesSecrets else { return (name, value) }
            return (name, hides(name, value) ? Redaction.mark : Redaction.content(value))
        }
    }

    /// The value of a field.
    func value(of field: HTTPField) -> String {
        guard !includesSecrets else { return field.value }
        let name = field.name.canonicalName
        if Redaction.isSecret(name) { return Redaction.mark }
        return Redaction.urlFields.contains(name) ? url(field.value) : Redaction.text(field.value)
    }

    /// A value that has a name.
    func value(_ value: String, named name: String) -> String {
        includesSecrets || !Redaction.isSecret(name) ? value : Redaction.mark
    }

    /// The value of a cookie.
    func cookie(_ value: String) -> String { includesSecrets ? value : Redaction.mark }

    /// A text of which nothing else is known.
    func text(_ text: String) -> String { includesSecrets ? text : Redaction.content(text) }

    /// Whether the value of a parameter is not for everybody: its name says so, or it is a URL that may hold secrets.
    private func hides(_ name: String, _ value: String) -> Bool {
        Redaction.isSecret(name) || value.contains("://") && value.contains { "@?#".contains($0) }
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        PercentEncoding.decode(String(text).replacing("+", with: " "))
    }
}

extension Redaction {
    /// Names that mean a secret where nothing else stands in them.
    private static let secretNames: Set<String> = ["key", "sig", "code", "auth", "jwt", "otp", "pin", "sid"]

    /// Whether a value of that name is no one's business: a field's, a parameter's.
    static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        if secretFields.contains(name) || secretNames.contains(name) || name.contains("signature") { return true }
        return SecretsOfContent.isSecret(Array(name.utf8)[...])
    }
}

internal import HTTPTypes

extension RedirectPolicy.CrossOriginFields {
    private static let families = ["accept-", "content-", "if-"]
    private static let names: Set<String> = [
        "accept", "cache-control", "expect", "pragma", "prefer", "priority", "range", "te", "trailer",
        "transfer-encoding", "user-agent",
    ]

    /// Returns whether a field is removed if a redirect leads to another origin. The same host without TLS is another.
    func leavesBehind(_ name: HTTPField.Name) -> Bool {
        let canonical = name.canonicalName
        if ["host", "origin", "referer"].contains(canonical) { return true }
        switch self {
        case .withoutSecrets: return Redaction.isSecret(name)
        case .safelist:
            let isListed = Self.names.contains(canonical) || Self.families.contains { canonical.hasPrefix($0) }
            return !isListed || Redaction.isSecret(name)
        case .everything: return false
        }
    }
}

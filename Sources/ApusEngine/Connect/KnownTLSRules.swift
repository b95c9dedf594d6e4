internal import ApusCore

/// The rules of the latest requests to each host. Confined to an event loop.
///
/// Without it, each request of a session with a `ServerTrustManager`, with client identities or with options would look
/// up the host, hash all settings, and compare them with those of its pool.
struct KnownTLSRules {
    private struct Entry {
        let trust: ServerTrust?
        let tls: TLSSettings?
        let rules: TLSRules
    }

    /// The maximum number of hosts. Beyond it, all are forgotten.
    static let maximumHosts = 64
    /// The maximum number of rules of a host. Beyond it, the oldest are forgotten.
    static let maximumRules = 4

    private var entries: [String: [Entry]] = [:]
    /// The version of the client identities with which the entries were made.
    private var version = 0

    /// Returns the trust and the settings of TLS for a request. `nil` without TLS.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request.
    ///   - options: The options of the request.
    ///   - context: Makes the rules, if they are not known.
    /// - Returns: The rules.
    /// - Throws: The errors of `ServerTrustManager.serverTrustEvaluator(forHost:)`.
    mutating func rules(
        for origin: Origin,
        _ options: RequestOptions,
        in context: EngineContext
    ) throws(ApusError) -> TLSRules? {
        guard origin.scheme == .https else { return nil }
        let trust = options[ServerTrust.self]
        let tls = options[TLSSettings.self]
        if trust == nil, tls == nil, let common = context.commonRules { return common }
        // Before the identity is read, so that a change in between is noticed by the next request.
        let version = context.configuration.clientIdentities?.version ?? 0
        if version != self.version {
            self.version = version
            entries = [:]
        }
        if let known = entries[origin.host]?.last(where: { $0.trust == trust && $0.tls == tls }) { return known.rules }
        let rules = try context.makeTLSRules(for: origin, trust: trust, tls: tls)
        keep(Entry(trust: trust, tls: tls, rules: rules), for: origin.host)
        return rules
    }

    private mutating func keep(_ entry: Entry, for host: String) {
        if entries.count >= Self.maximumHosts, entries[host] == nil { entries = [:] }
        var known = entries[host] ?? []
        if known.count >= Self.maximumRules { known.removeFirst() }
        known.append(entry)
        entries[host] = known
    }
}

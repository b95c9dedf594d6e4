/// The client identities of a session by host.
///
/// ```swift
/// let identities = ClientIdentities()
/// try identities.set(.pkcs12File("bank.p12", passphrase: passphrase), for: "*.bank.example")
/// configuration.clientIdentities = identities
/// ```
///
/// They can be replaced while the session runs, for example before a certificate expires. New requests use connections
/// with the new identity. Requests under way end on their connection, and idle connections with the old identity are
/// not used any more.
///
/// A key is a host or a pattern, as of a `ServerTrustManager`. `*.example.org` stands for names with exactly one label
/// before `example.org`, and `**.example.org` for names with any number of them. The exact host counts first, then the
/// longest pattern.
public final class ClientIdentities: Sendable {
    private struct State {
        var identities: [String: ClientIdentity] = [:]
        /// `nil` if there are none.
        var patterns: HostPatterns<ClientIdentity>?
        /// The number of changes.
        var version = 0
    }

    private let state = Lock(State())

    /// Creates an empty list.
    public init() {}

    /// Sets the identity for a host.
    ///
    /// - Parameters:
    ///   - identity: The identity. `nil` removes it.
    ///   - pattern: A host name or an IP address without a port, or a pattern.
    /// - Throws: `ApusError` with the code `invalidConfiguration` if the pattern is malformed, or if another pattern
    ///   means the same hosts. Nothing is changed then.
    public func set(_ identity: ClientIdentity?, for pattern: String) throws(ApusError) {
        try state.withLock { state throws(ApusError) -> Void in
            var identities = state.identities
            identities[pattern] = identity
            let patterns = try HostPatterns(identities)
            state = State(
                identities: identities,
                patterns: identities.isEmpty ? nil : patterns,
                version: state.version + 1
            )
        }
    }

    /// The number of changes. While it is the same, each host has the same identity.
    package var version: Int { state.withLock { $0.version } }

    /// Returns the identity for a host. `nil` if it has none.
    ///
    /// - Parameter host: A host name or an IP address.
    /// - Returns: The identity.
    public func identity(forHost host: String) -> ClientIdentity? {
        // Taken out of the lock, since the host is normalized.
        let patterns = state.withLock { $0.patterns }
        return patterns?.value(for: host)
    }
}

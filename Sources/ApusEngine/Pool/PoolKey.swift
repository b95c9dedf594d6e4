internal import ApusCore

/// The properties that two requests must have in common to share a connection.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    /// `nil` for cleartext connections.
    let trust: ServerTrust?

    init(origin: Origin, trust: ServerTrust) {
        self.origin = origin
        self.trust = origin.scheme == .https ? trust : nil
    }
}

internal import ApusCore

/// What has to be equal for two requests to share a connection.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    /// `nil` in the clear.
    let trust: Trust?

    init(origin: Origin, trust: Trust) {
        self.origin = origin
        self.trust = origin.scheme == .https ? trust : nil
    }
}

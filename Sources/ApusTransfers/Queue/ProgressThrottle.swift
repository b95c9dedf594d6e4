internal import ApusCore

/// Lets at most ten reports of a transfer pass in a second, so that they do not displace other events.
final class ProgressThrottle: Sendable {
    private static let interval: Duration = .milliseconds(100)

    private let latest = Lock<MonotonicInstant?>(nil)

    /// Returns whether a report at an instant passes.
    func passes(at now: MonotonicInstant) -> Bool {
        latest.withLock { latest in
            if let latest, latest.duration(to: now) < Self.interval { return false }
            latest = now
            return true
        }
    }
}

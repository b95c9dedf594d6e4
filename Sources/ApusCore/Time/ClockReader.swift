/// Reads the time of a session's clock. For the machine's clock, it costs less to copy and to call than the clock as an
/// existential.
package struct ClockReader: Sendable {
    private final class Other: Sendable {
        let clock: any SessionClock

        init(_ clock: any SessionClock) {
            self.clock = clock
        }
    }

    /// `nil` for the machine's clock.
    private let other: Other?

    package init(_ clock: any SessionClock) {
        other = clock is SystemClock ? nil : Other(clock)
    }

    /// The current time.
    package var now: MonotonicInstant {
        guard let other else { return .now }
        return other.clock.now
    }
}

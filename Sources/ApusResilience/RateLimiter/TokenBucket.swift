internal import ApusCore

/// Tokens that come one after the other at a steady pace, of which so many are kept as the bucket holds.
///
/// It counts no tokens, but knows when it will be full: each that is taken puts that off by the time that one needs to come.
/// (It is the generic cell rate algorithm of ITU-T I.371.)
struct TokenBucket: Sendable {
    /// How long one token needs to come, in whole nanoseconds, as clocks count: of less nobody could wait for the end.
    let interval: Duration
    /// How long all need, but the first that a full bucket gives.
    private let tolerance: Duration
    private var fullAt = MonotonicInstant(nanoseconds: 0)

    /// The longest time for a token; with it, and the most that are kept, every sum of them can be counted.
    private static let longestInterval = Duration.seconds(366 * 86_400)
    private static let mostKept = 1_000_000_000

    /// - Parameters:
    ///   - count: How many come in `duration`; at least one.
    ///   - duration: The time.
    ///   - burst: How many are kept; at least one.
    init(_ count: Int, per duration: Duration, burst: Int) {
        let whole = min(max(duration, .zero), Self.longestInterval)
        // Rounded down, so that a bucket is full again when the time is over.
        self.interval = .nanoseconds(max(1, whole.wholeNanoseconds / Int64(max(1, count))))
        self.tolerance = interval * (min(max(1, burst), Self.mostKept) - 1)
    }

    /// How long it takes until there is one more than `others` tokens.
    func delay(behind others: Int, at now: MonotonicInstant) -> Duration {
        let debt = max(.zero, now.duration(to: fullAt)) + interval * min(others, Self.mostKept) - tolerance
        return max(.zero, debt)
    }

    /// Takes a token; `false` where there is none.
    mutating func take(at now: MonotonicInstant) -> Bool {
        guard delay(behind: 0, at: now) == .zero else { return false }
        fullAt = max(fullAt, now).advanced(by: interval)
        return true
    }
}

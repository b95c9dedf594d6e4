internal import ApusCore

/// Tokens that are added at a steady rate, up to the capacity of the bucket.
///
/// Stores no count of tokens but the time at which the bucket will be full. Each token taken delays that time by one
/// interval. (This is the generic cell rate algorithm of ITU-T I.371.)
struct TokenBucket: Sendable {
    /// The time between two tokens. At least one nanosecond, the resolution of the clocks.
    let interval: Duration
    /// The time to refill all tokens of the bucket but one.
    private let tolerance: Duration
    private var fullAt = MonotonicInstant(nanoseconds: 0)

    /// Bounds on the interval and on the capacity, so that no sum of intervals overflows.
    private static let longestInterval = Duration.seconds(366 * 86_400)
    private static let mostKept = 1_000_000_000

    /// - Parameters:
    ///   - count: The number of tokens added per `duration`, at least one.
    ///   - duration: The period that `count` refers to.
    ///   - burst: The capacity of the bucket, at least one.
    init(_ count: Int, per duration: Duration, burst: Int) {
        let whole = min(max(duration, .zero), Self.longestInterval)
        // Rounded down, so that the bucket is full again when the period is over.
        self.interval = .nanoseconds(max(1, whole.wholeNanoseconds / Int64(max(1, count))))
        self.tolerance = interval * (min(max(1, burst), Self.mostKept) - 1)
    }

    /// Returns the time until the bucket holds one more than `others` tokens.
    func delay(behind others: Int, at now: MonotonicInstant) -> Duration {
        let debt = max(.zero, now.duration(to: fullAt)) + interval * min(others, Self.mostKept) - tolerance
        return max(.zero, debt)
    }

    /// Takes a token. Returns `false` if the bucket is empty.
    mutating func take(at now: MonotonicInstant) -> Bool {
        guard delay(behind: 0, at: now) == .zero else { return false }
        fullAt = max(fullAt, now).advanced(by: interval)
        return true
    }
}

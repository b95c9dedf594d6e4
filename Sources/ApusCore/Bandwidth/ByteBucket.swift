/// A bucket that is filled with bytes at a steady rate, and that may be in debt. Reads no clock: the caller passes all
/// times.
///
/// Bytes may pass as soon as all earlier ones are paid, and are paid after that. So a turn passes as a whole, and the
/// next one waits for it.
///
/// Stores no count of bytes but the time at which all bytes are paid, with the missing fraction of a nanosecond, so
/// that no rounding adds up. (This is the generic cell rate algorithm of ITU-T I.371.)
struct ByteBucket: Sendable, Hashable {
    /// The maximum size of a turn, so that fast transfers take short turns too.
    private static let longestTurnBytes = 64 << 10
    /// The number of bytes that may pass at once at a low rate, so that short bodies are not delayed.
    private static let shortBodyBytes: UInt64 = 16 << 10
    /// A shorter wait is skipped, since timers are not that precise. The debt remains.
    private static let shortestWait = Duration.milliseconds(1)
    private static let nanosecondsPerSecond: UInt64 = 1_000_000_000

    /// The bytes per second.
    private let rate: UInt64
    /// The number of bytes after which a body lets others pass: those of 0.1 s, up to 64 KiB.
    let turnBytes: Int
    /// The time whose bytes an unused bucket keeps: 0.1 s, or up to 0.5 s for a short body.
    private let credit: Duration
    private var paidAt = MonotonicInstant(nanoseconds: 0)
    /// The missing part of a nanosecond, multiplied by the rate.
    private var fraction: UInt64 = 0

    /// - Parameter bytesPerSecond: The rate, at least 1.
    init(_ bytesPerSecond: Int) {
        self.rate = UInt64(max(1, bytesPerSecond))
        self.turnBytes = min(max(1, bytesPerSecond / 10), Self.longestTurnBytes)
        let shortBody = Duration.nanoseconds(Int64(Self.shortBodyBytes * Self.nanosecondsPerSecond / rate))
        self.credit = max(.milliseconds(100), min(.milliseconds(500), shortBody))
    }

    /// Takes bytes. Returns the time until they may pass, when those taken before are paid.
    mutating func take(_ count: Int, at now: MonotonicInstant) -> Duration {
        let earliest = now.advanced(by: .zero - credit)
        if paidAt < earliest { (paidAt, fraction) = (earliest, 0) }
        let debt = now.duration(to: paidAt)
        let (price, rest) = cost(of: count, beyond: fraction)
        let (instant, overflow) = paidAt.nanoseconds.addingReportingOverflow(price)
        paidAt = MonotonicInstant(nanoseconds: overflow ? .max : instant)
        fraction = rest
        return debt < Self.shortestWait ? .zero : debt
    }

    /// Gives back bytes that were taken and do not pass.
    mutating func giveBack(_ count: Int) {
        let (price, rest) = cost(of: count)
        let (instant, overflow) = paidAt.nanoseconds.subtractingReportingOverflow(price)
        var nanoseconds = overflow ? 0 : instant
        if rest <= fraction {
            fraction -= rest
        } else {
            fraction += rate - rest
            nanoseconds -= min(1, nanoseconds)
        }
        paidAt = MonotonicInstant(nanoseconds: nanoseconds)
    }

    /// Returns the time that pays for bytes, in nanoseconds, and the part of a nanosecond that is left.
    private func cost(of count: Int, beyond fraction: UInt64 = 0) -> (nanoseconds: UInt64, rest: UInt64) {
        let (seconds, bytes) = UInt64(max(0, count)).quotientAndRemainder(dividingBy: rate)
        let product = bytes.multipliedFullWidth(by: Self.nanosecondsPerSecond)
        let (low, carry) = product.low.addingReportingOverflow(fraction)
        // The quotient fits: both `bytes` and `fraction` are less than the rate.
        let (nanoseconds, rest) = rate.dividingFullWidth((product.high + (carry ? 1 : 0), low))
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: Self.nanosecondsPerSecond)
        let (sum, overflow) = whole.addingReportingOverflow(nanoseconds)
        return (isTooLong || overflow ? .max : sum, rest)
    }
}

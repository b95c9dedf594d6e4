internal import Dispatch

/// A point on the machine's monotonic clock, in nanoseconds.
///
/// It is comparable only with other instants since the same start of the machine.
public struct MonotonicInstant: InstantProtocol, Sendable, Hashable {
    /// Nanoseconds since an arbitrary point in the past.
    public let nanoseconds: UInt64

    /// Wraps a reading of the monotonic clock.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The current time of the machine's monotonic clock.
    public static var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: DispatchTime.now().uptimeNanoseconds)
    }

    public func advanced(by duration: Duration) -> MonotonicInstant {
        let distance = duration.wholeNanoseconds
        let (instant, overflow) =
            distance < 0
            ? nanoseconds.subtractingReportingOverflow(distance.magnitude)
            : nanoseconds.addingReportingOverflow(distance.magnitude)
        return MonotonicInstant(nanoseconds: overflow ? (distance < 0 ? 0 : .max) : instant)
    }

    public func duration(to other: MonotonicInstant) -> Duration {
        other.nanoseconds >= nanoseconds
            ? .nanoseconds(Int64(clamping: other.nanoseconds - nanoseconds))
            : .zero - .nanoseconds(Int64(clamping: nanoseconds - other.nanoseconds))
    }

    public static func < (earlier: MonotonicInstant, later: MonotonicInstant) -> Bool {
        earlier.nanoseconds < later.nanoseconds
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of `Int64`.
    package var wholeNanoseconds: Int64 {
        // `components` traps if the seconds do not fit.
        Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// The duration in seconds. Whole seconds are exact.
    package var inSeconds: Double {
        let (seconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
        return Double(seconds) + Double(rest) / 1e18
    }

    /// The duration in readable form: `850 µs`, `12.3 ms`, `1.25 s`.
    package var formatted: String {
        let nanoseconds = Double(wholeNanoseconds)
        func rounded(_ value: Double, _ places: Double) -> String {
            let shown = (value * places).rounded() / places
            return shown == shown.rounded() ? String(Int64(shown)) : String(shown)
        }
        switch abs(nanoseconds) {
        case ..<1_000_000: return "\(rounded(nanoseconds / 1_000, 1)) µs"
        case ..<1_000_000_000: return "\(rounded(nanoseconds / 1_000_000, 10)) ms"
        default: return "\(rounded(nanoseconds / 1_000_000_000, 100)) s"
        }
    }
}

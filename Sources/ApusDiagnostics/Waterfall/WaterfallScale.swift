internal import ApusCore

/// The marks on the axis of a waterfall, at round times.
package struct WaterfallScale {
    /// A mark: its position in nanoseconds, and its label.
    struct Tick: Equatable {
        let offset: Int64
        let label: String
    }

    let ticks: [Tick]

    /// Chooses the smallest step of 1, 2, 5, 10, 20 … that needs at most `limit` marks.
    init(duration: Duration, atMost limit: Int) {
        let length = max(1, duration.wholeNanoseconds)
        var step: Int64 = 1
        var factors: [Int64] = [2, 5, 10]
        var decade: Int64 = 1
        while length / step + 1 > Int64(max(2, limit)), decade < .max / 100 {
            if factors.isEmpty {
                factors = [2, 5, 10]
                decade *= 10
            }
            step = decade * factors.removeFirst()
        }
        self.ticks = stride(from: Int64(0), through: length, by: Int64.Stride(step)).map {
            Tick(offset: $0, label: $0 == 0 ? "0" : Self.exactLabel($0, step: step))
        }
    }

    /// Returns a round time, in the unit of the step.
    private static func exactLabel(_ nanoseconds: Int64, step: Int64) -> String {
        let units: [(size: Int64, name: String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")]
        let unit = units.first { step >= $0.size } ?? (1, "ns")
        return "\(nanoseconds / unit.size) \(unit.name)"
    }

    /// Returns a time with three digits: `850 µs`, `1.25 ms`, `12.3 ms`, `123 ms`, `1.25 s`.
    package static func label(_ duration: Duration) -> String {
        let nanoseconds = Double(duration.wholeNanoseconds)
        let (value, unit) =
            switch nanoseconds {
            case ..<999_500: (nanoseconds / 1_000, "µs")
            case ..<999_500_000: (nanoseconds / 1_000_000, "ms")
            default: (nanoseconds / 1_000_000_000, "s")
            }
        let places = unit == "µs" || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
        return "\(decimal(value, places: places)) \(unit)"
    }

    /// Returns a number with the given number of decimals.
    static func decimal(_ value: Double, places: Int) -> String {
        let factor = [1.0, 10.0, 100.0][places]
        let scaled = Int64((value * factor).rounded())
        guard places > 0 else { return String(scaled) }
        let fraction = (abs(scaled) % Int64(factor)).padded(to: places)
        return "\(scaled < 0 ? "-" : "")\(abs(scaled) / Int64(factor)).\(fraction)"
    }
}

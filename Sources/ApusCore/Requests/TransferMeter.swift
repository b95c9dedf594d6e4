internal import ApusPlatform

/// Measures the rate of a transfer. Reads no clock: the caller passes all times.
///
/// The rate is an average over time. A measurement loses half of its weight in `halfLife`, so the rate follows a change
/// and does not jump from one chunk to the next.
package struct TransferMeter: Sendable {
    /// The time in which a measurement loses half of its weight.
    package static let halfLife: Duration = .seconds(2)
    /// The minimum time of a measurement. The bytes of a shorter one count for the next.
    package static let interval: Duration = .milliseconds(50)

    /// The end of the last measurement. `nil` before the first byte.
    private var last: (completed: Int64, time: MonotonicInstant)?
    private var weightedRates = 0.0
    private var weights = 0.0

    /// Creates a meter that begins with the first bytes, since the wait for them is not part of the transfer.
    package init() {}

    /// Creates a meter for a transfer that begins at `start`.
    package init(from start: MonotonicInstant) {
        last = (0, start)
    }

    /// The bytes per second. `nil` before the first measurement.
    package var rate: Double? { weights > 0 ? weightedRates / weights : nil }

    /// Returns the progress of the transfer, with its measured rate.
    ///
    /// - Parameters:
    ///   - completed: The bytes so far. Fewer than before restart the measurement.
    ///   - total: The bytes in total, or `nil` if that is unknown.
    ///   - now: The time.
    /// - Returns: The progress.
    package mutating func progress(
        after completed: Int64,
        of total: Int64?,
        at now: MonotonicInstant
    ) -> TransferProgress {
        measure(completed, now)
        return TransferProgress(completed: completed, total: total, throughput: rate)
    }

    private mutating func measure(_ completed: Int64, _ now: MonotonicInstant) {
        guard let last, completed >= last.completed else {
            self = TransferMeter()
            if completed > 0 { self.last = (completed, now) }
            return
        }
        let elapsed = last.time.duration(to: now)
        guard elapsed >= Self.interval else { return }
        let seconds = elapsed.inSeconds
        let kept = exp2(-seconds / Self.halfLife.inSeconds)
        weightedRates = weightedRates * kept + Double(completed - last.completed) / seconds * (1 - kept)
        weights = weights * kept + (1 - kept)
        self.last = (completed, now)
    }
}

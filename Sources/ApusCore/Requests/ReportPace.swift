/// Decides which progress of a transfer is reported, so that a fast transfer does not flood its observers.
///
/// It reads no clock: the caller passes all times. It needs no timer either. A progress that is held back is reported
/// with a later one, or at the end.
struct ReportPace: Sendable {
    private var last: (progress: TransferProgress, time: MonotonicInstant)?
    /// Whether the latest progress was held back.
    private(set) var isHolding = false

    /// Makes the next progress due, for a new observer.
    mutating func restart() { last = nil }

    /// Records a progress. Returns whether it is reported now.
    ///
    /// A progress is due `TransferProgress.reportInterval` after the last report. The first one, a complete one, one
    /// that goes back, and one whose total has become known or unknown are due at once.
    mutating func admits(_ progress: TransferProgress, at now: MonotonicInstant) -> Bool {
        isHolding = !isDue(progress, at: now)
        if !isHolding { last = (progress, now) }
        return !isHolding
    }

    private func isDue(_ progress: TransferProgress, at now: MonotonicInstant) -> Bool {
        guard let last, !progress.isFinished, progress.completed >= last.progress.completed else { return true }
        return progress.isIndeterminate != last.progress.isIndeterminate
            || last.time.duration(to: now) >= TransferProgress.reportInterval
    }
}

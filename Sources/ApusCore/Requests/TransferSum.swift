/// The sum of the progress of several transfers, and their common rate.
///
/// It reads no clock: the caller passes all times. A transfer that has ended counts with the bytes that it has
/// transferred. The rate counts bytes as they move, so a transfer that restarts does not change it.
struct TransferSum: Sendable {
    /// A transfer that has not ended.
    private struct Part: Sendable {
        var completed: Int64 = 0
        var total: Int64?
        /// Whether its progress is known. Bytes that were transferred before are no part of the rate.
        var hasBegun = false
    }

    private var parts: [Int: Part] = [:]
    private var nextID = 0
    // 128 bits: servers declare lengths of up to 64 bits, whose sum must not overflow.
    private var completed: Int128 = 0
    private var knownTotals: Int128 = 0
    /// The number of parts without a known total.
    private var unknownTotals = 0
    /// The bytes that the meter has counted.
    private var moved: Int128 = 0
    private var meter = TransferMeter()

    /// Adds a transfer whose progress is not known yet. Returns its identifier.
    mutating func add() -> Int {
        // The time without a transfer is no part of the rate.
        if parts.isEmpty { (meter, moved) = (TransferMeter(), 0) }
        defer { nextID += 1 }
        parts[nextID] = Part()
        unknownTotals += 1
        return nextID
    }

    /// Sets the progress that a transfer had when it was added. Has no effect after its first update.
    mutating func begin(_ id: Int, at progress: TransferProgress) {
        guard let part = parts[id], !part.hasBegun else { return }
        set(id, progress)
    }

    /// Sets the progress of a transfer. Has no effect after its end.
    mutating func update(_ id: Int, to progress: TransferProgress) {
        guard let part = parts[id] else { return }
        if part.hasBegun {
            // A body that is transferred again starts at 0.
            let isRestarted = progress.completed < part.completed
            moved += Int128(progress.completed) - (isRestarted ? 0 : Int128(part.completed))
        }
        set(id, progress)
    }

    /// Ends a transfer with its last progress. Returns `false` if it has ended before.
    mutating func end(_ id: Int, at last: TransferProgress) -> Bool {
        guard parts[id] != nil else { return false }
        update(id, to: TransferProgress(completed: last.completed, total: last.completed))
        parts[id] = nil
        return true
    }

    /// Returns the sum, with the rate measured now. Without a transfer under way, the last rate stays.
    mutating func measured(at now: MonotonicInstant) -> TransferProgress {
        if !parts.isEmpty { _ = meter.progress(after: Int64(clamping: moved), of: nil, at: now) }
        let isKnown = nextID > 0 && unknownTotals == 0
        return TransferProgress(
            completed: Int64(clamping: completed),
            total: isKnown ? Int64(clamping: knownTotals) : nil,
            throughput: meter.rate
        )
    }

    private mutating func set(_ id: Int, _ progress: TransferProgress) {
        guard let part = parts[id] else { return }
        completed += Int128(progress.completed) - Int128(part.completed)
        knownTotals += Int128(progress.total ?? 0) - Int128(part.total ?? 0)
        unknownTotals += (progress.total == nil ? 1 : 0) - (part.total == nil ? 1 : 0)
        parts[id] = Part(completed: progress.completed, total: progress.total, hasBegun: true)
    }
}

internal import Apus

/// Counts the transfers and the bytes of one run of a queue.
struct QueueTally: Sendable {
    /// The number of transfers that have ended.
    private(set) var endedCount = 0
    /// The number of bytes that this run has received or sent.
    private(set) var byteCount: Int64 = 0
    /// The transfers that were not started.
    private var waiting: Set<TransferID> = []
    /// The size of the part of each transfer that was started and has not ended.
    private var sizes: [TransferID: Int64] = [:]
    private var meter: TransferMeter

    /// - Parameter start: The time when the run began.
    init(from start: MonotonicInstant) {
        meter = TransferMeter(from: start)
    }

    /// The number of transfers, with those that have ended.
    var count: Int { endedCount + waiting.count + sizes.count }

    /// Adds a transfer that waits.
    mutating func add(_ id: TransferID) {
        if sizes[id] == nil { waiting.insert(id) }
    }

    /// Notes that a transfer was started, and the bytes of its part from an earlier run.
    mutating func start(_ id: TransferID, after earlier: Int64) {
        waiting.remove(id)
        // A retry continues the part of this run.
        if sizes[id] == nil { sizes[id] = earlier }
    }

    /// Notes the number of bytes of a transfer. Fewer than before mean that it has begun anew.
    mutating func note(_ id: TransferID, _ size: Int64) {
        guard let known = sizes[id] else { return }
        byteCount += max(0, size - known)
        sizes[id] = size
    }

    /// Notes the end of a transfer.
    mutating func end(_ id: TransferID) {
        remove(id)
        endedCount += 1
    }

    /// Removes a transfer that was removed from the queue.
    mutating func remove(_ id: TransferID) {
        waiting.remove(id)
        sizes[id] = nil
    }

    /// Returns the progress: `2 of 7, 1.2 GB, 30.0 MB/s`.
    mutating func line(at now: MonotonicInstant) -> String {
        let throughput = meter.progress(after: byteCount, of: nil, at: now).throughput
        let rate = throughput.map { ", \(ByteCount.rate($0))" } ?? ""
        return "\(endedCount) of \(count), \(ByteCount.text(byteCount))\(rate)"
    }
}

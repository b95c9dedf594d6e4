/// The segments of a file, and the workers that fetch them at the same time.
///
/// ```
///   segment:  waiting ──next──→ fetched by a worker ──next──→ complete
///                ↑                       │
///                └─────────leave─────────┘
///
///   worker:   fetching ──next, without a waiting segment──→ ended
///             fetching ──leave, beside another worker─────→ ended
/// ```
///
/// If the last worker can't leave its segment to another one, the download fails.
struct SegmentStateMachine: Sendable {
    private var waiting: [Range<Int64>]
    private var workerCount: Int

    /// - Parameters:
    ///   - segments: The segments, in the order in which they are fetched.
    ///   - workerCount: The number of workers, at least 1.
    init(_ segments: [Range<Int64>], workerCount: Int) {
        self.waiting = segments
        self.workerCount = workerCount
    }

    /// Returns the next segment for a worker that has none, or `nil`, which ends the worker.
    mutating func next() -> Range<Int64>? {
        guard !waiting.isEmpty else {
            workerCount -= 1
            return nil
        }
        return waiting.removeFirst()
    }

    /// Takes back the rest of a segment that a worker could not fetch.
    ///
    /// - Returns: Whether other workers fetch it, which ends this one. If not, it is the last one.
    mutating func leave(_ rest: Range<Int64>) -> Bool {
        guard workerCount > 1 else { return false }
        workerCount -= 1
        waiting.append(rest)
        return true
    }
}

internal import Foundation

/// Stores which bytes of a part are on the disk, while its segments are written.
///
/// A record is stored after 8 MiB or one second of work, one at a time, on a queue of its own, so that the segments are
/// written in the meantime. A part whose record is in memory only needs no such work.
final class SegmentJournal: Sendable {
    private struct State {
        var unsavedBytes: Int64 = 0
        var latest: MonotonicInstant
        var isSaving = false
        var failure: ApusError?
    }

    private let part: PartialFile
    private let time: AnySessionClock
    private let limitBytes: Int64
    private let queue = DispatchQueue(label: "apus.segment-journal")
    private let state: Lock<State>

    /// - Parameters:
    ///   - part: The part, whose record has ranges.
    ///   - time: The session's clock.
    ///   - limitBytes: The number of written bytes after which a record is stored. Default: 8 MiB.
    init(_ part: PartialFile, _ time: AnySessionClock, limitBytes: Int64 = SegmentLimits.unsavedBytes) {
        self.part = part
        self.time = time
        self.limitBytes = limitBytes
        self.state = Lock(State(latest: time.now))
    }

    /// Returns a writer for a segment that begins at an offset.
    func writer(at offset: Int64) -> FileWriter {
        part.writer(at: offset) { [self] in note($0) }
    }

    private func note(_ range: Range<Int64>) {
        part.noteReceived(range)
        guard part.isRecorded else { return }
        let now = time.now
        let isDue = state.withLock { state -> Bool in
            state.unsavedBytes += range.upperBound - range.lowerBound
            guard !state.isSaving,
                state.unsavedBytes >= limitBytes || state.latest.duration(to: now) >= SegmentLimits.unsavedTime
            else { return false }
            (state.unsavedBytes, state.latest, state.isSaving) = (0, now, true)
            return true
        }
        if isDue { queue.async { [self] in save() } }
    }

    private func save() {
        let failure = part.saveReceived()
        state.withLock { state in
            state.isSaving = false
            // The system reports lost bytes only once.
            state.failure = state.failure ?? failure
        }
    }

    /// Waits for the record that is being stored, and reads the size of the part. All writers must be drained before.
    ///
    /// - Parameter saves: Whether to store a last record.
    /// - Throws: `ApusError` with the code `fileUnwritable`, also if an earlier record could not be stored.
    func end(saves: Bool) async throws(ApusError) {
        let isOver = Deferred<ApusError?>()
        queue.async { [self] in
            let last = saves && part.isRecorded ? part.saveReceived() : nil
            isOver.fulfill(state.withLock { $0.failure } ?? last)
        }
        let failure = await isOver.value
        try await part.measure()
        if let failure { throw failure }
    }
}

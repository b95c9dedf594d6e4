/// A part that is written at several places. Its record has the ranges that have arrived, since the size of the file
/// does not show them.
///
/// A kill at any moment leaves a stored record whose ranges are on the disk: bytes are synchronized before a record
/// names them.
extension PartialFile {
    /// The ranges that have arrived. Those of a part without segments are its first bytes.
    package var received: ReceivedRanges {
        state.withLock { state in
            if state.hasLostBytes { return ReceivedRanges() }
            return state.record?.segments ?? ReceivedRanges(first: state.byteCount)
        }
    }

    /// Whether the record is stored beside the part.
    var isRecorded: Bool { recordPath != nil }

    /// Stores the received ranges in the record, so that the part can be written at several places. Those of a part with
    /// segments may have been clipped to its size. Does nothing without a record.
    ///
    /// - Throws: `ApusError` with the code `fileUnwritable`.
    func divide() async throws(ApusError) {
        guard var divided = record else { return }
        divided.segments = received
        let recorded = divided
        // A kill may follow after the file has grown at another place.
        try await run { [self] in flushed() ?? store(recorded) }
        state.withLock { $0.record = recorded }
    }

    /// Returns a writer for a segment.
    ///
    /// - Parameters:
    ///   - offset: The position of its first byte.
    ///   - written: Called with each range that was written, on the queue that writes.
    /// - Returns: The writer, which must be drained before the part is closed.
    func writer(at offset: Int64, written: @escaping @Sendable (Range<Int64>) -> Void) -> FileWriter {
        let path = destinationPath
        return FileWriter(file.descriptor, at: offset, on: queue, written: written) {
            FilePlacement.failure("can't be written", path, $0)
        }
    }

    /// Adds a range that was written to the record in memory.
    func noteReceived(_ range: Range<Int64>) {
        state.withLock { $0.record?.segments?.insert(range) }
    }

    /// Synchronizes the bytes that have arrived, and then stores the record with their ranges. Blocks.
    ///
    /// - Returns: The failure, if bytes did not reach the disk. A record that can't be stored is no failure: the older
    ///   one is still right, and costs only the bytes since.
    func saveReceived() -> ApusError? {
        guard let record, !state.withLock({ $0.hasLostBytes }) else { return nil }
        // Bytes that are written from here on are in the next record.
        if let failure = flushed() { return failure }
        _ = store(record)
        return nil
    }

    /// Does the same for a part with segments that is kept. A failure costs only the bytes since the last record.
    func settleSegments() async {
        guard record?.segments != nil else { return }
        try? await run { [self] in saveReceived() }
    }

    /// Reads the size of the file, once all writers are drained.
    func measure() async throws(ApusError) { try await run { nil } }
}

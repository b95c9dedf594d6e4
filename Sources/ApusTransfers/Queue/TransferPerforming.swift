package import ApusCore

/// Performs single transfers for a queue.
package protocol TransferPerforming: Sendable {
    /// Downloads the file of a transfer, and moves it to its destination. A failure keeps the part of the file, and the
    /// next call continues it.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - placing: Called with the complete and verified file, before it is moved to its destination. If it throws,
    ///     the file is not moved. It blocks.
    ///   - progress: Called with the progress.
    /// - Returns: The file at its destination, on the disk.
    /// - Throws: `ApusError`: `cancelled` if the task is cancelled.
    func perform(
        _ transfer: Transfer,
        placing: @escaping @Sendable (FileFingerprint) throws(ApusError) -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(ApusError) -> FileFingerprint

    /// Returns whether the destination of a transfer has this file. Then it also removes the part, if there is one.
    func finds(_ file: FileFingerprint, of transfer: Transfer) async -> Bool

    /// Removes the part of the file of a transfer.
    func discard(_ transfer: Transfer) async
}

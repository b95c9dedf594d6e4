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

    /// Removes the part of the file of a transfer. Does nothing for an upload.
    func discard(_ transfer: Transfer) async

    /// Sends the file of an upload. After a failure, the next call continues it from the latest state.
    ///
    /// - Parameters:
    ///   - transfer: The transfer.
    ///   - state: The state to continue from. `nil` if the server has no part.
    ///   - keeping: Called with each state, and with `nil` if the server has lost its part. If it throws, the upload is
    ///     cancelled.
    ///   - progress: Called with the progress. It must not block.
    /// - Returns: The response, with a status from 200 to 299.
    /// - Throws: `ApusError`: `cancelled` if the task is cancelled.
    func upload(
        _ transfer: Transfer,
        resumingWith state: ResumableUpload.State?,
        keeping: @escaping @Sendable (ResumableUpload.State?) async throws(ApusError) -> Void,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(ApusError) -> TransferResponse

    /// Asks the server to remove its part of an upload. Ends with any answer.
    func withdraw(_ transfer: Transfer, _ state: ResumableUpload.State) async
}

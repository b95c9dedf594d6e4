internal import ApusPlatform
package import Foundation

extension PartialFile {
    /// Writes a new file under a temporary name beside its destination, and moves it there at the end. A failure leaves
    /// nothing behind.
    ///
    /// The file is created before the first call of `next`, so that a body that can be read only once is not used up if
    /// that fails.
    ///
    /// - Parameters:
    ///   - destination: The location of the file.
    ///   - replaces: Whether to replace an existing file. If not, an existing file is an error. Default: `true`.
    ///   - isPrivate: Whether only the file's owner can read and write it, from the first byte on. Default: `false`.
    ///   - counters: The counters for the open file. Default: none.
    ///   - next: Returns the next chunk, or `nil` after the last.
    /// - Throws: `ApusError`: an error of `next`, `fileUnwritable`, `fileExists`, or `cancelled` if the task is
    ///   cancelled before the move.
    package static func writeWhole(
        at destination: URL,
        replaces: Bool = true,
        isPrivate: Bool = false,
        counters: LiveCounters? = nil,
        _ next: () async throws(ApusError) -> BodyChunk?
    ) async throws(ApusError) {
        let part = try PartialFile(for: destination, naming: .random, replaces: replaces, counters: counters)
        do throws(ApusError) {
            if isPrivate { try await part.restrictToOwner() }
            _ = try await part.append(next)
            // The last check for cancellation. Later cancellations are left to the caller.
            if Task.isCancelled { throw ApusError(.cancelled, "its task was cancelled") }
            try await part.place()
        } catch {
            await part.discard()
            throw error
        }
    }

    private func restrictToOwner() async throws(ApusError) {
        try await run { [self] in
            guard fchmod(file.descriptor, 0o600) != 0 else { return nil }
            return FilePlacement.failure("can't be made private", destinationPath, errno)
        }
    }
}

internal import Apus
internal import ApusPlatform

/// Changes single transfers of `--queue`, and lists all of them. It needs no run, and does not disturb one.
struct QueueControl {
    let invocation: Invocation
    let console: Console

    /// Makes the changes in their order, and then prints the transfers with `--list`.
    ///
    /// - Returns: The exit code `success`.
    /// - Throws: The error of the first change that can't be made, or of the output.
    @concurrent
    func run() async throws -> ExitCode {
        guard let folder = invocation.transfers.queue else { return .failure }
        // A mistyped name must not create a queue.
        guard FileStatus(path: "\(console.files.absolutePath(folder))/incoming")?.kind == .folder else {
            throw CommandFault("'\(folder)' has no queue; name the folder of another one with --queue")
        }
        let session = Session(configuration: Session.Configuration(), transport: OfflineTransport())
        let outcome: Result<Void, any Error>
        do {
            try await work(on: console.queue(in: folder, session: session))
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        if !console.endsWithCommand { await session.shutdown(within: .zero) }
        try outcome.get()
        return .success
    }

    private func work(on queue: TransferQueue) async throws {
        for change in invocation.transfers.changes { try await change.make(in: queue) }
        guard invocation.transfers.listsQueue else { return }
        let listing = QueueListing(try await queue.transfers)
        try console.output.write(console.output.isTerminal ? listing.table : listing.lines)
    }
}

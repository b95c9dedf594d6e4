internal import Apus

/// A change of one transfer of a queue.
struct QueueChange: Equatable {
    /// The kinds of changes, with their flags.
    enum Action: String {
        case pause, resume, remove
    }

    let action: Action
    let id: TransferID

    /// Makes the change. The process that runs the queue notices it within a second.
    ///
    /// - Throws: `CommandFault` if the queue does not have the transfer, or if its state does not allow the change, or
    ///   `ApusError` if the queue can't be read or written.
    func make(in queue: TransferQueue) async throws {
        let transfers = try await queue.transfers
        try check(transfers.first { $0.id == id })
        switch action {
        case .pause: try await queue.pause(id)
        case .resume: try await queue.resume(id)
        case .remove: try await queue.remove(id)
        }
    }

    private func check(_ transfer: QueuedTransfer?) throws(CommandFault) {
        guard let transfer else { throw CommandFault("the queue has no transfer '\(id)'; see --list") }
        switch (action, transfer.state) {
        case (.pause, .finished), (.resume, .finished):
            throw CommandFault("the transfer '\(id)' is finished; --\(action.rawValue) has no use for it")
        case (.pause, .failed):
            throw CommandFault("the transfer '\(id)' has failed; start it again with --resume, or --remove it")
        default: break
        }
    }
}

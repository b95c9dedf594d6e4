public import Foundation

/// A transfer of a queue, with its state.
public struct QueuedTransfer: Sendable, Hashable, Identifiable {
    /// The state of a transfer.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It starts when the queue runs, has a free place, and ``QueuedTransfer/notBefore`` has passed.
        case waiting
        /// It does not start until it is resumed.
        case paused
        /// It was started. After a kill it keeps this state until the queue runs again.
        case running
        /// The file of a download is complete and in its place, or the server has accepted an upload.
        case finished
        /// It failed, and is not retried until it is resumed.
        case failed
    }

    /// The transfer.
    public let transfer: Transfer
    /// The state.
    public let state: State
    /// The number of failures since it was added, or was resumed after its last retry.
    public let failureCount: Int
    /// The latest of these failures. `nil` if there was none.
    public let failure: TransferFailure?
    /// The earliest time of the next retry. `nil` unless it waits for a retry.
    public let notBefore: Date?
    /// The file. `nil` unless it is a download in the state `finished`.
    public let file: TransferredFile?
    /// The response. `nil` unless it is an upload in the state `finished`.
    public let response: TransferResponse?
    /// The number of bytes of a resumable upload that the server has confirmed, which is recorded about every 16 MiB.
    /// `nil` if the server has no part that can be continued.
    public let confirmedByteCount: Int64?

    /// The identifier of the transfer.
    public var id: TransferID { transfer.id }
}

extension QueuedTransfer {
    /// Returns `nil` if the transfer is being removed.
    init?(_ entry: TransferQueueState.Entry) {
        let transfer = entry.transfer
        let isDelayed = entry.state == .waiting && entry.notBefore > 0
        switch entry.state {
        case .waiting: state = .waiting
        case .paused: state = .paused
        case .running: state = .running
        case .finished: state = .finished
        case .failed: state = .failed
        case .removing: return nil
        }
        self.transfer = transfer
        self.failureCount = entry.failureCount
        self.failure = entry.failure
        self.notBefore = isDelayed ? Date(milliseconds: entry.notBefore) : nil
        self.file = entry.file.map { TransferredFile(at: transfer.destination, $0) }
        self.response = entry.response
        self.confirmedByteCount = entry.upload?.offset
    }
}

/// Work of a queue that is due.
enum QueueWork: Sendable, Hashable {
    /// Performs a transfer. `placed` is the file that may be at its destination already.
    case perform(Transfer, placed: FileFingerprint?)
    /// Removes the part of the file of a transfer.
    case discard(Transfer)

    /// Whether it is a transfer, which counts for the limit on them.
    var isTransfer: Bool {
        if case .perform = self { true } else { false }
    }

    var id: TransferID {
        switch self {
        case .perform(let transfer, _), .discard(let transfer): transfer.id
        }
    }
}

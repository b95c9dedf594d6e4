/// Work of a queue that is due.
enum QueueWork: Sendable, Hashable {
    /// Performs a download. `placed` is the file that may be at its destination already.
    case perform(Transfer, placed: FileFingerprint?)
    /// Performs an upload, from its state if the server has a part of it. `wasStopped`: the server may have received
    /// the upload, since it was under way when a process was killed, a run ended, or the transfer was paused.
    case upload(Transfer, ResumableUpload.State?, wasStopped: Bool)
    /// Removes the part of the file of a transfer.
    case discard(Transfer)
    /// Asks the server to remove its part of an upload.
    case withdraw(Transfer, ResumableUpload.State)

    /// Whether it is a transfer, which counts for the limit on them.
    var isTransfer: Bool {
        switch self {
        case .perform, .upload: true
        case .discard, .withdraw: false
        }
    }

    var id: TransferID {
        switch self {
        case .perform(let transfer, _), .upload(let transfer, _, _), .discard(let transfer),
            .withdraw(let transfer, _):
            transfer.id
        }
    }
}

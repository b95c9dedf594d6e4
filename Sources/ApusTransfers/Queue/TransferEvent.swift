public import ApusCore

/// An event of a ``TransferQueue``.
public enum TransferEvent: Sendable {
    /// A transfer was started, or the file of a download was found complete.
    case started(TransferID)
    /// A transfer has received or sent bytes. After a retry the progress continues at the kept part, or begins at 0
    /// without one.
    case progress(TransferID, TransferProgress)
    /// The file of a download is in its place, and the queue has recorded that on disk. It is reported at most once,
    /// also if the process is killed at any moment.
    case finished(TransferID, TransferredFile)
    /// The server has accepted an upload, and the queue has recorded its response on disk. It is reported at most once,
    /// also if the process is killed at any moment.
    case uploaded(TransferID, TransferResponse)
    /// A transfer has failed. It is retried after a delay, or it stays in the queue as a failed one.
    case failed(TransferID, ApusError, willRetry: Bool)
    /// A transfer was removed from the queue, with the part of its file, or after the server was asked to remove its
    /// part of an upload.
    case removed(TransferID)
    /// A part of the queue's files was damaged.
    case fault(QueueFault)
}

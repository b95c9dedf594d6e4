internal import ApusCore
internal import ApusPlatform

/// The lock of the process that runs a queue. It lasts until this object is released, or the process ends.
///
/// It is that of `flock`, which belongs to the open file. So two queues of one process exclude each other as well.
final class QueueLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock. Does not wait for it.
    ///
    /// - Throws: `ApusError`: `fileInUse` if another one has it, or `fileUnwritable`.
    init(_ folder: QueueFolder) throws(ApusError) {
        let path = folder.lock
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw QueueFolder.failure(.fileUnwritable, path, "can't be opened", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            guard number == EWOULDBLOCK else {
                throw QueueFolder.failure(.fileUnwritable, path, "can't be locked", number)
            }
            throw ApusError(
                .fileInUse,
                "the queue in '\(folder.path)' is run by another process already, or by another object of this one",
                hint: "add transfers there, which the running one takes up"
            )
            .with(fileAt: folder.path)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

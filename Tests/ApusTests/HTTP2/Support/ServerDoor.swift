import ApusCore
import NIOCore

/// Runs tasks from other threads on the server's event loop, until it is shut.
///
/// An event loop that has ended accepts no tasks.
final class ServerDoor: Sendable {
    private let loop: any EventLoop
    private let isShut = Lock(false)

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs a task on the event loop. Returns `false` after `shut()`, and discards the task then.
    func enter(_ task: @escaping @Sendable () -> Void) -> Bool {
        // Called under the lock, so that no task is added after `shut()` has returned.
        isShut.withLock { isShut in
            if !isShut { loop.execute(task) }
            return !isShut
        }
    }

    func shut() {
        isShut.withLock { $0 = true }
    }
}

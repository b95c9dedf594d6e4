internal import ApusCore
internal import NIOCore

/// The way from other threads onto the server's event loop, which can be shut before the loop ends.
///
/// A gate may be opened and a handler's task may end after the server was stopped; a loop that has ended accepts no
/// task.
final class LoopDoor: Sendable {
    private let loop: any EventLoop
    private let isShut = Lock(false)

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs a task on the loop, or drops it when the door is shut.
    func enter(_ task: @escaping @Sendable () -> Void) {
        // Called under the lock, so that no task is on its way once ``shut()`` has returned. The loop's own lock is
        // inside this one, never around it.
        isShut.withLock { if !$0 { loop.execute(task) } }
    }

    func shut() {
        isShut.withLock { $0 = true }
    }
}

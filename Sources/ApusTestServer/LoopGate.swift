internal import ApusCore
internal import NIOCore

/// Runs tasks from other threads on the server's event loop, until it is shut.
///
/// A gate may open, or a handler's task may end, after the server has stopped. An event loop that has ended accepts no
/// tasks.
final class LoopGate: Sendable {
    private let loop: any EventLoop
    private let isShut = Lock(false)

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs a task on the event loop, or discards it after ``shut()``.
    func enter(_ task: @escaping @Sendable () -> Void) {
        // Called under the lock, so that no task is added after ``shut()`` has returned. The event loop's own lock is
        // always taken inside this one, so they can't deadlock.
        isShut.withLock { if !$0 { loop.execute(task) } }
    }

    func shut() {
        isShut.withLock { $0 = true }
    }
}

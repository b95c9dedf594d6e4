internal import ApusCore

/// Refers to a task until it is complete. Messages keep the options of their request for longer, and the options must not
/// keep the task.
final class TaskReference: Sendable {
    private let stored = Lock<SessionTask?>(nil)

    var task: SessionTask? { stored.withLock { $0 } }

    /// Begins to hold a task.
    func hold(_ task: SessionTask) {
        stored.withLock { $0 = task }
    }

    func release() {
        // Released outside the lock.
        let task = stored.withLock { $0.take() }
        withExtendedLifetime(task) {}
    }
}

internal import ApusCore
internal import DequeModule

/// The connections that all pools of an engine may have together: one count, one queue, no lock over two pools.
final class ConnectionPermits: Sendable {
    private struct State {
        var available: Int
        var queue = Deque<@Sendable () -> Void>()
    }

    private let state: Lock<State>

    init(limit: Int) {
        self.state = Lock(State(available: max(limit, 1)))
    }

    /// Takes a permit, or calls `granted` with one later, on whatever thread gives one back.
    func acquire(granted: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.available > 0 else {
                state.queue.append(granted)
                return false
            }
            state.available -= 1
            return true
        }
    }

    /// Gives a permit back, to whoever waits first.
    func release() {
        let granted = state.withLock { state in
            guard let granted = state.queue.popFirst() else {
                state.available += 1
                return nil as (@Sendable () -> Void)?
            }
            return granted
        }
        granted?()
    }
}

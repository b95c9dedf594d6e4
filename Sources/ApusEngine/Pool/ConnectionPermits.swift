internal import ApusCore
internal import DequeModule
internal import Synchronization

/// The connections that all pools of an engine may have together: one count, one queue, no lock over two pools.
final class ConnectionPermits: Sendable {
    private struct State {
        var available: Int
        var queue = Deque<(since: MonotonicInstant, granted: @Sendable () -> Void)>()
    }

    /// After so long a wait a connection that is in use is given up for it at the end of its exchange.
    private static let patience = Duration.seconds(1)

    private let state: Lock<State>
    /// How many wait, where it can be asked for at the end of each exchange without the lock.
    private let queued = Atomic<Int>(0)

    /// Whether somebody waits, so that an unused connection is better closed than kept.
    var isWanted: Bool { queued.load(ordering: .sequentiallyConsistent) > 0 }

    /// Whether somebody has waited for too long.
    func isOverdue(now: MonotonicInstant) -> Bool {
        state.withLock { state in
            state.queue.first.map { $0.since.duration(to: now) >= Self.patience } ?? false
        }
    }

    init(limit: Int) {
        self.state = Lock(State(available: max(limit, 1)))
    }

    /// Takes a permit, or calls `granted` with one later, on whatever thread gives one back.
    func acquire(now: MonotonicInstant, granted: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.available > 0 else {
                state.queue.append((now, granted))
                queued.wrappingAdd(1, ordering: .sequentiallyConsistent)
                return false
            }
            state.available -= 1
            return true
        }
    }

    /// Gives a permit back, to whoever waits first.
    func release() {
        let granted = state.withLock { state in
            guard let granted = state.queue.popFirst()?.granted else {
                state.available += 1
                return nil as (@Sendable () -> Void)?
            }
            queued.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            return granted
        }
        granted?()
    }
}

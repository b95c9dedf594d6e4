internal import ApusCore
internal import DequeModule
internal import Synchronization

/// Limits the connections of all pools of an engine. It has one count and one queue, so no lock spans two pools.
final class ConnectionPermits: Sendable {
    private struct State {
        var available: Int
        var queue = Deque<(since: MonotonicInstant, granted: @Sendable () -> Void)>()
    }

    /// After a pool has waited this long, the next connection to end its exchange is closed to make room.
    private static let patience = Duration.seconds(1)

    private let state: Lock<State>
    /// The number of waiting pools. Atomic, so that it can be read after each exchange without the lock.
    private let queued = Atomic<Int>(0)

    /// Whether a pool waits for a permit, so that an unused connection is better closed than kept.
    var isWanted: Bool { queued.load(ordering: .sequentiallyConsistent) > 0 }

    /// Returns whether a pool has waited longer than `patience`.
    func isOverdue(now: MonotonicInstant) -> Bool {
        state.withLock { state in
            state.queue.first.map { $0.since.duration(to: now) >= Self.patience } ?? false
        }
    }

    init(limit: Int) {
        self.state = Lock(State(available: max(limit, 1)))
    }

    /// Takes a permit. If none is free, returns `false` and calls `granted` later, on the thread that releases one.
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

    /// Takes a permit if one is free, which means that no pool waits for one. Returns `false` otherwise.
    func acquireIfFree() -> Bool {
        state.withLock { state in
            guard state.available > 0 else { return false }
            state.available -= 1
            return true
        }
    }

    /// Releases a permit, or passes it to the first waiter.
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

internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// The order in which waiters of different priorities are served, and fail.
@Suite struct PoolPriorityTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private func emptyPool(limit: Int) -> PoolStateMachine {
        PoolStateMachine(limit: limit, idleTimeout: .seconds(60), maximumAge: nil)
    }

    /// Returns a pool whose connection 10 is idle.
    private func idlePool(limit: Int) -> PoolStateMachine {
        var pool = emptyPool(limit: limit)
        pool.beginConnecting(10, now: start)
        #expect(pool.connected(10, now: start) == .keepIdle)
        return pool
    }

    @Test func servesWaitersByPriorityAndThenInOrder() {
        var pool = emptyPool(limit: 1)
        _ = pool.acquire(1, now: start)
        pool.beginConnecting(10, now: start)
        #expect(pool.connected(10, now: start) == .lease(1))
        let five = RequestPriority(rawValue: 5)
        let priorities: [RequestPriority] = [
            .normal, .low, .high, .normal, .low, .high, five, .normal, .low, .high,
        ]
        for (index, priority) in priorities.enumerated() { _ = pool.acquire(index + 2, priority: priority, now: start) }
        for waiter in [4, 7, 11, 8, 2, 5, 9, 3, 6, 10] { #expect(pool.released(10, now: start) == .lease(waiter)) }
        #expect(pool.released(10, now: start) == .keepIdle)
    }

    @Test func readsThePriorityOnlyOfRequestsThatWait() {
        var pool = idlePool(limit: 1)
        var reads = 0
        func priority() -> RequestPriority {
            reads += 1
            return .high
        }
        #expect(pool.acquire(1, priority: priority(), now: start) == .lease(10, closing: []))
        #expect(reads == 0)
        #expect(pool.acquire(2, priority: priority(), now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
        #expect(reads == 1)
    }

    @Test func keepsTheOrderWhenAWaiterIsWithdrawn() {
        var pool = idlePool(limit: 1)
        _ = pool.acquire(1, now: start)
        for waiter in 2...4 { _ = pool.acquire(waiter, priority: .low, now: start) }
        for waiter in 5...7 { _ = pool.acquire(waiter, priority: .high, now: start) }
        #expect(pool.withdraw(6) == true)
        #expect(pool.withdraw(3) == true)
        for waiter in [5, 7, 2, 4] { #expect(pool.released(10, now: start) == .lease(waiter)) }
    }

    /// It was served before, and its connection was dead.
    @Test func servesAWaiterForANewConnectionBeforeAnyPriority() {
        var pool = idlePool(limit: 1)
        _ = pool.acquire(1, priority: .low, now: start)
        _ = pool.acquire(2, now: start)
        pool.remove(10)
        #expect(pool.acquire(1, priority: .low, requiresNewConnection: true, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        _ = pool.acquire(3, priority: .high, now: start)
        pool.beginConnecting(11, now: start)
        #expect(pool.connected(11, now: start) == .lease(1))
        #expect(pool.released(11, now: start) == .lease(3))
        #expect(pool.released(11, now: start) == .lease(2))
    }

    /// A request that came after the attempt began does not fail with it, though it is the first in the queue.
    @Test func failsWaitersOfAnyPriorityFromBeforeTheAttempt() {
        var pool = emptyPool(limit: 1)
        _ = pool.acquire(1, now: start)
        _ = pool.acquire(2, priority: .low, now: start)
        pool.beginConnecting(10, now: start)
        _ = pool.acquire(3, priority: .high, now: start)
        #expect(pool.connectFailed(10) == [1, 2])
        #expect(pool.waiterCount == 1)
        pool.beginConnecting(11, now: start)
        #expect(pool.connectFailed(11) == [3])
    }

    @Test func failsTheWaiterThatTheAttemptWouldHaveServed() {
        var pool = idlePool(limit: 2)
        _ = pool.acquire(1, now: start)
        _ = pool.acquire(2, priority: .low, now: start)
        _ = pool.acquire(3, now: start)
        pool.beginConnecting(11, now: start)
        _ = pool.acquire(4, priority: .high, now: start)
        #expect(pool.connectFailed(11) == [3])
        #expect(pool.released(10, now: start) == .lease(4))
        #expect(pool.released(10, now: start) == .lease(2))
    }
}

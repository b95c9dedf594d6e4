internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// Faults that multiplexed connections invite.
@Suite struct PoolMultiplexingFaultTests: PoolMultiplexingSuite {
    /// A retired connection serves no waiter, so it is no reason to let them wait for further attempts.
    @Test func failsAllWaitersBesideARetiredConnection() {
        var pool = pool()
        multiplex(10, capacity: 100, serving: [1], in: &pool)
        #expect(pool.retire(10) == false)
        for waiter in 2...5 { _ = pool.acquire(waiter, now: start) }
        pool.beginConnecting(11, now: start)
        #expect(pool.connectFailed(11) == [2, 3, 4, 5])
    }

    /// Also those of a burst, which begin before one of them has ended.
    @Test func servesNoMoreRequestsThanAllUses() {
        var pool = pool(usesPerConnection: 2)
        for waiter in 1...4 { _ = pool.acquire(waiter, now: start) }
        pool.beginConnecting(10, now: start)
        #expect(pool.connected(10, capacity: 100, isMultiplexed: true, now: start) == .lease(1))
        #expect(fill(10, in: &pool) == [2])
        #expect(!pool.hasFreeSlot)
        #expect(pool.wantsConnection)
    }

    @Test func keepsTheOrderOfTheRequestsOfALostConnection() {
        var pool = pool(limit: 1)
        multiplex(10, capacity: 4, serving: [1, 2, 3], in: &pool)
        pool.remove(10)
        for waiter in 1...3 { _ = pool.acquire(waiter, requiresNewConnection: true, now: start) }
        pool.beginConnecting(11, now: start)
        #expect(pool.connected(11, capacity: 4, isMultiplexed: true, now: start) == .lease(1))
        #expect(fill(11, in: &pool) == [2, 3])
    }

    @Test func leasesNothingAfterClosing() {
        var pool = pool()
        multiplex(10, capacity: 4, serving: [1], in: &pool)
        _ = pool.close()
        #expect(!pool.hasFreeSlot)
        #expect(pool.acquire(2, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
    }

    @Test func doesNotDrainAMultiplexedConnection() {
        var pool = pool(limit: 1)
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        _ = pool.acquire(3, now: start)
        pool.drain(10)
        #expect(pool.released(10, now: start) == .lease(3))
    }
}

internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// The end of connections that serve several requests at a time, and of the attempts to make them.
@Suite struct PoolRetirementTests: PoolMultiplexingSuite {
    // MARK: Retirement

    @Test func finishesTheRequestsOfARetiredConnection() {
        var pool = pool()
        multiplex(10, capacity: 3, serving: [1, 2], in: &pool)
        #expect(pool.retire(10) == false)
        #expect(pool.retire(10) == false)
        #expect(!pool.hasFreeSlot)
        #expect(pool.acquire(3, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        #expect(pool.serveAnother(on: 10, now: start) == nil)
        // More capacity makes no difference.
        #expect(pool.capacityChanged(10, to: 9) == false)
        #expect(pool.serveAnother(on: 10, now: start) == nil)
        #expect(!pool.hasFreeSlot)
        #expect(pool.released(10, now: start) == stays)
        #expect(pool.released(10, now: start) == .close)
        #expect(!pool.isMultiplexed(10))
        #expect(pool.connectionCount == 0)
        #expect(pool.waiterCount == 1)
        #expect(pool.wantsConnection)
    }

    @Test func closesAnIdleConnectionThatIsRetired() {
        var pool = pool()
        keepIdle(10, capacity: 3, in: &pool)
        #expect(pool.retire(10) == true)
        #expect(pool.isUnused)
        #expect(pool.idleCount == 0)
        #expect(!pool.hasFreeSlot)
        #expect(pool.retire(10) == false)
        #expect(pool.released(10, now: start) == .close)
        #expect(pool.acquire(1, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
    }

    @Test func replacesARetiredConnection() {
        var pool = pool(limit: 2)
        multiplex(10, capacity: 3, serving: [1, 2], in: &pool)
        #expect(pool.retire(10) == false)
        multiplex(11, capacity: 3, serving: [3, 4], in: &pool)
        #expect(pool.acquire(5, now: start) == .lease(11, closing: []))
        // It counts for the limit while it has requests.
        #expect(pool.acquire(6, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
        #expect(pool.released(10, now: start) == stays)
        #expect(pool.released(10, now: start) == .close)
        #expect(pool.wantsConnection)
    }

    // MARK: Maximum age

    @Test func takesNoMoreRequestsAtTheMaximumAge() {
        var pool = pool(maximumAge: .seconds(10))
        multiplex(10, capacity: 5, serving: [1, 2], in: &pool)
        #expect(pool.acquire(3, now: after(.seconds(10) - .nanoseconds(1))) == .lease(10, closing: []))
        #expect(pool.acquire(4, now: after(.seconds(10))) == .wait(closing: []))
        #expect(pool.wantsConnection)
        #expect(!pool.hasFreeSlot)
        for _ in 0..<2 { #expect(pool.released(10, now: after(.seconds(10))) == stays) }
        #expect(pool.released(10, now: after(.seconds(10))) == .close)
        #expect(pool.connectionCount == 0)
    }

    @Test func servesNoWaiterWithATooOldConnectionOnRelease() {
        var pool = pool(limit: 1, maximumAge: .seconds(10))
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        _ = pool.acquire(3, now: start)
        #expect(pool.released(10, now: after(.seconds(10))) == stays)
        #expect(pool.waiterCount == 1)
        #expect(!pool.wantsConnection)
        #expect(pool.released(10, now: after(.seconds(10))) == .close)
        #expect(pool.wantsConnection)
    }

    @Test func passesOverATooOldConnection() {
        var pool = pool(maximumAge: .seconds(10))
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        multiplex(11, capacity: 2, serving: [3, 4], in: &pool, at: after(.seconds(5)))
        #expect(pool.released(11, now: after(.seconds(5))) == stays)
        #expect(pool.released(10, now: after(.seconds(5))) == stays)
        #expect(pool.acquire(5, now: after(.seconds(10))) == .lease(11, closing: []))
        #expect(pool.released(10, now: after(.seconds(10))) == .close)
    }

    @Test func closesATooOldIdleConnection() {
        var pool = pool(maximumAge: .seconds(10))
        keepIdle(10, capacity: 2, in: &pool)
        #expect(pool.nextExpiry == after(.seconds(10)))
        #expect(pool.acquire(1, now: after(.seconds(10))) == .wait(closing: [10]))
        #expect(pool.wantsConnection)
        #expect(!pool.isMultiplexed(10))
    }

    // MARK: Uses

    @Test func takesNoMoreRequestsAfterItsLastUse() {
        var pool = pool(usesPerConnection: 3)
        multiplex(10, capacity: 5, serving: [1, 2], in: &pool)
        #expect(pool.released(10, uses: 2, now: start) == stays)
        #expect(pool.hasFreeSlot)
        #expect(pool.acquire(3, now: start) == .lease(10, closing: []))
        #expect(pool.released(10, uses: 3, now: start) == stays)
        #expect(!pool.hasFreeSlot)
        #expect(pool.acquire(4, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        #expect(pool.released(10, uses: 3, now: start) == .close)
        #expect(!pool.isMultiplexed(10))
        #expect(pool.connectionCount == 0)
    }

    @Test func keepsAConnectionIdleBelowItsLastUse() {
        var pool = pool(usesPerConnection: 2)
        multiplex(10, capacity: 5, serving: [1], in: &pool)
        #expect(pool.released(10, uses: 1, now: start) == .keepIdle)
        #expect(pool.acquire(2, now: start) == .lease(10, closing: []))
        #expect(pool.released(10, uses: 2, now: start) == .close)
        #expect(pool.isUnused)
    }

    @Test func servesNoWaiterAfterTheLastUse() {
        var pool = pool(limit: 1, usesPerConnection: 2)
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        _ = pool.acquire(3, now: start)
        #expect(pool.released(10, uses: 2, now: start) == stays)
        #expect(pool.released(10, uses: 2, now: start) == .close)
        #expect(pool.waiterCount == 1)
        #expect(pool.wantsConnection)
    }

    // MARK: Idle connections

    @Test func expiresMultiplexedConnectionsOnlyWhileIdle() {
        var pool = pool()
        multiplex(10, capacity: 2, serving: [1], in: &pool)
        #expect(pool.nextExpiry == nil)
        #expect(pool.expire(now: after(.seconds(100))) == [])
        #expect(pool.released(10, now: after(.seconds(100))) == .keepIdle)
        #expect(pool.nextExpiry == after(.seconds(160)))
        #expect(pool.expire(now: after(.seconds(160) - .nanoseconds(1))) == [])
        #expect(pool.expire(now: after(.seconds(160))) == [10])
        #expect(!pool.isMultiplexed(10))
        #expect(!pool.hasFreeSlot)
        #expect(pool.isUnused)
        #expect(pool.acquire(2, now: after(.seconds(160))) == .wait(closing: []))
        #expect(pool.wantsConnection)
    }

    @Test func evictsOnlyIdleMultiplexedConnections() {
        var pool = pool()
        multiplex(10, capacity: 100, serving: [1], in: &pool)
        #expect(pool.evictOldestIdle() == nil)
        keepIdle(11, capacity: 2, in: &pool)
        keepIdle(12, capacity: 2, in: &pool, at: after(.seconds(1)))
        #expect(pool.evictOldestIdle() == 11)
        #expect(!pool.isMultiplexed(11))
        #expect(pool.oldestIdle == after(.seconds(1)))
        #expect(pool.evictOldestIdle() == 12)
        #expect(pool.evictOldestIdle() == nil)
        #expect(pool.connectionCount == 1)
        #expect(pool.acquire(2, now: start) == .lease(10, closing: []))
    }

    // MARK: Closing

    @Test func finishesTheRequestsOfAClosedPool() {
        var pool = pool(limit: 4)
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        keepIdle(11, capacity: 2, in: &pool)
        _ = pool.acquire(3, requiresNewConnection: true, now: start)
        pool.beginConnecting(12, now: start)
        let closing = pool.close()
        #expect(closing.idle == [11])
        #expect(closing.waiters == [3])
        #expect(!pool.isMultiplexed(11))
        #expect(pool.connected(12, capacity: 2, isMultiplexed: true, now: start) == .close)
        #expect(!pool.isMultiplexed(12))
        #expect(!pool.wantsConnection)
        #expect(pool.missingConnections(for: 1) == 0)
        #expect(pool.serveAnother(on: 10, now: start) == nil)
        #expect(pool.released(10, now: start) == stays)
        #expect(pool.idleCount == 0)
        #expect(pool.released(10, now: start) == .close)
        #expect(!pool.isMultiplexed(10))
        #expect(!pool.hasFreeSlot)
        #expect(pool.isUnused)
    }

    @Test(arguments: [false, true]) func closesAfterTheLastRequestOfAClosedPool(isRetired: Bool) {
        var pool = pool()
        multiplex(10, capacity: 3, serving: [1], in: &pool)
        _ = pool.close()
        let isUnusable = isRetired ? pool.retire(10) : pool.capacityChanged(10, to: 0)
        #expect(!isUnusable)
        #expect(pool.released(10, now: start) == .close)
        #expect(pool.isUnused)
    }

    // MARK: Preparation

    @Test func preparesOneConnectionWhileTheProtocolIsUnknown() {
        var pool = pool(limit: 5)
        for (count, missing) in [(Int.min, 0), (0, 0), (1, 1), (3, 1), (Int.max, 1)] {
            #expect(pool.missingConnections(for: count) == missing)
        }
        #expect(!pool.hasFreeSlot)
        pool.beginPreparing(10, now: start)
        #expect(pool.missingConnections(for: 3) == 0)
        // HTTP/1.1: an idle connection has no slots for several requests.
        #expect(pool.connected(10, now: start) == .keepIdle)
        #expect(!pool.hasFreeSlot)
        #expect(pool.missingConnections(for: 3) == 2)
    }

    @Test func oneMultiplexedConnectionIsEnough() {
        var pool = pool(limit: 2)
        keepIdle(10, capacity: 2, in: &pool)
        #expect(pool.hasFreeSlot)
        #expect(pool.missingConnections(for: 3) == 0)
        #expect(pool.acquire(1, now: start) == .lease(10, closing: []))
        #expect(pool.hasFreeSlot)
        #expect(pool.missingConnections(for: 3) == 0)
        // It is full.
        #expect(pool.acquire(2, now: start) == .lease(10, closing: []))
        #expect(!pool.hasFreeSlot)
        #expect(pool.missingConnections(for: 3) == 1)
        pool.beginPreparing(11, now: start)
        #expect(pool.missingConnections(for: 3) == 0)
        #expect(pool.connectFailed(11) == [])
        #expect(pool.missingConnections(for: 3) == 1)
        #expect(pool.released(10, now: start) == stays)
        #expect(pool.missingConnections(for: 3) == 0)
    }

    @Test func preparesNoneAboveTheLimit() {
        var pool = pool(limit: 1)
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        #expect(pool.missingConnections(for: 1) == 0)
    }

    @Test func servesWaitersWithAPreparedConnection() {
        var pool = pool()
        pool.beginPreparing(10, now: start)
        for waiter in 1...3 { #expect(pool.acquire(waiter, now: start) == .wait(closing: [])) }
        #expect(!pool.wantsConnection)
        #expect(pool.connected(10, capacity: 2, isMultiplexed: true, now: start) == .lease(1))
        #expect(fill(10, in: &pool) == [2])
        #expect(pool.wantsConnection)
    }

    // MARK: Failed attempts

    @Test func failsAllWaitersOfTheOnlyAttempt() {
        var pool = pool()
        for waiter in 1...3 { _ = pool.acquire(waiter, now: start) }
        pool.beginConnecting(10, now: start)
        for waiter in 4...5 { _ = pool.acquire(waiter, now: start) }
        #expect(!pool.wantsConnection)
        #expect(pool.connectFailed(10) == [1, 2, 3])
        // The protocol is still unknown: one attempt for those that came later.
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        #expect(!pool.wantsConnection)
        #expect(pool.connectFailed(11) == [4, 5])
        #expect(pool.isUnused)
    }

    @Test func failsOneWaiterBesideAMultiplexedConnectionInUse() {
        var pool = pool()
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        for waiter in 3...5 { _ = pool.acquire(waiter, now: start) }
        pool.beginConnecting(11, now: start)
        #expect(pool.connectFailed(11) == [3])
        #expect(pool.released(10, now: start) == .lease(4))
        #expect(pool.released(10, now: start) == .lease(5))
    }

    @Test func failsNoWaiterWithAnAttemptToPrepare() {
        var pool = pool()
        pool.beginPreparing(10, now: start)
        for waiter in 1...3 { _ = pool.acquire(waiter, now: start) }
        #expect(pool.connectFailed(10) == [])
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        #expect(!pool.wantsConnection)
        #expect(pool.connected(11, capacity: 3, isMultiplexed: true, now: start) == .lease(1))
        #expect(fill(11, in: &pool) == [2, 3])
    }
}

internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite struct PoolStateMachineTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private func pool(
        limit: Int = 2,
        idleTimeout: Duration = .seconds(60),
        maximumAge: Duration? = nil,
        usesPerConnection: Int? = nil
    ) -> PoolStateMachine {
        PoolStateMachine(
            limit: limit,
            idleTimeout: idleTimeout,
            maximumAge: maximumAge,
            usesPerConnection: usesPerConnection
        )
    }

    private func after(_ duration: Duration) -> MonotonicInstant { start.advanced(by: duration) }

    /// Adds idle connections with these numbers, as if each had served a request.
    private func keepIdle(_ ids: [Int], in pool: inout PoolStateMachine, at now: MonotonicInstant? = nil) {
        for id in ids {
            pool.beginConnecting(id, now: now ?? start)
            #expect(pool.connected(id, now: now ?? start) == .keepIdle)
        }
    }

    // MARK: Queue

    @Test func connectsForTheFirstWaiter() {
        var pool = pool()
        #expect(pool.isUnused)
        #expect(pool.acquire(1, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(10, now: start)
        #expect(!pool.wantsConnection)
        #expect(pool.connected(10, now: start) == .lease(1))
        #expect(pool.released(10, now: start) == .keepIdle)
        #expect(pool.idleCount == 1)
        #expect(pool.acquire(2, now: start) == .lease(10, closing: []))
        #expect(pool.idleCount == 0)
    }

    @Test func servesWaitersInOrder() {
        var pool = pool(limit: 1)
        for waiter in 1...4 { _ = pool.acquire(waiter, now: start) }
        pool.beginConnecting(10, now: start)
        #expect(pool.connected(10, now: start) == .lease(1))
        #expect(pool.acquire(5, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
        for waiter in 2...5 { #expect(pool.released(10, now: start) == .lease(waiter)) }
        #expect(pool.released(10, now: start) == .keepIdle)
    }

    @Test func opensAConnectionForEachWaiterUpToTheLimit() {
        var pool = pool(limit: 2)
        #expect(pool.acquire(1, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(10, now: start)
        #expect(pool.acquire(2, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        #expect(pool.acquire(3, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
        #expect(pool.connectionCount == 2)
        pool.remove(10)
        #expect(pool.wantsConnection)
    }

    @Test(arguments: [-1, 0, 1]) func hasALimitOfAtLeastOne(limit: Int) {
        var pool = pool(limit: limit)
        #expect(pool.acquire(1, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(10, now: start)
        #expect(pool.acquire(2, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
    }

    @Test func countsADrainingConnectionForOrdinaryWaiters() {
        var pool = pool(limit: 3)
        #expect(pool.acquire(1, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(10, now: start)
        #expect(pool.connected(10, now: start) == .lease(1))
        pool.drain(10)
        #expect(pool.acquire(2, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
        #expect(pool.acquire(3, requiresNewConnection: true, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        #expect(!pool.wantsConnection)
        // A connection that has just been used is as good as a new one.
        #expect(pool.released(10, now: start) == .lease(3))
        #expect(!pool.wantsConnection)
        #expect(pool.connected(11, now: start) == .lease(2))
    }

    @Test func reusesTheMostRecentConnection() {
        var pool = pool(limit: 3)
        keepIdle([10, 11, 12], in: &pool)
        #expect(pool.acquire(1, now: start) == .lease(12, closing: []))
        #expect(pool.acquire(2, now: start) == .lease(11, closing: []))
        #expect(pool.released(12, now: start) == .keepIdle)
        #expect(pool.acquire(3, now: start) == .lease(12, closing: []))
    }

    @Test func removesWithdrawnWaiters() {
        var pool = pool(limit: 1)
        _ = pool.acquire(1, now: start)
        _ = pool.acquire(2, now: start)
        pool.beginConnecting(10, now: start)
        #expect(pool.withdraw(1) == true)
        #expect(pool.withdraw(1) == false)
        #expect(pool.connected(10, now: start) == .lease(2))
        #expect(pool.withdraw(2) == false)
        #expect(pool.withdraw(9) == false)
    }

    @Test func keepsAConnectionWithoutWaitersIdle() {
        var pool = pool()
        _ = pool.acquire(1, now: start)
        pool.beginConnecting(10, now: start)
        #expect(pool.withdraw(1) == true)
        #expect(pool.connected(10, now: start) == .keepIdle)
    }

    // MARK: New connections

    @Test func servesWaitersForANewConnectionFirst() {
        var pool = pool(limit: 1)
        _ = pool.acquire(1, now: start)
        pool.beginConnecting(10, now: start)
        _ = pool.connected(10, now: start)
        _ = pool.acquire(2, now: start)
        pool.remove(10)
        #expect(pool.acquire(1, requiresNewConnection: true, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        #expect(pool.connected(11, now: start) == .lease(1))
        #expect(pool.released(11, now: start) == .lease(2))
    }

    @Test func doesNotReuseIfANewConnectionIsRequired() {
        var pool = pool(limit: 3)
        keepIdle([10, 11], in: &pool)
        #expect(pool.acquire(1, requiresNewConnection: true, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        #expect(pool.idleCount == 2)
    }

    @Test func closesTheOldestIdleConnectionForANewOne() {
        var pool = pool(limit: 2)
        keepIdle([10, 11], in: &pool)
        #expect(pool.acquire(1, requiresNewConnection: true, now: start) == .wait(closing: [10]))
        #expect(pool.wantsConnection)
        #expect(pool.connectionCount == 1)
    }

    @Test func leasesIdleConnectionsToOrdinaryWaiters() {
        var pool = pool(limit: 2)
        keepIdle([10, 11], in: &pool)
        _ = pool.acquire(1, requiresNewConnection: true, now: start)
        pool.beginConnecting(12, now: start)
        #expect(pool.acquire(2, now: start) == .lease(11, closing: []))
        #expect(pool.acquire(3, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
        #expect(pool.connected(12, now: start) == .lease(1))
        #expect(pool.released(11, now: start) == .lease(3))
    }

    // MARK: Failed attempts

    @Test func failsTheWaitersOfTheOnlyAttempt() {
        var pool = pool(limit: 1)
        _ = pool.acquire(1, now: start)
        _ = pool.acquire(2, now: start)
        pool.beginConnecting(10, now: start)
        _ = pool.acquire(3, now: start)
        #expect(pool.connectFailed(10) == [1, 2])
        #expect(pool.waiterCount == 1)
        #expect(pool.wantsConnection)
        #expect(pool.connectionCount == 0)
    }

    @Test func failsOnlyTheFirstWaiterBesideALeasedConnection() {
        var pool = pool(limit: 2)
        _ = pool.acquire(1, now: start)
        pool.beginConnecting(10, now: start)
        _ = pool.connected(10, now: start)
        for waiter in 2...4 { _ = pool.acquire(waiter, now: start) }
        pool.beginConnecting(11, now: start)
        #expect(pool.connectFailed(11) == [2])
        #expect(pool.released(10, now: start) == .lease(3))
    }

    @Test func failsOnlyOneWaiterDuringAnEarlierAttempt() {
        var pool = pool(limit: 2)
        _ = pool.acquire(1, now: start)
        pool.beginConnecting(10, now: start)
        _ = pool.acquire(2, now: start)
        pool.beginConnecting(11, now: start)
        #expect(pool.connectFailed(11) == [1])
        #expect(pool.connected(10, now: start) == .lease(2))
    }

    /// Two rounds of attempts fail all waiters, however many there are.
    @Test(arguments: [false, true]) func failsAllWaitersInTwoRoundsOfAttempts(inReverse: Bool) {
        var pool = pool(limit: 8)
        var attempts: [Int] = []
        var nextID = 10
        func connect() {
            while pool.wantsConnection {
                pool.beginConnecting(nextID, now: start)
                attempts.append(nextID)
                nextID += 1
            }
        }
        for waiter in 1...100 {
            _ = pool.acquire(waiter, now: start)
            connect()
        }
        var failed: [Int] = []
        while !attempts.isEmpty {
            let id = inReverse ? attempts.removeLast() : attempts.removeFirst()
            failed += pool.connectFailed(id)
            connect()
        }
        #expect(failed.sorted() == Array(1...100))
        #expect(nextID <= 10 + (inReverse ? 108 : 24))
        #expect(pool.isUnused)
    }

    @Test func ignoresUnknownConnections() {
        var pool = pool()
        _ = pool.acquire(1, now: start)
        #expect(pool.connectFailed(99) == [])
        #expect(pool.connected(99, now: start) == .close)
        pool.remove(99)
        #expect(pool.wantsConnection)
        #expect(pool.waiterCount == 1)
    }

    // MARK: Prepared connections

    @Test func countsTheConnectionsToPrepare() {
        var pool = pool(limit: 3)
        for (count, missing) in [(Int.min, 0), (0, 0), (2, 2), (3, 3), (4, 3), (Int.max, 3)] {
            #expect(pool.missingConnections(for: count) == missing)
        }
        pool.beginPreparing(10, now: start)
        #expect(pool.missingConnections(for: 1) == 0)
        #expect(pool.missingConnections(for: 2) == 1)
        #expect(pool.connected(10, now: start) == .keepIdle)
        #expect(pool.missingConnections(for: 1) == 0)
        #expect(pool.missingConnections(for: .max) == 2)
        // A connection that is used is not ready.
        #expect(pool.acquire(1, now: start) == .lease(10, closing: []))
        #expect(pool.missingConnections(for: 1) == 1)
        #expect(pool.missingConnections(for: 3) == 2)
        _ = pool.close()
        #expect(pool.missingConnections(for: 3) == 0)
    }

    @Test func servesAWaiterWithAPreparedConnection() {
        var pool = pool()
        pool.beginPreparing(10, now: start)
        #expect(pool.acquire(1, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
        #expect(pool.acquire(2, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        #expect(pool.connected(10, now: start) == .lease(1))
        #expect(pool.released(10, now: start) == .lease(2))
    }

    @Test func failsNoWaiterWithAnAttemptToPrepare() {
        var pool = pool(limit: 3)
        pool.beginPreparing(10, now: start)
        _ = pool.acquire(1, now: start)
        #expect(!pool.wantsConnection)
        #expect(pool.connectFailed(10) == [])
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        // It began after the waiter had come, and for none.
        pool.beginPreparing(12, now: start)
        #expect(pool.connectFailed(12) == [])
        #expect(pool.connectFailed(11) == [1])
        #expect(pool.isUnused)
    }

    @Test func countsAnEarlierAttemptToPrepareForTheWaiters() {
        var pool = pool(limit: 2)
        pool.beginPreparing(10, now: start)
        _ = pool.acquire(1, now: start)
        _ = pool.acquire(2, now: start)
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        #expect(pool.connectFailed(11) == [1])
        #expect(pool.connected(10, now: start) == .lease(2))
    }

    // MARK: Uses

    @Test func closesAConnectionAfterItsLastUse() {
        var pool = pool(limit: 1, usesPerConnection: 2)
        keepIdle([10], in: &pool)
        _ = pool.acquire(1, now: start)
        #expect(pool.released(10, uses: 1, now: start) == .keepIdle)
        _ = pool.acquire(2, now: start)
        _ = pool.acquire(3, now: start)
        #expect(pool.released(10, uses: 2, now: start) == .close)
        #expect(pool.connectionCount == 0)
        #expect(pool.wantsConnection)
    }

    @Test(arguments: [-1, 0, 1]) func allowsAtLeastOneUse(usesPerConnection: Int) {
        var pool = pool(limit: 1, usesPerConnection: usesPerConnection)
        keepIdle([10], in: &pool)
        #expect(pool.acquire(1, now: start) == .lease(10, closing: []))
        #expect(pool.released(10, uses: 0, now: start) == .keepIdle)
        #expect(pool.acquire(2, now: start) == .lease(10, closing: []))
        #expect(pool.released(10, uses: 1, now: start) == .close)
        #expect(pool.isUnused)
    }

    /// The next request must not wait for the end of a response if the connection is closed then.
    @Test func doesNotWaitForAConnectionAfterItsLastUse() {
        var pool = pool(limit: 2, usesPerConnection: 1)
        keepIdle([10], in: &pool)
        _ = pool.acquire(1, now: start)
        pool.drain(10, uses: 1)
        #expect(pool.acquire(2, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        #expect(pool.released(10, uses: 1, now: start) == .close)
    }

    // MARK: Maximum age

    @Test func reusesAConnectionJustBelowTheMaximumAge() {
        var pool = pool(maximumAge: .seconds(10))
        keepIdle([10], in: &pool)
        #expect(pool.acquire(1, now: after(.seconds(10) - .nanoseconds(1))) == .lease(10, closing: []))
        #expect(pool.released(10, now: after(.seconds(10) - .nanoseconds(1))) == .keepIdle)
    }

    @Test func closesTooOldConnectionsWhenAcquiring() {
        var pool = pool(limit: 3, maximumAge: .seconds(10))
        keepIdle([10, 11], in: &pool)
        keepIdle([12], in: &pool, at: after(.seconds(5)))
        let now = after(.seconds(10))
        #expect(pool.acquire(1, now: now) == .lease(12, closing: []))
        #expect(pool.acquire(2, now: now) == .wait(closing: [11, 10]))
        #expect(pool.wantsConnection)
        #expect(pool.connectionCount == 1)
    }

    @Test func closesTooOldConnectionsOnRelease() {
        var pool = pool(maximumAge: .seconds(10))
        _ = pool.acquire(1, now: start)
        pool.beginConnecting(10, now: start)
        _ = pool.connected(10, now: start)
        _ = pool.acquire(2, now: start)
        #expect(pool.released(10, now: after(.seconds(10))) == .close)
        #expect(pool.connectionCount == 0)
        #expect(pool.waiterCount == 1)
        #expect(pool.wantsConnection)
    }

    // MARK: Idle connections

    @Test func expiresConnectionsAfterTheIdleTimeout() {
        var pool = pool(limit: 3, idleTimeout: .seconds(60))
        #expect(pool.nextExpiry == nil)
        keepIdle([10], in: &pool)
        keepIdle([11], in: &pool, at: after(.seconds(1)))
        #expect(pool.nextExpiry == after(.seconds(60)))
        #expect(pool.expire(now: after(.seconds(60) - .nanoseconds(1))) == [])
        #expect(pool.expire(now: after(.seconds(60))) == [10])
        #expect(pool.nextExpiry == after(.seconds(61)))
        #expect(pool.expire(now: after(.seconds(61))) == [11])
        #expect(pool.isUnused)
        #expect(pool.nextExpiry == nil)
    }

    @Test func expiresIdleConnectionsAtTheMaximumAge() {
        var pool = pool(idleTimeout: .seconds(60), maximumAge: .seconds(10))
        keepIdle([10], in: &pool)
        #expect(pool.nextExpiry == after(.seconds(10)))
        #expect(pool.expire(now: after(.seconds(10) - .nanoseconds(1))) == [])
        #expect(pool.expire(now: after(.seconds(10))) == [10])
    }

    @Test func restartsTheIdleTimeoutAfterEachUse() {
        var pool = pool(idleTimeout: .seconds(60))
        keepIdle([10], in: &pool)
        #expect(pool.acquire(1, now: after(.seconds(59))) == .lease(10, closing: []))
        #expect(pool.nextExpiry == nil)
        #expect(pool.released(10, now: after(.seconds(59))) == .keepIdle)
        #expect(pool.expire(now: after(.seconds(118))) == [])
        #expect(pool.expire(now: after(.seconds(119))) == [10])
    }

    @Test func evictsTheConnectionIdleForTheLongestTime() {
        var pool = pool(limit: 3)
        #expect(pool.evictOldestIdle() == nil)
        #expect(pool.oldestIdle == nil)
        keepIdle([10], in: &pool)
        keepIdle([11], in: &pool, at: after(.seconds(1)))
        #expect(pool.oldestIdle == start)
        #expect(pool.evictOldestIdle() == 10)
        #expect(pool.oldestIdle == after(.seconds(1)))
        #expect(pool.connectionCount == 1)
    }

    // MARK: Closing

    @Test func removesLostConnections() {
        var pool = pool()
        keepIdle([10], in: &pool)
        pool.remove(10)
        #expect(pool.isUnused)
        #expect(pool.acquire(1, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        pool.remove(11)
        #expect(pool.connected(11, now: start) == .close)
        #expect(pool.wantsConnection)
        #expect(pool.released(11, now: start) == .close)
    }

    @Test func releasesEverythingOnClose() {
        var pool = pool(limit: 3)
        keepIdle([10], in: &pool)
        _ = pool.acquire(1, now: start)
        _ = pool.acquire(2, now: start)
        pool.beginConnecting(11, now: start)
        keepIdle([], in: &pool)
        let closing = pool.close()
        #expect(closing.idle == [])
        #expect(closing.waiters == [2])
        #expect(!pool.wantsConnection)
        #expect(pool.connected(11, now: start) == .close)
        #expect(pool.released(10, now: start) == .close)
        #expect(pool.isUnused)
    }

    @Test func closesIdleConnectionsOnClose() {
        var pool = pool(limit: 3)
        keepIdle([10, 11], in: &pool)
        #expect(pool.close().idle == [10, 11])
        #expect(pool.isUnused)
        #expect(pool.nextExpiry == nil)
    }
}

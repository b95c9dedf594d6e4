internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// Places on a shared connection for requests of other origins.
@Suite struct PoolBorrowingTests: PoolSharingSuite {
    @Test func takesPlacesUpToTheCapacity() {
        var pool = pool()
        share(1, capacity: 3, serving: [1], in: &pool)
        let taken = (0..<3).map { _ in pool.takePlace(on: 1, now: start) }
        #expect(taken == [true, true, false])
        var actions: [PoolStateMachine.ConnectionAction] = []
        for _ in 0..<3 { actions.append(pool.released(1, now: start)) }
        #expect(actions == [stays, stays, .keepIdle])
    }

    @Test func takesAnIdleConnection() {
        var pool = pool()
        share(1, capacity: 2, serving: [1], in: &pool)
        let end = pool.released(1, now: start)
        #expect(end == .keepIdle)
        let isTaken = pool.takePlace(on: 1, now: start)
        #expect(isTaken)
        #expect(pool.idleCount == 0)
        let release = pool.released(1, now: start)
        #expect(release == .keepIdle)
    }

    /// The requests of the pool's own origin come first.
    @Test func takesNoPlaceWhileRequestsWait() {
        var pool = pool(limit: 1)
        share(1, capacity: 3, serving: [1], in: &pool)
        _ = pool.acquire(2, requiresNewConnection: true, now: start)
        let isTaken = pool.takePlace(on: 1, now: start)
        #expect(!isTaken)
    }

    @Test func takesNoPlaceOnARetiredConnectionOrAClosedPool() {
        var pool = pool()
        share(1, capacity: 3, serving: [1], in: &pool)
        _ = pool.retire(1)
        let onRetired = pool.takePlace(on: 1, now: start)
        share(2, capacity: 3, serving: [2], in: &pool)
        _ = pool.close()
        let onClosed = pool.takePlace(on: 2, now: start)
        let onUnknown = pool.takePlace(on: 9, now: start)
        #expect(!onRetired && !onClosed && !onUnknown)
    }

    @Test func takesNoPlaceOnAnOldConnection() {
        var pool = pool(maximumAge: .seconds(10))
        share(1, capacity: 3, serving: [1], in: &pool)
        let isTaken = pool.takePlace(on: 1, now: after(.seconds(10)))
        #expect(!isTaken)
    }

    /// A connection with a limited number of uses counts those of other origins too.
    @Test func countsBorrowedUses() {
        var pool = pool(usesPerConnection: 2)
        share(1, capacity: 3, serving: [1], in: &pool)
        let taken = (0..<2).map { _ in pool.takePlace(on: 1, now: start) }
        #expect(taken == [true, false])
    }

    @Test func abandonsAnAttempt() {
        var pool = pool()
        _ = pool.acquire(1, now: start)
        pool.beginConnecting(1, now: start)
        pool.remove(1)
        #expect(pool.connectionCount == 0)
        #expect(pool.wantsConnection)
        let waiters = pool.withdrawAll()
        #expect(waiters == [1])
        #expect(pool.isUnused)
    }
}

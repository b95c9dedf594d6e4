internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// Slots on a multiplexed connection for requests of other origins.
@Suite struct PoolBorrowingTests: PoolMultiplexingSuite {
    @Test func takesSlotsUpToTheCapacity() {
        var pool = pool()
        multiplex(1, capacity: 3, serving: [1], in: &pool)
        let taken = (0..<3).map { _ in pool.takeSlot(on: 1, now: start) }
        #expect(taken == [true, true, false])
        var actions: [PoolStateMachine.ConnectionAction] = []
        for _ in 0..<3 { actions.append(pool.released(1, now: start)) }
        #expect(actions == [stays, stays, .keepIdle])
    }

    @Test func takesAnIdleConnection() {
        var pool = pool()
        multiplex(1, capacity: 2, serving: [1], in: &pool)
        let end = pool.released(1, now: start)
        #expect(end == .keepIdle)
        let isTaken = pool.takeSlot(on: 1, now: start)
        #expect(isTaken)
        #expect(pool.idleCount == 0)
        let release = pool.released(1, now: start)
        #expect(release == .keepIdle)
    }

    /// The requests of the pool's own origin come first.
    @Test func takesNoSlotWhileRequestsWait() {
        var pool = pool(limit: 1)
        multiplex(1, capacity: 3, serving: [1], in: &pool)
        _ = pool.acquire(2, requiresNewConnection: true, now: start)
        let isTaken = pool.takeSlot(on: 1, now: start)
        #expect(!isTaken)
    }

    @Test func takesNoSlotOnARetiredConnectionOrAClosedPool() {
        var pool = pool()
        multiplex(1, capacity: 3, serving: [1], in: &pool)
        _ = pool.retire(1)
        let onRetired = pool.takeSlot(on: 1, now: start)
        multiplex(2, capacity: 3, serving: [2], in: &pool)
        _ = pool.close()
        let onClosed = pool.takeSlot(on: 2, now: start)
        let onUnknown = pool.takeSlot(on: 9, now: start)
        #expect(!onRetired && !onClosed && !onUnknown)
    }

    @Test func takesNoSlotOnAnOldConnection() {
        var pool = pool(maximumAge: .seconds(10))
        multiplex(1, capacity: 3, serving: [1], in: &pool)
        let isTaken = pool.takeSlot(on: 1, now: after(.seconds(10)))
        #expect(!isTaken)
    }

    /// A connection with a limited number of uses counts those of other origins too.
    @Test func countsBorrowedUses() {
        var pool = pool(usesPerConnection: 2)
        multiplex(1, capacity: 3, serving: [1], in: &pool)
        let taken = (0..<2).map { _ in pool.takeSlot(on: 1, now: start) }
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

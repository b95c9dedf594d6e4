internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// Connections that serve several requests at a time.
@Suite struct PoolMultiplexingTests: PoolMultiplexingSuite {
    /// Begins all attempts that are wanted, and returns their number.
    private func connect(from first: Int, in pool: inout PoolStateMachine) -> Int {
        var count = 0
        while pool.wantsConnection {
            pool.beginConnecting(first + count, now: start)
            count += 1
        }
        return count
    }

    // MARK: Attempts

    @Test func makesOneAttemptWhileTheProtocolIsUnknown() {
        var pool = pool(limit: 4)
        #expect(pool.acquire(1, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(10, now: start)
        for waiter in 2...6 { #expect(pool.acquire(waiter, now: start) == .wait(closing: [])) }
        #expect(!pool.wantsConnection)
        #expect(!pool.wantsConnection)
        #expect(!pool.takesConnection)
        // HTTP/1.1: the others need connections of their own.
        #expect(pool.connected(10, now: start) == .lease(1))
        #expect(!pool.isMultiplexed(10))
        #expect(pool.serveAnother(on: 10, now: start) == nil)
        #expect(connect(from: 11, in: &pool) == 3)
        for (id, waiter) in [(11, 2), (12, 3), (13, 4)] { #expect(pool.connected(id, now: start) == .lease(waiter)) }
        #expect(pool.released(10, now: start) == .lease(5))
    }

    @Test func servesAllWaitersWithOneConnection() {
        var pool = pool()
        for waiter in 1...4 { _ = pool.acquire(waiter, now: start) }
        #expect(connect(from: 10, in: &pool) == 1)
        #expect(pool.connected(10, capacity: 100, isMultiplexed: true, now: start) == .lease(1))
        #expect(fill(10, in: &pool) == [2, 3, 4])
        #expect(pool.waiterCount == 0)
        #expect(pool.hasFreeSlot)
        #expect(!pool.wantsConnection)
    }

    @Test func servesWaitersInOrderUpToTheCapacity() {
        var pool = pool()
        for waiter in 1...6 { _ = pool.acquire(waiter, now: start) }
        #expect(connect(from: 10, in: &pool) == 1)
        #expect(pool.connected(10, capacity: 4, isMultiplexed: true, now: start) == .lease(1))
        #expect(fill(10, in: &pool) == [2, 3, 4])
        #expect(!pool.hasFreeSlot)
        // One more connection is enough for the two that are left.
        #expect(connect(from: 11, in: &pool) == 1)
        #expect(pool.connected(11, capacity: 4, isMultiplexed: true, now: start) == .lease(5))
        #expect(fill(11, in: &pool) == [6])
        #expect(pool.hasFreeSlot)
    }

    @Test func servesWaitersByPriority() {
        var pool = pool(limit: 1)
        let priorities: [RequestPriority] = [.normal, .low, .high, .normal, .high]
        for (index, priority) in priorities.enumerated() { _ = pool.acquire(index + 1, priority: priority, now: start) }
        pool.beginConnecting(10, now: start)
        #expect(pool.connected(10, capacity: 4, isMultiplexed: true, now: start) == .lease(3))
        #expect(fill(10, in: &pool) == [5, 1, 4])
        #expect(pool.released(10, now: start) == .lease(2))
    }

    @Test func makesAsManyAttemptsAsABurstNeeds() {
        let cases = [
            (waiters: 1, capacity: 3, limit: 5, attempts: 1),
            (waiters: 3, capacity: 3, limit: 5, attempts: 1),
            (waiters: 4, capacity: 3, limit: 5, attempts: 2),
            (waiters: 6, capacity: 3, limit: 5, attempts: 2),
            (waiters: 7, capacity: 3, limit: 5, attempts: 3),
            (waiters: 7, capacity: 3, limit: 2, attempts: 2),
            (waiters: 4, capacity: 1, limit: 5, attempts: 4),
            (waiters: 4, capacity: Int.max, limit: 5, attempts: 1),
        ]
        for (waiters, capacity, limit, attempts) in cases {
            var pool = pool(limit: limit, expectedCapacity: capacity)
            for waiter in 1...waiters { _ = pool.acquire(waiter, now: start) }
            let count = connect(from: 10, in: &pool)
            #expect(count == attempts, "\(waiters) waiters, \(capacity) on each of \(limit)")
        }
    }

    @Test(arguments: [(8, 3), (3, 3), (2, 2), (1, 1)])
    func connectsForABurstAboveTheCapacity(limit: Int, expected: Int) {
        var pool = pool(limit: limit)
        for waiter in 1...250 { _ = pool.acquire(waiter, now: start) }
        #expect(connect(from: 10, in: &pool) == 1)
        #expect(pool.connected(10, capacity: 100, isMultiplexed: true, now: start) == .lease(1))
        #expect(fill(10, in: &pool) == Array(2...100))
        #expect(connect(from: 11, in: &pool) == expected - 1)
        #expect(pool.connectionCount == expected)
    }

    @Test func countsAttemptsOfAHugeCapacityWithoutOverflow() {
        var pool = pool(limit: 5, expectedCapacity: .max)
        for waiter in 1...4 { _ = pool.acquire(waiter, now: start) }
        for id in 10...12 { pool.beginPreparing(id, now: start) }
        #expect(!pool.wantsConnection)
        #expect(!pool.takesConnection)
    }

    @Test func expectsTheCapacityOfTheLastConnection() {
        var pool = pool(limit: 6)
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        for waiter in 3...6 { _ = pool.acquire(waiter, now: start) }
        #expect(connect(from: 11, in: &pool) == 2)
        // Another server behind the same name.
        #expect(pool.connected(11, now: start) == .lease(3))
        #expect(pool.wantsConnection)
        #expect(connect(from: 13, in: &pool) == 2)
        #expect(pool.connected(12, capacity: 2, isMultiplexed: true, now: start) == .lease(4))
        #expect(fill(12, in: &pool) == [5])
        #expect(pool.connected(13, capacity: 2, isMultiplexed: true, now: start) == .lease(6))
        #expect(pool.connected(14, capacity: 2, isMultiplexed: true, now: start) == .keepIdle)
    }

    @Test func serveAnotherNeedsAMultiplexedConnectionInUse() {
        var pool = pool(limit: 2, expectedCapacity: 1)
        _ = pool.acquire(1, now: start)
        pool.beginConnecting(10, now: start)
        #expect(pool.connected(10, now: start) == .lease(1))
        _ = pool.acquire(2, now: start)
        pool.beginConnecting(11, now: start)
        for id in [10, 11, 99] { #expect(pool.serveAnother(on: id, now: start) == nil) }
        #expect(pool.capacityChanged(10, to: 5) == false)
        #expect(pool.retire(10) == false)
        #expect(pool.capacityChanged(99, to: 0) == false)
        #expect(pool.retire(99) == false)
        #expect(pool.serveAnother(on: 10, now: start) == nil)
        #expect(pool.released(10, now: start) == .lease(2))
    }

    // MARK: Slots

    @Test func takesSlotsOnAConnectionInUse() {
        var pool = pool()
        multiplex(10, capacity: 3, serving: [1], in: &pool)
        #expect(pool.acquire(2, now: start) == .lease(10, closing: []))
        #expect(pool.acquire(3, now: start) == .lease(10, closing: []))
        #expect(!pool.hasFreeSlot)
        #expect(pool.acquire(4, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
    }

    @Test func becomesIdleAfterItsLastRequest() {
        var pool = pool(limit: 1)
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        #expect(pool.acquire(3, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
        #expect(pool.released(10, now: start) == .lease(3))
        #expect(pool.released(10, now: start) == stays)
        #expect(pool.hasFreeSlot)
        #expect(pool.idleCount == 0)
        #expect(pool.evictOldestIdle() == nil)
        #expect(pool.released(10, now: after(.seconds(1))) == .keepIdle)
        #expect(pool.hasFreeSlot)
        #expect(pool.idleCount == 1)
        #expect(pool.oldestIdle == after(.seconds(1)))
    }

    @Test func reusesAnIdleConnectionForSeveralRequests() {
        var pool = pool(limit: 1)
        keepIdle(10, capacity: 2, in: &pool)
        for round in 0..<3 {
            #expect(pool.acquire(2 * round + 1, now: start) == .lease(10, closing: []))
            #expect(pool.idleCount == 0)
            #expect(pool.acquire(2 * round + 2, now: start) == .lease(10, closing: []))
            #expect(pool.acquire(100 + round, now: start) == .wait(closing: []))
            #expect(!pool.wantsConnection)
            #expect(pool.withdraw(100 + round) == true)
            #expect(pool.released(10, now: start) == stays)
            #expect(pool.released(10, now: start) == .keepIdle)
            #expect(pool.idleCount == 1)
        }
    }

    @Test func prefersAConnectionInUseToAnIdleOne() {
        var pool = pool()
        multiplex(10, capacity: 2, serving: [1], in: &pool)
        keepIdle(11, capacity: 2, in: &pool)
        #expect(pool.acquire(2, now: start) == .lease(10, closing: []))
        #expect(pool.acquire(3, now: start) == .lease(11, closing: []))
        #expect(pool.acquire(4, now: start) == .lease(11, closing: []))
        #expect(pool.acquire(5, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
    }

    @Test func prefersTheConnectionThatGotAFreeSlotLast() {
        var pool = pool()
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        multiplex(11, capacity: 2, serving: [3, 4], in: &pool)
        #expect(pool.released(11, now: start) == stays)
        #expect(pool.released(10, now: start) == stays)
        for (waiter, id) in [(5, 10), (6, 11)] { #expect(pool.acquire(waiter, now: start) == .lease(id, closing: [])) }
    }

    @Test func removesALostConnectionWithItsSlots() {
        var pool = pool()
        multiplex(10, capacity: 3, serving: [1, 2], in: &pool)
        pool.remove(10)
        #expect(!pool.isMultiplexed(10))
        #expect(!pool.hasFreeSlot)
        #expect(pool.isUnused)
        #expect(pool.serveAnother(on: 10, now: start) == nil)
        #expect(pool.capacityChanged(10, to: 5) == false)
        #expect(pool.released(10, now: start) == .close)
        #expect(pool.acquire(3, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
    }

    // MARK: New connections

    @Test func makesANewConnectionBesideOneWithAFreeSlot() {
        var pool = pool()
        multiplex(10, capacity: 5, serving: [1], in: &pool)
        #expect(pool.acquire(2, requiresNewConnection: true, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
        pool.beginConnecting(11, now: start)
        // A request behind it may take a slot.
        #expect(pool.acquire(3, now: start) == .lease(10, closing: []))
        #expect(pool.connected(11, capacity: 5, isMultiplexed: true, now: start) == .lease(2))
        #expect(pool.serveAnother(on: 11, now: start) == nil)
    }

    /// A connection that has just been used is as good as a new one.
    @Test func servesAWaiterForANewConnectionWithAFreedSlot() {
        var pool = pool()
        multiplex(10, capacity: 5, serving: [1, 2], in: &pool)
        _ = pool.acquire(3, requiresNewConnection: true, now: start)
        #expect(pool.released(10, now: start) == .lease(3))
        #expect(!pool.wantsConnection)
        #expect(pool.acquire(4, now: start) == .lease(10, closing: []))
    }

    @Test func closesAnIdleMultiplexedConnectionForANewOne() {
        var pool = pool(limit: 1)
        keepIdle(10, capacity: 3, in: &pool)
        #expect(pool.acquire(1, requiresNewConnection: true, now: start) == .wait(closing: [10]))
        #expect(pool.wantsConnection)
        #expect(!pool.isMultiplexed(10))
        #expect(!pool.hasFreeSlot)
    }

    @Test func leasesAnIdleMultiplexedConnectionBehindAWaiterForANewOne() {
        var pool = pool(limit: 2)
        keepIdle(10, capacity: 2, in: &pool)
        _ = pool.acquire(1, requiresNewConnection: true, now: start)
        for waiter in 2...3 { #expect(pool.acquire(waiter, now: start) == .lease(10, closing: [])) }
        #expect(pool.acquire(4, now: start) == .wait(closing: []))
        #expect(pool.wantsConnection)
    }

    @Test func resendsTheRequestsOfALostConnectionWithOneAttempt() {
        var pool = pool(limit: 2)
        multiplex(10, capacity: 4, serving: [1, 2, 3], in: &pool)
        pool.remove(10)
        for waiter in 1...3 { _ = pool.acquire(waiter, requiresNewConnection: true, now: start) }
        #expect(connect(from: 11, in: &pool) == 1)
        var served: [Int] = []
        if case .lease(let waiter) = pool.connected(11, capacity: 4, isMultiplexed: true, now: start) {
            served.append(waiter)
        }
        served += fill(11, in: &pool)
        #expect(served.sorted() == [1, 2, 3])
        #expect(pool.acquire(4, now: start) == .lease(11, closing: []))
    }

    // MARK: Capacity

    @Test func servesNoMoreAfterTheCapacityShrinksBelowTheUse() {
        var pool = pool(limit: 1)
        multiplex(10, capacity: 4, serving: [1, 2, 3, 4], in: &pool)
        #expect(pool.capacityChanged(10, to: 2) == false)
        _ = pool.acquire(5, now: start)
        _ = pool.acquire(6, now: start)
        #expect(pool.serveAnother(on: 10, now: start) == nil)
        // Three requests, then two, are not below the capacity.
        for _ in 0..<2 { #expect(pool.released(10, now: start) == stays) }
        for waiter in [5, 6] { #expect(pool.released(10, now: start) == .lease(waiter)) }
        #expect(pool.released(10, now: start) == stays)
        #expect(pool.hasFreeSlot)
        #expect(pool.released(10, now: start) == .keepIdle)
    }

    @Test func servesMoreAfterTheCapacityGrows() {
        var pool = pool(limit: 1)
        multiplex(10, capacity: 2, serving: [1, 2], in: &pool)
        for waiter in 3...5 { _ = pool.acquire(waiter, now: start) }
        #expect(pool.capacityChanged(10, to: 4) == false)
        #expect(fill(10, in: &pool) == [3, 4])
        #expect(pool.capacityChanged(10, to: 6) == false)
        #expect(fill(10, in: &pool) == [5])
        #expect(pool.acquire(6, now: start) == .lease(10, closing: []))
        #expect(pool.acquire(7, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
    }

    @Test func makesMoreAttemptsAfterTheCapacityShrinks() {
        var pool = pool(limit: 6)
        multiplex(10, capacity: 4, serving: [1, 2, 3, 4], in: &pool)
        for waiter in 5...8 { _ = pool.acquire(waiter, now: start) }
        #expect(connect(from: 11, in: &pool) == 1)
        #expect(pool.capacityChanged(10, to: 2) == false)
        #expect(connect(from: 12, in: &pool) == 1)
    }

    @Test(arguments: [0, -1, Int.min]) func closesAConnectionWithoutCapacityAfterItsLastRequest(capacity: Int) {
        var pool = pool()
        multiplex(10, capacity: 3, serving: [1, 2], in: &pool)
        #expect(pool.capacityChanged(10, to: capacity) == false)
        #expect(!pool.hasFreeSlot)
        for waiter in 3...5 { _ = pool.acquire(waiter, now: start) }
        // The capacity of a new connection is expected to be as before.
        #expect(connect(from: 11, in: &pool) == 1)
        #expect(pool.released(10, now: start) == stays)
        #expect(pool.released(10, now: start) == .close)
        #expect(!pool.isMultiplexed(10))
        #expect(pool.connectionCount == 1)
        #expect(pool.connected(11, capacity: 3, isMultiplexed: true, now: start) == .lease(3))
    }

    @Test func keepsAConnectionThatRegainsItsCapacity() {
        var pool = pool(limit: 1)
        multiplex(10, capacity: 3, serving: [1, 2], in: &pool)
        #expect(pool.capacityChanged(10, to: 0) == false)
        _ = pool.acquire(3, now: start)
        #expect(pool.released(10, now: start) == stays)
        #expect(pool.capacityChanged(10, to: 2) == false)
        #expect(fill(10, in: &pool) == [3])
        #expect(!pool.hasFreeSlot)
    }

    @Test(arguments: [0, -1]) func closesAnIdleConnectionWithoutCapacity(capacity: Int) {
        var pool = pool()
        keepIdle(10, capacity: 3, in: &pool)
        #expect(pool.capacityChanged(10, to: capacity) == true)
        #expect(pool.isUnused)
        #expect(pool.idleCount == 0)
        #expect(pool.nextExpiry == nil)
        #expect(!pool.isMultiplexed(10))
        #expect(pool.capacityChanged(10, to: 3) == false)
    }

    @Test(arguments: [1, 5]) func keepsAnIdleConnectionWhoseCapacityChanges(capacity: Int) {
        var pool = pool(limit: 1)
        keepIdle(10, capacity: 3, in: &pool)
        #expect(pool.capacityChanged(10, to: capacity) == false)
        #expect(pool.idleCount == 1)
        for waiter in 1...capacity { #expect(pool.acquire(waiter, now: start) == .lease(10, closing: [])) }
        #expect(pool.acquire(99, now: start) == .wait(closing: []))
        #expect(!pool.wantsConnection)
    }
}

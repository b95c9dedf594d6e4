internal import ApusTestSupport
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestLimiterTests {
    private let notes = LockedList<String>()

    private func waiter(_ name: String, _ priority: RequestPriority = .normal) -> RequestLimiter.Waiter {
        RequestLimiter.Waiter(priority: priority) { [notes] in notes.append(name + ($0.map { ": \($0.code)" } ?? "")) }
    }

    private func enter(_ limiter: RequestLimiter, _ name: String, again: Bool = false) -> String {
        switch limiter.enter(again: again, { waiter(name) }) {
        case .admitted: "admitted"
        case .waiting: "waiting"
        case .refused(let error): "refused: \(error.code)"
        }
    }

    @Test func admitsUpToItsLimit() {
        let limiter = RequestLimiter(limit: 2)
        #expect(enter(limiter, "a") == "admitted")
        #expect(enter(limiter, "b") == "admitted")
        #expect(enter(limiter, "c") == "waiting")
        #expect(limiter.counts == (2, 1))
        limiter.leave()
        #expect(notes.all == ["c"])
        #expect(limiter.counts == (2, 0))
        limiter.leave()
        limiter.leave()
        #expect(limiter.counts == (0, 0))
    }

    /// A request that user code waits for is admitted above the limit, so its slot is not handed to a waiter.
    @Test func handsNoSlotOnWhileItIsAboveItsLimit() {
        let limiter = RequestLimiter(limit: 2)
        _ = enter(limiter, "a")
        _ = enter(limiter, "b")
        #expect(limiter.startingAwaited { enter(limiter, "inner") } == "admitted")
        #expect(enter(limiter, "c") == "waiting")
        #expect(limiter.counts == (3, 1))
        limiter.leave()
        #expect(notes.all.isEmpty)
        #expect(limiter.counts == (2, 1))
        limiter.leave()
        #expect(notes.all == ["c"])
        #expect(limiter.counts == (2, 0))
    }

    @Test(arguments: [-1, 0, 1]) func hasALimitOfAtLeastOne(limit: Int) {
        let limiter = RequestLimiter(limit: limit)
        #expect(enter(limiter, "a") == "admitted")
        #expect(enter(limiter, "b") == "waiting")
    }

    @Test func admitsInOrderOfArrival() {
        let limiter = RequestLimiter(limit: 1)
        _ = enter(limiter, "a")
        for name in ["b", "c", "d"] { _ = enter(limiter, name) }
        for _ in 0..<3 { limiter.leave() }
        #expect(notes.all == ["b", "c", "d"])
    }

    @Test func admitsByPriorityAndThenInOrderOfArrival() {
        let limiter = RequestLimiter(limit: 1)
        _ = enter(limiter, "a")
        let priorities: [(String, RequestPriority)] = [
            ("b", .normal), ("c", .low), ("d", .high), ("e", .normal), ("f", .high), ("g", .low),
        ]
        let waiters = priorities.map { waiter($0, $1) }
        for waiter in waiters { _ = limiter.enter { waiter } }
        #expect(limiter.withdraw(waiters[3]))
        for _ in 0..<5 { limiter.leave() }
        #expect(notes.all == ["d", "f", "b", "c", "g"])
    }

    @Test func createsAWaiterOnlyForARequestThatHasToWait() {
        let limiter = RequestLimiter(limit: 1)
        var created = 0
        for _ in 0..<3 {
            _ = limiter.enter {
                created += 1
                return waiter("x")
            }
        }
        #expect(created == 2)
    }

    @Test func withdrawsOnceOnly() {
        let limiter = RequestLimiter(limit: 1)
        _ = enter(limiter, "a")
        let first = waiter("b")
        let second = waiter("c")
        _ = limiter.enter { first }
        _ = limiter.enter { second }
        #expect(limiter.withdraw(first))
        #expect(!limiter.withdraw(first))
        limiter.leave()
        #expect(notes.all == ["c"])
        #expect(!limiter.withdraw(second))
    }

    @Test func rejectsLateRequestsAndKeepsQueuedOnes() {
        let limiter = RequestLimiter(limit: 1)
        _ = enter(limiter, "a")
        _ = enter(limiter, "b")
        limiter.close(with: CancelReason.sessionShutDown.error)
        limiter.close(with: CancelReason.sessionGone.error)
        #expect(enter(limiter, "c") == "refused: sessionShutDown")
        limiter.leave()
        #expect(notes.all == ["b"])
    }

    @Test func rejectsQueuedRequests() {
        let limiter = RequestLimiter(limit: 1)
        for name in ["a", "b", "c"] { _ = enter(limiter, name) }
        limiter.rejectQueued(with: CancelReason.sessionGone.error)
        #expect(notes.all == ["b: sessionGone", "c: sessionGone"])
        #expect(limiter.counts == (1, 0))
    }

    @Test func knowsWhetherItRejectsRequests() throws {
        let limiter = RequestLimiter(limit: 1)
        try limiter.checkOpen()
        limiter.close(with: CancelReason.sessionShutDown.error)
        #expect(throws: ApusError.self) { try limiter.checkOpen() }
    }

    @Test func notifiesWatchersWhenItIsIdle() async {
        let limiter = RequestLimiter(limit: 1)
        await limiter.waitUntilIdle()
        _ = enter(limiter, "a")
        let waiting = waiter("b")
        _ = limiter.enter { waiting }
        let notified = LockedList<Int>()
        let watchers = (0..<3).map { number in
            Task {
                await limiter.waitUntilIdle()
                notified.append(number)
            }
        }
        #expect(limiter.withdraw(waiting))
        #expect(notified.count == 0)
        limiter.leave()
        for watcher in watchers { await watcher.value }
        #expect(notified.count == 3)
    }

    @Test func losesNoneOfManyConcurrentRequests() async {
        let limiter = RequestLimiter(limit: 3)
        let admitted = LockedList<Int>()
        let abandoned = LockedList<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    let outcome = Deferred<Bool>()
                    let waiter = RequestLimiter.Waiter { _ in outcome.fulfill(true) }
                    switch limiter.enter({ waiter }) {
                    case .admitted: outcome.fulfill(true)
                    case .waiting: if number % 5 == 0, limiter.withdraw(waiter) { outcome.fulfill(false) }
                    case .refused: Issue.record("refused")
                    }
                    guard await outcome.value else { return abandoned.append(number) }
                    admitted.append(number)
                    await Task.yield()
                    limiter.leave()
                }
            }
        }
        #expect(admitted.count + abandoned.count == 1_000)
        #expect(limiter.counts == (0, 0))
        await limiter.waitUntilIdle()
    }

    @Test func withdrawsManyAtOnce() {
        let limiter = RequestLimiter(limit: 1)
        _ = enter(limiter, "a")
        let waiters = ["b", "c", "d", "e"].map { waiter($0) }
        for waiter in waiters { _ = limiter.enter { waiter } }
        let stranger = waiter("x")
        let withdrawn = limiter.withdraw([waiters[2], stranger, waiters[0]])
        #expect(withdrawn.map { ObjectIdentifier($0) } == [waiters[0], waiters[2]].map { ObjectIdentifier($0) })
        #expect(limiter.counts == (1, 2))
        #expect(limiter.withdraw(waiters).count == 2)
        #expect(notes.all.isEmpty)
    }

    @Test func waitsForRequestsThatRetryBeforeItIsIdle() async {
        let limiter = RequestLimiter(limit: 1)
        _ = enter(limiter, "a")
        let isOver = LockedList<Int>()
        let watcher = Task {
            await limiter.waitUntilIdle()
            isOver.append(1)
        }
        limiter.leave(isRetrying: true)
        #expect(limiter.counts == (0, 0))
        limiter.close(with: CancelReason.sessionShutDown.error)
        #expect(enter(limiter, "b") == "refused: sessionShutDown")
        #expect(enter(limiter, "a", again: true) == "admitted")
        limiter.endRetrying()
        #expect(isOver.count == 0)
        limiter.leave()
        await watcher.value
        limiter.rejectQueued(with: CancelReason.sessionShutDown.error)
        #expect(enter(limiter, "a", again: true) == "refused: sessionShutDown")
    }
}

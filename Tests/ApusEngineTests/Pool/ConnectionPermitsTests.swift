internal import ApusCore
internal import Testing

@testable internal import ApusEngine

@Suite struct ConnectionPermitsTests {
    private final class Log: Sendable {
        private let stored = Lock<[Int]>([])
        var numbers: [Int] { stored.withLock { $0 } }
        func append(_ number: Int) { stored.withLock { $0.append(number) } }
    }

    /// Counts the permits in use and their maximum.
    private final class Count: Sendable {
        private let stored = Lock((now: 0, most: 0, granted: 0))
        var now: Int { stored.withLock { $0.now } }
        var most: Int { stored.withLock { $0.most } }
        var granted: Int { stored.withLock { $0.granted } }

        func enter() {
            stored.withLock { count in
                count.now += 1
                count.granted += 1
                count.most = max(count.most, count.now)
            }
        }

        func leave() { stored.withLock { $0.now -= 1 } }
    }

    @Test func reportsAnOverdueCaller() {
        let permits = ConnectionPermits(limit: 1)
        let second = MonotonicInstant.start.advanced(by: .seconds(1))
        _ = permits.acquire(now: .start) {}
        #expect(!permits.isOverdue(now: second))
        _ = permits.acquire(now: .start) {}
        #expect(!permits.isOverdue(now: second.advanced(by: .nanoseconds(-1))))
        #expect(permits.isOverdue(now: second))
        permits.release()
        #expect(!permits.isOverdue(now: second))
    }

    @Test func grantsUpToTheLimit() {
        let permits = ConnectionPermits(limit: 2)
        let log = Log()
        #expect(permits.acquire(now: .start) { log.append(1) })
        #expect(permits.acquire(now: .start) { log.append(2) })
        #expect(!permits.acquire(now: .start) { log.append(3) })
        #expect(log.numbers == [])
        permits.release()
        #expect(log.numbers == [3])
    }

    @Test func grantsInTheOrderOfRequests() {
        let permits = ConnectionPermits(limit: 1)
        let log = Log()
        #expect(permits.acquire(now: .start) {})
        for number in 1...3 { #expect(!permits.acquire(now: .start) { log.append(number) }) }
        for _ in 0..<3 { permits.release() }
        #expect(log.numbers == [1, 2, 3])
        permits.release()
        #expect(permits.acquire(now: .start) {})
        #expect(!permits.acquire(now: .start) {})
    }

    @Test func doesNotOvertakeQueuedCallers() {
        let permits = ConnectionPermits(limit: 1)
        let log = Log()
        _ = permits.acquire(now: .start) {}
        _ = permits.acquire(now: .start) { log.append(1) }
        permits.release()
        #expect(!permits.acquire(now: .start) { log.append(2) })
        #expect(log.numbers == [1])
    }

    @Test(arguments: [-3, 0, 1]) func grantsAtLeastOne(limit: Int) {
        let permits = ConnectionPermits(limit: limit)
        #expect(permits.acquire(now: .start) {})
        #expect(!permits.acquire(now: .start) {})
    }

    @Test func canBeReleasedByTheGrantedHandler() {
        let permits = ConnectionPermits(limit: 1)
        let log = Log()
        _ = permits.acquire(now: .start) {}
        for number in 1...100 {
            _ = permits.acquire(now: .start) {
                log.append(number)
                permits.release()
            }
        }
        permits.release()
        #expect(log.numbers == Array(1...100))
        #expect(permits.acquire(now: .start) {})
    }

    @Test func grantsAFreePermitWithoutQueueing() {
        let permits = ConnectionPermits(limit: 1)
        let log = Log()
        #expect(permits.acquireIfFree())
        #expect(!permits.acquireIfFree())
        #expect(!permits.isWanted)
        #expect(!permits.acquire(now: .start) { log.append(1) })
        #expect(!permits.acquireIfFree())
        permits.release()
        #expect(log.numbers == [1])
        #expect(!permits.acquireIfFree())
        permits.release()
        #expect(permits.acquireIfFree())
    }

    @Test(.timeLimit(.minutes(5))) func neverExceedsTheLimit() async {
        let permits = ConnectionPermits(limit: 3)
        let count = Count()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        await withUnsafeContinuation { continuation in
                            let enter: @Sendable () -> Void = {
                                count.enter()
                                continuation.resume()
                            }
                            if permits.acquire(now: .start, granted: enter) { enter() }
                        }
                        count.leave()
                        permits.release()
                    }
                }
            }
        }
        #expect(count.granted == 1_600)
        #expect(count.most <= 3)
        #expect(count.now == 0)
    }
}

extension MonotonicInstant {
    fileprivate static let start = MonotonicInstant(nanoseconds: 0)
}

internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// As many connections in all as a session has that was told nothing.
@Suite struct ConnectionPermitsDefaultTests {
    private final class Count: Sendable {
        private let stored = Lock(0)
        var value: Int { stored.withLock { $0 } }
        func countUp() { stored.withLock { $0 += 1 } }
    }

    private let permits = ConnectionPermits(limit: SessionConfiguration().pool.connectionsTotal)

    private func take(_ granted: @escaping @Sendable () -> Void = {}) -> Bool {
        permits.acquire(now: MonotonicInstant(nanoseconds: 0), granted: granted)
    }

    /// Takes what there is, up to far above the limit.
    private func takeAll() -> Int {
        var taken = 0
        while taken < 1000, take() { taken += 1 }
        return taken
    }

    @Test func givesTwoHundredAndFiftySixAndLetsOneMoreWait() {
        let granted = Count()
        for _ in 0..<256 {
            #expect(take { granted.countUp() })
            #expect(!permits.isWanted)
        }
        #expect(!take { granted.countUp() })
        #expect(permits.isWanted)
        // Who got one at once is not called, and who waits is not before there is one.
        #expect(granted.value == 0)
        permits.release()
        #expect(granted.value == 1)
        #expect(!permits.isWanted)
    }

    @Test func hasNoneToSpareOnceTheOneWhoWaitedHasGotOne() {
        let granted = Count()
        for _ in 0..<256 { #expect(take()) }
        #expect(!take { granted.countUp() })
        permits.release()
        #expect(granted.value == 1)
        #expect(!take { granted.countUp() })
        #expect(granted.value == 1)
    }

    @Test func hasAsManyAsBeforeWhenAllWereGivenBack() {
        #expect(takeAll() == 256)
        // The one that found nothing waits, and has the first that comes back to give back too.
        for _ in 0..<257 { permits.release() }
        #expect(takeAll() == 256)
    }

    @Test func hasOneMoreWhereItIsToldSo() {
        let permits = ConnectionPermits(limit: 257)
        let start = MonotonicInstant(nanoseconds: 0)
        for _ in 0..<257 { #expect(permits.acquire(now: start) {}) }
        #expect(!permits.acquire(now: start) {})
    }
}

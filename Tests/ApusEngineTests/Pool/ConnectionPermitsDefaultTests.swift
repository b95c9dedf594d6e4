internal import ApusCore
internal import Testing

@testable internal import ApusEngine

/// The default limit of connections in a session.
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

    /// Takes all available permits, up to far above the limit.
    private func takeAll() -> Int {
        var taken = 0
        while taken < 1000, take() { taken += 1 }
        return taken
    }

    @Test func grants256AndQueuesOneMore() {
        let granted = Count()
        for _ in 0..<256 {
            #expect(take { granted.countUp() })
            #expect(!permits.isWanted)
        }
        #expect(!take { granted.countUp() })
        #expect(permits.isWanted)
        // The handler is called only for a queued caller, and only when a permit becomes available.
        #expect(granted.value == 0)
        permits.release()
        #expect(granted.value == 1)
        #expect(!permits.isWanted)
    }

    @Test func passesAReleasedPermitToAQueuedCaller() {
        let granted = Count()
        for _ in 0..<256 { #expect(take()) }
        #expect(!take { granted.countUp() })
        permits.release()
        #expect(granted.value == 1)
        #expect(!take { granted.countUp() })
        #expect(granted.value == 1)
    }

    @Test func restoresAllReleasedPermits() {
        #expect(takeAll() == 256)
        // One caller is queued and gets the first released permit, which it must release too.
        for _ in 0..<257 { permits.release() }
        #expect(takeAll() == 256)
    }

    @Test func grantsOneMoreIfConfigured() {
        let permits = ConnectionPermits(limit: 257)
        let start = MonotonicInstant(nanoseconds: 0)
        for _ in 0..<257 { #expect(permits.acquire(now: start) {}) }
        #expect(!permits.acquire(now: start) {})
    }
}

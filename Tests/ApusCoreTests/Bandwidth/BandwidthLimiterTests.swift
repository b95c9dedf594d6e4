internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite struct BandwidthLimiterTests {
    private let clock = ManualClock()

    private func limiter(_ rate: Int) -> BandwidthLimiter { BandwidthLimiter(rate, AnySessionClock(clock)) }

    @Test func readsItsClock() {
        let limiter = limiter(1000)
        #expect(limiter.turnBytes == 100)
        #expect(limiter.take(500) == .zero)
        #expect(limiter.take(100) == .zero)
        #expect(limiter.take(100) == .milliseconds(100))
        clock.advance(by: .milliseconds(150))
        #expect(limiter.take(100) == .milliseconds(50))
        limiter.giveBack(100)
        #expect(limiter.take(1) == .milliseconds(50))
    }

    /// Bodies that always have bytes get equal shares, in turns.
    @Test(arguments: [2, 3, 10]) func isFair(bodies: Int) {
        let limiter = limiter(10_000)
        let turn = limiter.turnBytes
        // Uses up the burst.
        _ = limiter.take(5000)
        var ready = (0..<bodies).map { _ in clock.now.advanced(by: limiter.take(turn)) }
        var passed = [Int](repeating: 0, count: bodies)
        let end = clock.now.advanced(by: .seconds(10))
        while let next = ready.indices.min(by: { ready[$0] < ready[$1] }), ready[next] < end {
            clock.advance(by: clock.now.duration(to: ready[next]))
            passed[next] += turn
            ready[next] = clock.now.advanced(by: limiter.take(turn))
        }
        let total = passed.reduce(0, +)
        #expect(total >= 90_000)
        #expect(total <= 110_000)
        for bytes in passed { #expect(abs(bytes - total / bodies) <= turn) }
    }
}

internal import Apus
internal import Testing

@testable internal import ApusResilience

@Suite struct TokenBucketTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private static func after(_ duration: Duration) -> MonotonicInstant { start.advanced(by: duration) }

    @Test func allowsABurstAndThenOneTokenAtATime() {
        var bucket = TokenBucket(2, per: .seconds(1), burst: 3)
        #expect((0..<4).map { _ in bucket.take(at: Self.start) } == [true, true, true, false])
        #expect(bucket.delay(behind: 0, at: Self.start) == .milliseconds(500))
        #expect(bucket.take(at: Self.after(.milliseconds(499))) == false)
        #expect(bucket.take(at: Self.after(.milliseconds(500))) == true)
        #expect(bucket.take(at: Self.after(.milliseconds(500))) == false)
    }

    @Test func storesNoMoreThanItsBurst() {
        var bucket = TokenBucket(10, per: .seconds(1), burst: 2)
        let later = Self.after(.seconds(3600))
        #expect((0..<3).map { _ in bucket.take(at: later) } == [true, true, false])
    }

    @Test func computesTheDelayBehindOthers() {
        var bucket = TokenBucket(1, per: .seconds(1), burst: 2)
        #expect(bucket.delay(behind: 1, at: Self.start) == .zero)
        #expect(bucket.delay(behind: 2, at: Self.start) == .seconds(1))
        _ = bucket.take(at: Self.start)
        _ = bucket.take(at: Self.start)
        #expect(bucket.delay(behind: 0, at: Self.start) == .seconds(1))
        #expect(bucket.delay(behind: 3, at: Self.after(.milliseconds(250))) == .seconds(3.75))
    }

    @Test(arguments: [
        (0, Duration.seconds(1), 0), (-5, .seconds(-1), -5), (.max, .zero, .max), (1, .seconds(Int64.max), .max),
        (.max, .seconds(1), 1),
    ])
    func acceptsAnyNumbers(count: Int, duration: Duration, burst: Int) {
        var bucket = TokenBucket(count, per: duration, burst: burst)
        #expect(bucket.take(at: Self.start) == true)
        #expect(bucket.delay(behind: .max, at: Self.start) >= .zero)
        #expect(bucket.interval >= .nanoseconds(1))
    }

    /// Clocks count whole nanoseconds, so a fraction of one would never elapse.
    @Test(arguments: [3, 7, 11, 30, 999_999_999]) func countsInWholeNanoseconds(count: Int) {
        var bucket = TokenBucket(count, per: .seconds(1), burst: min(count, 40))
        #expect(bucket.interval == .nanoseconds(1_000_000_000 / count))
        for _ in 0..<min(count, 40) { #expect(bucket.take(at: Self.start) == true) }
        let delay = bucket.delay(behind: 0, at: Self.start)
        #expect(delay == .nanoseconds(delay.wholeNanoseconds))
        #expect(bucket.take(at: Self.after(delay - .nanoseconds(1))) == false)
        #expect(bucket.take(at: Self.after(delay)) == true)
    }

    @Test func keepsItsRateOverTime() {
        var bucket = TokenBucket(3, per: .seconds(1), burst: 1)
        var taken = 0
        for millisecond in 0..<10_000 where bucket.take(at: Self.after(.milliseconds(millisecond))) { taken += 1 }
        #expect(taken == 30)
    }
}

internal import Testing

@testable internal import ApusCore

@Suite struct ByteBucketTests {
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private static func after(_ duration: Duration) -> MonotonicInstant { start.advanced(by: duration) }

    /// Takes bytes several times at one instant, and returns the waits.
    private func waits(
        _ bucket: inout ByteBucket,
        _ counts: [Int],
        at instant: MonotonicInstant = start
    ) -> [Duration] {
        counts.map { bucket.take($0, at: instant) }
    }

    @Test(arguments: [
        (1, 1), (9, 1), (10, 1), (25, 2), (1000, 100), (655_359, 65_535), (655_360, 65_536), (Int.max, 65_536),
    ])
    func limitsATurn(rate: Int, turnBytes: Int) {
        #expect(ByteBucket(rate).turnBytes == turnBytes)
    }

    @Test func letsABurstPassAndThenWaits() {
        var bucket = ByteBucket(1_000_000)
        let waits = waits(&bucket, [60_000, 40_000, 50_000, 50_000])
        #expect(waits == [.zero, .zero, .zero, .milliseconds(50)])
        let later = bucket.take(1, at: Self.after(.milliseconds(100)))
        #expect(later == .zero)
    }

    @Test func letsAShortBodyPassAtALowRate() {
        var bucket = ByteBucket(100_000)
        let waits = waits(&bucket, [16 << 10, 1, 1000])
        #expect(waits == [.zero, .zero, .zero])
        let next = bucket.take(1, at: Self.start)
        #expect(next == .microseconds(10_010))
    }

    @Test func keepsTheBytesOfHalfASecondAtMost() {
        var bucket = ByteBucket(1000)
        let waits = waits(&bucket, [500, 100, 100])
        #expect(waits == [.zero, .zero, .milliseconds(100)])
    }

    @Test func letsALargeChunkPassAsAWhole() {
        var bucket = ByteBucket(1_000_000)
        let waits = waits(&bucket, [10_000_000, 1])
        #expect(waits == [.zero, .milliseconds(9900)])
        let paid = bucket.take(1, at: Self.after(.milliseconds(9901)))
        #expect(paid == .zero)
    }

    @Test func keepsNoMoreThanItsBurst() {
        var bucket = ByteBucket(1_000_000)
        let later = Self.after(.seconds(3600))
        let waits = waits(&bucket, [100_000, 50_000, 1], at: later)
        #expect(waits == [.zero, .zero, .milliseconds(50)])
    }

    @Test func passesAByteInASecond() {
        var bucket = ByteBucket(1)
        let waits = waits(&bucket, [1, 1, 1])
        #expect(waits == [.zero, .milliseconds(500), .milliseconds(1500)])
    }

    @Test func skipsWaitsThatAreTooShort() {
        var bucket = ByteBucket(1_000_000)
        let waits = waits(&bucket, [100_999, 1, 1])
        #expect(waits == [.zero, .zero, .milliseconds(1)])
    }

    /// Within 10 % over 10 s, even at the beginning.
    @Test(arguments: [1000, 7777, 50_000, 160_000, 1_000_000, 12_345_678, 100_000_000])
    func keepsItsRate(rate: Int) {
        var bucket = ByteBucket(rate)
        var now = Self.start
        var passed = 0
        while true {
            now = now.advanced(by: bucket.take(bucket.turnBytes, at: now))
            guard now < Self.after(.seconds(10)) else { break }
            passed += bucket.turnBytes
        }
        #expect(passed >= rate * 9)
        #expect(passed <= rate * 11)
    }

    /// A timer fires late, and the bytes of that time pass after it.
    @Test func catchesUpAfterLateTimers() {
        var bucket = ByteBucket(1_000_000)
        var now = Self.start
        var passed = 0
        while true {
            let wait = bucket.take(bucket.turnBytes, at: now)
            if wait > .zero { now = now.advanced(by: wait + .milliseconds(40)) }
            guard now < Self.after(.seconds(10)) else { break }
            passed += bucket.turnBytes
        }
        #expect(passed >= 9_000_000)
        #expect(passed <= 11_000_000)
    }

    @Test func addsUpNoRounding() {
        var bucket = ByteBucket(3)
        for _ in 0..<3000 { _ = bucket.take(1, at: Self.start) }
        let wait = bucket.take(1, at: Self.start)
        #expect(wait == .milliseconds(999_500))
    }

    @Test(arguments: [1, 3, 7, 1000, 999_999_999, Int.max], [0, 1, 2, 10, 12_345])
    func giveBackRestoresIt(rate: Int, count: Int) {
        var bucket = ByteBucket(rate)
        for earlier in [1, 5, 8] {
            _ = bucket.take(earlier, at: Self.start)
            let before = bucket
            _ = bucket.take(count, at: Self.start)
            bucket.giveBack(count)
            #expect(bucket == before)
        }
    }

    @Test func acceptsHugeRates() {
        var bucket = ByteBucket(.max)
        let waits = waits(&bucket, [1 << 40, .max, 1, .max, 1])
        #expect(waits[0] == .zero)
        #expect(waits[1] == .zero)
        #expect(waits[2] == .nanoseconds(900_000_119))
        #expect(waits[4] > .milliseconds(1900))
    }

    @Test func acceptsAnyNumbers() {
        for rate in [Int.min, -1, 0, 1] {
            var bucket = ByteBucket(rate)
            #expect(bucket.turnBytes == 1)
            let waits = waits(&bucket, [.min, .max, .max, 1])
            #expect(waits == [.zero, .zero, .nanoseconds(Int64.max), .nanoseconds(Int64.max)])
            bucket.giveBack(.max)
            bucket.giveBack(.min)
            bucket.giveBack(.max)
            let paid = bucket.take(1, at: Self.start)
            #expect(paid >= .zero)
        }
    }
}

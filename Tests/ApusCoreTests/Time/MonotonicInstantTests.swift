internal import Testing

@testable internal import ApusCore

@Suite struct MonotonicInstantTests {
    @Test(arguments: [0, 1, 7, 13, 3723, 86_400, 1_000_000_007])
    func convertsWholeSecondsExactly(seconds: Int) {
        #expect(Duration.seconds(seconds).inSeconds == Double(seconds))
    }

    static let advances: [(UInt64, Duration, UInt64)] = [
        (1_000, Duration.zero, 1_000),
        (1_000, .nanoseconds(1), 1_001),
        (1_000, .seconds(2), 2_000_001_000),
        (1_000, .nanoseconds(-1), 999),
        (1_000, .nanoseconds(-1_000), 0),
        (1_000, .seconds(-1), 0),
        (1_000, .nanoseconds(Int64.min), 0),
        (1_000, .seconds(Int64.max), UInt64(Int64.max) + 1_000),
        (1_000, .seconds(Int64.min), 0),
        (UInt64.max, .nanoseconds(1), UInt64.max),
        (UInt64.max - 1, .seconds(Int64.max), UInt64.max),
        (0, .nanoseconds(-1), 0),
    ]

    static let wholes: [(Duration, Int64)] = [
        (Duration.zero, 0), (.nanoseconds(1), 1), (.seconds(1), 1_000_000_000), (.milliseconds(-1), -1_000_000),
        (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
        (.seconds(Int64.max), Int64.max), (.seconds(Int64.min), Int64.min),
        (.seconds(9_223_372_036) + .nanoseconds(854_775_807), Int64.max),
        (.seconds(9_223_372_036) + .nanoseconds(854_775_808), Int64.max),
        (.seconds(-9_223_372_036) - .nanoseconds(854_775_808), Int64.min),
        (.seconds(-9_223_372_036) - .nanoseconds(854_775_809), Int64.min),
    ]

    static let descriptions: [(Duration, String)] = [
        (Duration.zero, "0 µs"), (.nanoseconds(1), "0 µs"), (.microseconds(850), "850 µs"),
        (.nanoseconds(999_400), "999 µs"), (.microseconds(12_340), "12.3 ms"), (.milliseconds(250), "250 ms"),
        (.milliseconds(1_250), "1.25 s"), (.seconds(30), "30 s"), (.seconds(3_600), "3600 s"),
        (.milliseconds(-5), "-5 ms"),
    ]

    static let distances: [(UInt64, UInt64, Duration)] = [
        (0, 0, Duration.zero), (1, 3, .nanoseconds(2)), (3, 1, .nanoseconds(-2)),
        (0, UInt64.max, .nanoseconds(Int64.max)), (UInt64.max, 0, .nanoseconds(-Int64.max)),
    ]

    @Test(arguments: Self.advances)
    func advancesWithinItsBounds(start: UInt64, duration: Duration, expected: UInt64) {
        #expect(MonotonicInstant(nanoseconds: start).advanced(by: duration).nanoseconds == expected)
    }

    @Test(arguments: Self.distances)
    func measuresWithinItsBounds(start: UInt64, end: UInt64, expected: Duration) {
        #expect(MonotonicInstant(nanoseconds: start).duration(to: MonotonicInstant(nanoseconds: end)) == expected)
    }

    @Test func isOrdered() {
        let early = MonotonicInstant(nanoseconds: 1)
        let late = MonotonicInstant(nanoseconds: 2)
        #expect(early < late)
        #expect(!(late < early))
        #expect(MonotonicInstant.now <= MonotonicInstant.now)
    }

    @Test(arguments: Self.wholes)
    func countsWholeNanosecondsWithinItsBounds(duration: Duration, expected: Int64) {
        #expect(duration.wholeNanoseconds == expected)
    }

    @Test(arguments: Self.descriptions)
    func formatsDurationsForPeople(duration: Duration, formatted: String) {
        #expect(duration.formatted == formatted)
    }

    @Test(.timeLimit(.minutes(5))) func sleepsUntilItsInstantAndNoEarlier() async throws {
        let time = SystemClock()
        let deadline = time.now.advanced(by: .milliseconds(2))
        try await time.sleep(until: deadline)
        #expect(time.now >= deadline)
        try await time.sleep(until: time.now.advanced(by: .seconds(-1)))
    }

    @Test(.timeLimit(.minutes(5)), arguments: [Duration.seconds(3_600), .seconds(Int64.max)])
    func endsASleepWithItsTask(duration: Duration) async {
        let time = SystemClock()
        let sleeper = Task { try await time.sleep(until: time.now.advanced(by: duration)) }
        await Task.yield()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}

internal import Apus
internal import Testing

@testable internal import ApusResilience

@Suite struct FailureWindowTests {
    private static func instant(_ seconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func countsOutcomesInTheWindow() {
        var window = FailureWindow(.seconds(10))
        for second in 100..<105 as Range<UInt64> {
            window.note(isFailure: second % 2 == 0, at: Self.instant(second))
            window.note(isFailure: false, at: Self.instant(second))
        }
        #expect(window.counts(at: Self.instant(104)) == (10, 3))
    }

    @Test func forgetsSlotBySlot() {
        var window = FailureWindow(.seconds(10))
        window.note(isFailure: true, at: Self.instant(100))
        window.note(isFailure: true, at: Self.instant(101))
        #expect(window.counts(at: Self.instant(109)) == (2, 2))
        #expect(window.counts(at: Self.instant(110)) == (1, 1))
        #expect(window.counts(at: Self.instant(111)) == (0, 0))
    }

    @Test func reusesASlot() {
        var window = FailureWindow(.seconds(10))
        window.note(isFailure: true, at: Self.instant(100))
        window.note(isFailure: false, at: Self.instant(110))
        #expect(window.counts(at: Self.instant(110)) == (1, 0))
        #expect(window.counts(at: Self.instant(1_000_000)) == (0, 0))
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(3), .seconds(Int64.max)])
    func acceptsAnyDuration(duration: Duration) {
        var window = FailureWindow(duration)
        window.note(isFailure: true, at: Self.instant(5))
        #expect(window.counts(at: Self.instant(5)) == (1, 1))
    }
}

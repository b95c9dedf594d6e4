internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct ManualClockTests {
    @Test func standsStillUntilItIsMoved() {
        let clock = ManualClock()
        let begin = clock.now
        let date = clock.wallClock
        #expect(clock.now == begin)
        clock.advance(by: .milliseconds(1_500))
        #expect(begin.duration(to: clock.now) == .milliseconds(1_500))
        #expect(clock.wallClock == date.addingTimeInterval(1.5))
    }

    @Test func startsAtTheGivenDate() {
        let date = Date(timeIntervalSince1970: 784_111_777)
        #expect(ManualClock(wallClock: date).wallClock == date)
    }

    @Test func doesNotSleepUntilAnInstantThatHasPassed() async throws {
        let clock = ManualClock()
        try await clock.sleep(until: clock.now)
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)))
        #expect(clock.sleeperCount == 0)
    }

    @Test func wakesOnlyTheSleepersThatAreDue() async throws {
        let clock = ManualClock()
        let early = clock.now.advanced(by: .seconds(1))
        let late = clock.now.advanced(by: .seconds(2))
        let first = Task { try await clock.sleep(until: early) }
        let second = Task { try await clock.sleep(until: late) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .nanoseconds(1))
        #expect(clock.sleeperCount == 1)
        try await first.value
        clock.advance(by: .seconds(10))
        try await second.value
        #expect(clock.sleeperCount == 0)
    }

    @Test func wakesACancelledSleeper() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func doesNotSleepInACancelledTask() async {
        let clock = ManualClock()
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func waitsForANumberOfSleepers() async throws {
        let clock = ManualClock()
        await clock.waitForSleepers(0)
        let deadline = clock.now.advanced(by: .seconds(1))
        let watcher = Task { await clock.waitForSleepers(3) }
        let sleepers = (0..<3).map { _ in Task { try await clock.sleep(until: deadline) } }
        await watcher.value
        clock.advance(by: .seconds(1))
        for sleeper in sleepers { try await sleeper.value }
    }
}

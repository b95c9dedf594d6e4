internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite struct TransferPaceTests {
    private let clock = ManualClock()

    private func limiter(_ rate: Int) -> BandwidthLimiter { BandwidthLimiter(rate, AnySessionClock(clock)) }

    @Test func isMissingWithoutLimiters() {
        #expect(TransferPace(nil, nil) == nil)
        #expect(TransferPace(nil, limiter(10)) != nil)
    }

    @Test func waitsForTheSlowest() throws {
        let pace = try #require(TransferPace(limiter(1000), limiter(100)))
        #expect(pace.turnBytes == 10)
        #expect(pace.take(50) == .zero)
        #expect(pace.take(10) == .zero)
        #expect(pace.take(10) == .milliseconds(100))
        pace.giveBack(10)
        #expect(pace.take(10) == .milliseconds(100))
    }

    @Test func letsShortBodiesPass() throws {
        let pace = try #require(TransferPace(limiter(1000)))
        #expect(!pace.passesAtOnce(101))
        for _ in 0..<6 { #expect(pace.passesAtOnce(100)) }
        #expect(!pace.passesAtOnce(1))
        clock.advance(by: .milliseconds(100))
        #expect(pace.passesAtOnce(100))
        #expect(!pace.passesAtOnce(100))
    }

    @Test(.timeLimit(.minutes(5))) func givesBackTheBytesOfACancelledTask() async throws {
        let pace = try #require(TransferPace(limiter(1000)))
        let environment = self.environment
        _ = pace.take(600)
        let task = Task { try await pace.pass(1000, in: environment) }
        await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(environment.counters.nonZero.isEmpty)
        #expect(pace.take(1) == .milliseconds(100))
    }

    private var environment: SessionEnvironment {
        var configuration = SessionConfiguration()
        configuration.time = clock
        return SessionEnvironment(configuration: configuration)
    }
}

import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// `--limit-rate`, on a clock that passes at once whatever time is waited for.
@Suite(.timeLimit(.minutes(5))) struct CommandRateTests {
    /// Runs the command, and returns the time that it has waited for.
    private func waited(_ words: [String]) async throws -> Duration {
        let clock = SkippingClock()
        let run = await CommandRunner(time: clock).run(words)
        #expect(run.exitCode == .success, "\(run.error.text)")
        return clock.waited
    }

    @Test func limitsBothDirections() async throws {
        try await TestServer.with { (server) async throws in
            let download = server.url("/bytes/50000")
            #expect(try await waited([download]) < .seconds(15))
            #expect(try await waited(["--limit-rate=1K", download]) > .seconds(40))
            let upload = ["PUT", server.url("/status/200"), "--raw=\(String(repeating: "x", count: 50_000))"]
            #expect(try await waited(upload) < .seconds(15))
            #expect(try await waited(["--limit-rate=1K"] + upload) > .seconds(40))
        }
    }
}

/// A clock whose time passes only while it is waited for.
private final class SkippingClock: SessionClock {
    private static let start = MonotonicInstant.now

    private let instant = Lock(SkippingClock.start)

    var now: MonotonicInstant { instant.withLock { $0 } }

    var wallClock: Date { Date() }

    var waited: Duration { Self.start.duration(to: now) }

    func sleep(until deadline: MonotonicInstant) async throws {
        try Task.checkCancellation()
        // The time limits of a request never pass.
        guard now.duration(to: deadline) < .seconds(10) else {
            let (ending, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in ending {}
            return withExtendedLifetime(continuation) {}
        }
        instant.withLock { $0 = max($0, deadline) }
    }
}

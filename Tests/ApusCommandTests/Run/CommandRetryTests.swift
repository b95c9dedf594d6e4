import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

@testable import ApusCommand

/// The requests that `--retry` sends again.
@Suite(.timeLimit(.minutes(5))) struct CommandRetryTests {
    private static let busyScript: Script = [
        .expectHead, .send("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 4\r\n\r\nbusy"), .close,
    ]
    private static let okScript: Script = [
        .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .close,
    ]

    @Test(arguments: [
        (["--retry=2"], 3, "ok", ExitCode.success), (["--retry", "1"], 2, "busy", .serverError),
        ([], 1, "busy", .serverError), (["--retry=0"], 1, "busy", .serverError),
        (["--retry=2", "POST"], 1, "busy", .serverError), (["--retry=2", "PUT"], 3, "ok", .success),
    ])
    func retriesUpToTheLimit(words: [String], count: Int, body: String, exitCode: ExitCode) async throws {
        let scripts = [Self.busyScript, Self.busyScript, Self.okScript]
        try await TestServer.with(behavior: .scripts(scripts)) { server in
            let run = await CommandRunner().run(["--check-status", "-b"] + words + [server.origin])
            #expect(run.exitCode == exitCode, "\(run.error.text)")
            #expect(run.output.text == body)
            #expect(server.acceptedConnections == count)
        }
    }

    /// The retry budget of a library session does not apply.
    @Test func retriesAsOftenAsGiven() async throws {
        try await TestServer.with(behavior: .script(Self.busyScript)) { server in
            let run = await CommandRunner().run("--retry=12", "--check-status", "-b", server.origin)
            #expect(run.exitCode == .serverError, "\(run.error.text)")
            #expect(server.acceptedConnections == 13)
        }
    }

    @Test func printsTheResponseIfARetryWouldBeTooLate() async throws {
        let busy: Script = [
            .expectHead, .send("HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 4\r\n\r\nbusy"), .close,
        ]
        try await TestServer.with(behavior: .script(busy)) { server in
            let run = await CommandRunner(time: StoppedClock())
                .run("--retry", "1", "--timeout", "1", "--check-status", "-b", server.origin)
            #expect(run.exitCode == .serverError, "\(run.error.text)")
            #expect(run.output.text == "busy")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func retriesWithoutAResponse() async throws {
        let runner = CommandRunner(time: InstantClock())
        try await TestServer.with(behavior: .scripts([[.expectHead, .close], Self.okScript])) { server in
            let run = await runner.run("--retry=1", "-v", server.origin)
            #expect(run.exitCode == .success)
            #expect(run.output.text.components(separatedBy: "GET / HTTP/1.1").count == 3)
        }
        try await TestServer.with(behavior: .script([.expectHead, .close])) { server in
            let run = await runner.run("--retry=1", server.origin)
            #expect(run.exitCode == .failure && run.hasOneSentence, "\(run.error.text)")
            #expect(server.acceptedConnections == 2)
        }
    }
}

/// A clock that stands still. A deadline of one second never passes, and a wait of five seconds ends at once.
private struct StoppedClock: SessionClock {
    private let clock = ManualClock()

    var now: MonotonicInstant { clock.now }

    var wallClock: Date { clock.wallClock }

    func sleep(until deadline: MonotonicInstant) async throws {
        if now.duration(to: deadline) < .seconds(5) { try await clock.sleep(until: deadline) }
    }
}

import ApusTestServer
import Testing

@testable import ApusCommand

/// The progress of a file that is sent.
@Suite(.timeLimit(.minutes(5))) struct UploadMonitorTests {
    private func upload(
        _ byteCount: Int,
        _ flags: [String] = [],
        errorIsTerminal: Bool = true
    ) async throws -> CommandOutcome {
        try await TestServer.with(behavior: .handler { _ in .text("thanks") }) { server in
            try await CommandRunner.inFolder { runner in
                var runner = runner
                runner.errorIsTerminal = errorIsTerminal
                try runner.put(String(repeating: "0123456789abcdef", count: byteCount / 16), in: "big.bin")
                return await runner.run(flags + ["PUT", server.url("/x"), "@big.bin"])
            }
        }
    }

    @Test func showsALargeFileOnATerminal() async throws {
        let run = try await upload(2 << 20)
        #expect(run.exitCode == .success)
        #expect(run.output.text == "thanks")
        #expect(run.error.text.hasPrefix("\r\u{1B}[Kbig.bin "), "\(run.error.text)")
        #expect(run.error.text.contains(" of 2.1 MB"))
        // The line is cleared before the response is shown.
        #expect(run.error.text.hasSuffix("\r\u{1B}[K"))
    }

    @Test func showsNothingElse() async throws {
        let small = try await upload(1 << 20)
        let quiet = try await upload(2 << 20, ["-q"])
        let piped = try await upload(2 << 20, errorIsTerminal: false)
        let offline = try await upload(2 << 20, ["--offline", "--print=H"])
        for run in [small, quiet, piped, offline] {
            #expect(run.exitCode == .success)
            #expect(run.error.bytes.isEmpty, "\(run.error.text)")
        }
    }
}

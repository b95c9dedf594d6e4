import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The program of the command, which is built beside the one of the tests.
private enum Program {
    static let path: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("apus").path
    }()

    static let isThere = FileManager.default.isExecutableFile(atPath: path)
}

#if APUS_TSAN
    /// The runtime of the thread sanitizer fails if the size of files is limited.
    private let bearsLimits = false
#else
    private let bearsLimits = true
#endif

/// What becomes of a file whose writing fails midway. A limit on the size of files counts for a whole process, so the
/// command is one of its own here.
@Suite(.enabled(if: Program.isThere), .timeLimit(.minutes(5))) struct CutOffFileTests {
    private static let archive = """
        {"log": {"entries": [
          {"startedDateTime": "2026-05-01T12:00:00Z", "request": {"method": "GET", "url": "http://h/a"},
           "response": {"status": 200}, "timings": {"send": 1, "wait": 5, "receive": 4}}
        ]}}
        """

    /// The style sheet of the picture alone is longer than the limit: a block of `ulimit` has 512 or 1024 bytes.
    @Test(.enabled(if: bearsLimits)) func leavesTheOldPicture() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put(Self.archive, in: "x.har")
            try runner.put("old", in: "x.svg")
            let draw = "exec '\(Program.path)' --from-har x.har --waterfall x.svg\n"
            // With the signal ignored, what goes beyond the limit is an error of the call that writes it.
            let cut = try await Shell.run("trap '' XFSZ\nulimit -f 1\n\(draw)", in: runner.folder)
            #expect(cut.status == 1)
            let sentence = "can't be written: File too large; name another file with --waterfall"
            #expect(cut.error.contains(sentence), "\(cut.error)")
            #expect(runner.file("x.svg") == Array("old".utf8))
            #expect(!runner.fileNames.contains { $0.hasSuffix(".part") })
            let whole = try await Shell.run(draw, in: runner.folder)
            #expect(whole.status == 0, "\(whole.error)")
            #expect(try #require(runner.file("x.svg")).count > 1024)
        }
    }

    /// It is named by a link, and would be replaced by another file under the output that goes there.
    @Test(arguments: ["1", "2"]) func leavesTheFileThatTheOutputGoesTo(descriptor: String) async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put(Self.archive, in: "x.har")
            try runner.put("old", in: "log")
            let draw = "'\(Program.path)' --from-har x.har --waterfall /dev/fd/\(descriptor) \(descriptor)>>log"
            let run = try await Shell.run(draw, in: runner.folder)
            #expect(run.status == 1)
            let sentence = "'/dev/fd/\(descriptor)' is where the output goes; name another file with --waterfall"
            let log = String(decoding: try #require(runner.file("log")), as: UTF8.self)
            #expect(log + run.error == "oldapus: \(sentence)\n")
        }
    }
}

import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The command's executable, built next to the tests.
private enum Program {
    static let path: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("apus").path
    }()

    static let isAvailable = FileManager.default.isExecutableFile(atPath: path)
}

#if APUS_TSAN
    /// The thread sanitizer's runtime fails if file sizes are limited.
    private let supportsLimits = false
#else
    private let supportsLimits = true
#endif

/// Tests the result of a write that fails midway. A limit on file sizes applies to the whole process, so the command
/// runs in a separate one.
@Suite(.enabled(if: Program.isAvailable), .timeLimit(.minutes(5))) struct CutOffFileTests {
    private static let archive = """
        {"log": {"entries": [
          {"startedDateTime": "2026-05-01T12:00:00Z", "request": {"method": "GET", "url": "http://h/a"},
           "response": {"status": 200}, "timings": {"send": 1, "wait": 5, "receive": 4}}
        ]}}
        """

    /// The style sheet alone exceeds the limit, since a block of `ulimit` has 512 or 1024 bytes.
    @Test(.enabled(if: supportsLimits)) func keepsTheOldPicture() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put(Self.archive, in: "x.har")
            try runner.put("old", in: "x.svg")
            let draw = "exec '\(Program.path)' --from-har x.har --waterfall x.svg\n"
            // With the signal ignored, a write beyond the limit fails with an error.
            let cut = try await Shell.run("trap '' XFSZ\nulimit -f 1\n\(draw)", in: runner.folder)
            #expect(cut.status == 1)
            let sentence = "can't be written: File too large; name another file with --waterfall"
            #expect(cut.error.contains(sentence), "\(cut.error)")
            #expect(runner.file("x.svg") == Array("old".utf8))
            #expect(!runner.fileNames.contains { $0.hasSuffix(".part") })
            let complete = try await Shell.run(draw, in: runner.folder)
            #expect(complete.status == 0, "\(complete.error)")
            #expect(try #require(runner.file("x.svg")).count > 1024)
        }
    }

    /// The path is a link to the output's file, which must not be replaced.
    @Test(arguments: ["1", "2"]) func keepsTheFileOfTheOutput(descriptor: String) async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put(Self.archive, in: "x.har")
            try runner.put("old", in: "log")
            let draw = "'\(Program.path)' --from-har x.har --waterfall /dev/fd/\(descriptor) \(descriptor)>>log"
            let run = try await Shell.run(draw, in: runner.folder)
            #expect(run.status == 1)
            let sentence = "'/dev/fd/\(descriptor)' is the file of the output; name another file with --waterfall"
            let log = String(decoding: try #require(runner.file("log")), as: UTF8.self)
            #expect(log + run.error == "oldapus: \(sentence)\n")
        }
    }
}

import Apus
import ApusPlatform
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// `--segments`: one file over several connections.
@Suite(.timeLimit(.minutes(5))) struct CommandSegmentsTests {
    private static let length = 5_000_000

    @Test func savesTheWholeFile() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run("-d", "-o", "x", "--segments=4", server.url("/download/\(Self.length)"))
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(run.error.text.hasPrefix("Saved 5.0 MB to 'x' in "), "\(run.error.text)")
                #expect(run.output.bytes.isEmpty)
                #expect(runner.file("x") == TestServer.pattern(count: Self.length))
                #expect(runner.fileNames == ["x"])
                #expect(server.requestCount > 1)
                #expect(server.requests.allSatisfy { $0["Accept-Encoding"] == "identity" })
            }
        }
    }

    /// A server without ranges sends the file as a whole.
    @Test func takesTheNameOfTheURL() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                for name in ["50000", "50000-1"] {
                    let run = await runner.atTerminal.run("-d", "--segments", "3", server.url("/bytes/50000"))
                    #expect(run.exitCode == .success, "\(run.error.text)")
                    #expect(runner.file(name) == TestServer.pattern(count: 50_000))
                }
                #expect(runner.fileNames == ["50000", "50000-1"])
            }
        }
    }

    @Test func showsItsProgress() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                var runner = runner
                runner.errorIsTerminal = true
                let words = ["-d", "-o", "x", "--segments=4", server.url("/download/\(Self.length)")]
                let run = await runner.run(words)
                #expect(run.error.text.contains("\r\u{1B}[Kx "), "\(run.error.text)")
                #expect(run.error.text.contains(" of 5.0 MB"))
                #expect(run.error.text.hasSuffix(").\n"))
                let quiet = await runner.run(words + ["-q"])
                #expect(quiet.exitCode == .success && quiet.error.bytes.isEmpty, "\(quiet.error.text)")
            }
        }
    }

    @Test func savesNoErrorResponses() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                for (status, exitCode) in [(404, ExitCode.clientError), (500, .serverError)] {
                    let run = await runner.run("-d", "-o", "x", "--segments=4", server.url("/status/\(status)"))
                    #expect(run.exitCode == exitCode)
                    #expect(run.hasOneSentence && run.error.text.contains("returned \(status)"), "\(run.error.text)")
                    #expect(run.error.text.contains("nothing was saved"))
                    #expect(runner.fileNames.isEmpty)
                }
                let words = ["-d", "-o", "x", "--segments=4", "--max-redirects=0", server.url("/redirect/2")]
                #expect(await runner.run(words).exitCode == .tooManyRedirects)
            }
        }
    }

    @Test func comparesTheDigest() async throws {
        let zeros = String(repeating: "0", count: 64)
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run(
                    "-d",
                    "-o",
                    "x",
                    "--segments=4",
                    "--checksum=sha256:\(zeros)",
                    server.url("/download/\(Self.length)")
                )
                #expect(run.exitCode == .failure && run.hasOneSentence)
                #expect(run.error.text.contains(zeros) && run.error.text.contains("nothing was saved"))
                #expect(runner.fileNames.isEmpty)
            }
        }
    }

    private static func script(_ head: String, _ body: String) -> Script {
        [.expectHead, .send("HTTP/1.1 \(head)\r\nETag: \"a\"\r\n\r\n\(body)"), .close]
    }

    @Test(arguments: [true, false]) func goesOnWithAPart(continues: Bool) async throws {
        let rest = "206 Partial Content\r\nContent-Range: bytes 3-8/9\r\nContent-Length: 6"
        let scripts = [
            Self.script("200 OK\r\nContent-Length: 9", "abc"),
            continues ? Self.script(rest, "defghi") : Self.script("200 OK\r\nContent-Length: 9", "ABCDEFGHI"),
        ]
        try await TestServer.with(behavior: .scripts(scripts)) { server in
            try await CommandRunner.inFolder { runner in
                let words = ["-d", "--segments=2", "-o", "x", server.url("/x")]
                let first = await runner.run(words)
                #expect(first.exitCode == .failure && first.hasOneSentence)
                let place = "(the received part, 3 B of 9 B, is in 'x.part'; go on with --continue --segments 2)"
                #expect(first.error.text.contains(place), "\(first.error.text)")
                #expect(runner.file("x") == nil)
                let second = await runner.run(words + (continues ? ["-c"] : []))
                #expect(second.exitCode == .success, "\(second.error.text)")
                #expect(runner.file("x") == Array((continues ? "abcdefghi" : "ABCDEFGHI").utf8))
                #expect(runner.fileNames == ["x"])
                let isRest = server.requests.last?["If-Range"] != nil
                #expect(isRest == continues)
            }
        }
    }

    @Test func keepsThePermissions() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("old", in: "x")
                try #require(chmod("\(runner.folder)/x", 0o600) == 0)
                let run = await runner.run("-d", "-o", "x", "--segments=4", server.url("/download/\(Self.length)"))
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(FileStatus(path: "\(runner.folder)/x")?.permissions == 0o600)
                #expect(runner.file("x")?.count == Self.length)
            }
        }
    }

    @Test(arguments: [
        (["--segments=2", "URL/x"], "add --download"), (["-d", "--segments=0", "URL/x"], "a number from 1 to 16"),
        (["-d", "--segments=17", "URL/x"], "a number from 1 to 16"),
        (["-d", "--segments=2", "-o", "-", "URL/x"], "--segments needs a file"),
        (["-d", "--segments=2", "URL/x"], "--segments needs a file"),
        (["-d", "--segments=2", "-o", "/dev/null", "URL/x"], "which '/dev/null' can't have"),
        (["-d", "--segments=2", "-o", "x", "POST", "URL/x"], "--segments needs a GET"),
        (["-d", "--segments=2", "-o", "x", "URL/x", "Range:bytes=0-1"], "leave out the item with Range"),
        (["-d", "--segments=2", "-o", "x", "--curl", "URL/x"], "--segments needs an exchange"),
    ])
    func explainsWhatItNeeds(words: [String], sentence: String) async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run(words.map { $0.replacing("URL", with: server.origin) })
                #expect(run.exitCode == .failure && run.hasOneSentence)
                #expect(run.error.text.contains(sentence), "\(run.error.text)")
                #expect(server.requestCount == 0)
                #expect(runner.fileNames.isEmpty)
            }
        }
    }
}

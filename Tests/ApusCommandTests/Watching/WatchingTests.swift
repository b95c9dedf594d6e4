import Apus
import ApusPlatform
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// `--har`, `--waterfall`, `--from-har` and `--trace`.
@Suite(.timeLimit(.minutes(5))) struct WatchingTests {
    private func archive(_ name: String, of runner: CommandRunner) throws -> HTTPArchive {
        try JSONDecoder().decode(HTTPArchive.self, from: Data(try #require(runner.file(name))))
    }

    private func expectOneSentence(_ run: CommandOutcome, _ word: String) {
        #expect(run.exitCode == .failure)
        #expect(run.error.text.hasPrefix("apus: "))
        #expect(run.error.text.count { $0 == "\n" } == 1, "\(run.error.text)")
        #expect(run.error.text.contains(word), "\(run.error.text)")
    }

    // MARK: --har

    @Test func archivesEveryExchange() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let words = ["-F", "-a", "ada:sesame", server.url("/redirect/2"), "q==1"]
                let run = await runner.run(["--har", "x.har"] + words)
                #expect(run.exitCode == .success, "\(run.error.text)")
                let archive = try archive("x.har", of: runner)
                #expect(archive.entries.map(\.response.status) == [302, 302, 200])
                #expect(archive.entries.first?.request.url == server.url("/redirect/2") + "?q=1")
                #expect(archive.entries.last?.response.content.size == Int64(run.output.bytes.count))
                #expect(archive.entries.last?.response.content.text?.contains(#""Authorization":"<redacted>""#) == true)
                let text = String(decoding: try #require(runner.file("x.har")), as: UTF8.self)
                #expect(!text.contains("sesame") && !text.contains(Data("ada:sesame".utf8).base64EncodedString()))
            }
        }
    }

    @Test(arguments: [["-h"], ["-q"], ["-d", "-o", "body"], ["-o", "body"], ["-m"], ["-v"]])
    func archivesTheBodyWithAnyOutput(flags: [String]) async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run(flags + ["--har=x.har", server.url("/bytes/300000")])
                #expect(run.exitCode == .success, "\(run.error.text)")
                let entry = try #require(try archive("x.har", of: runner).entries.first)
                #expect(entry.response.content.size == 300_000)
                #expect(entry.comment == nil && entry.response.error == nil)
            }
        }
    }

    @Test func archivesTheBodyOfARejectedDownload() async throws {
        let response = TestResponse(status: 404, body: .pattern(count: 300_000))
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run("-d", "-o", "body", "--har=x.har", server.origin)
                #expect(run.exitCode == .clientError, "\(run.error.text)")
                #expect(runner.fileNames == ["x.har"])
                let entry = try #require(try archive("x.har", of: runner).entries.first)
                #expect(entry.response.content.size == 300_000)
                #expect(entry.comment == nil && entry.response.error == nil)
            }
        }
    }

    @Test func archivesABodyThatATerminalDoesNotShow() async throws {
        let response = TestResponse(body: .pattern(count: 300_000))
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            try await CommandRunner.inFolder { runner in
                var terminal = runner
                terminal.outputIsTerminal = true
                let run = await terminal.run("--har", "x.har", server.origin)
                #expect(run.output.bytes.count < 10_000)
                let entry = try #require(try archive("x.har", of: runner).entries.first)
                #expect(entry.response.content.size == 300_000)
                #expect(entry.comment == nil && entry.response.error == nil)
            }
        }
    }

    @Test func archivesFailedRequests() async throws {
        let server = try await TestServer.start()
        let url = server.url("/")
        await server.stop()
        try await CommandRunner.inFolder { runner in
            let run = await runner.run("--har", "x.har", "--waterfall", "x.svg", url)
            expectOneSentence(run, url)
            let entry = try #require(try archive("x.har", of: runner).entries.first)
            #expect(entry.response.status == 0 && entry.response.error?.hasPrefix("connectFailed") == true)
            #expect(String(decoding: try #require(runner.file("x.svg")), as: UTF8.self).contains("✗"))
        }
    }

    /// Checks each output that might contain a secret: the archive, the trace and the message.
    @Test func showsNoSecretsOfAPathOrAQuery() async throws {
        let token = "4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"
        let response = TestResponse(status: 302, fields: [("Location", "x;jsessionid=\(token)?\(token)")])
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            try await CommandRunner.inFolder { runner in
                let url = server.url("/x;jsessionid=\(token)?\(token)")
                let run = await runner.run("--har", "x.har", "--trace", "--follow", "--print=", url)
                #expect(run.exitCode == .tooManyRedirects)
                #expect(
                    run.error.text.contains("/x;jsessionid=…?…") && !run.error.text.contains(token),
                    "\(run.error.text)"
                )
                let text = String(decoding: try #require(runner.file("x.har")), as: UTF8.self)
                #expect(text.contains("/x;jsessionid=…?…") && !text.contains(token), "\(text)")
            }
        }
        let sentence = await CommandRunner().run("http://h/?\u{301}\(token)\u{1}").error.text
        #expect(sentence.contains("is not a valid URL") && !sentence.contains(token), "\(sentence)")
    }

    @Test func archivesNoGivenSecrets() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let query =
                    "key=S&client_assertion=S&code_verifier=S&pass=S&passcode=S&subscription-key=S&SAMLResponse=S"
                let items = [
                    "Ocp-Apim-Subscription-Key", "X-Auth-Key", "X-Functions-Key", "DD-APPLICATION-KEY",
                    "Cf-Access-Jwt-Assertion", "X-Goog-IAP-JWT-Assertion", "X-Api-Key",
                ].map { "\($0):hunter2" }
                let members = [
                    "key", "jwt", "otp", "code", "pin", "signature", "sig", "sid", "auth", "pass", "password",
                ]
                let words = [
                    "--har", "x.har", "-j", "POST", server.url("/post?\(query.replacing("=S", with: "=hunter2"))"),
                ]
                let run = await runner.run(words + items + members.map { "\($0)=hunter2" })
                #expect(run.exitCode == .success, "\(run.error.text)")
                let text = String(decoding: try #require(runner.file("x.har")), as: UTF8.self)
                #expect(!text.contains("hunter2"), "\(text)")
            }
        }
    }

    // MARK: --waterfall

    @Test func drawsEveryExchange() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run("--waterfall", "x.svg", "-F", server.url("/redirect/1"))
                #expect(run.exitCode == .success, "\(run.error.text)")
                let picture = String(decoding: try #require(runner.file("x.svg")), as: UTF8.self)
                #expect(picture.hasPrefix("<svg ") && picture.contains("1 request, 2 exchanges in "))
                #expect(picture.contains("/redirect/1") && picture.contains("/get"))
                #expect(runner.fileNames == ["x.svg"])
            }
        }
    }

    // MARK: Files

    @Test(arguments: ["--har", "--waterfall"])
    func writesAPrivateFileAtomically(option: String) async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("old", in: "x")
                let path = "\(runner.folder)/x"
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
                try FileManager.default.createSymbolicLink(
                    atPath: "\(runner.folder)/link",
                    withDestinationPath: "x"
                )
                let before = try FileManager.default.attributesOfItem(atPath: path)
                let run = await runner.run(option, "link", server.url("/get"))
                #expect(run.exitCode == .success, "\(run.error.text)")
                let after = try FileManager.default.attributesOfItem(atPath: path)
                #expect(after[.posixPermissions] as? Int == 0o600)
                // Another file has replaced it.
                #expect(after[.systemFileNumber] as? Int != before[.systemFileNumber] as? Int)
                #expect(runner.fileNames == ["link", "x"])
                if option == "--har" {
                    #expect(try archive("x", of: runner).entries.count == 1)
                } else {
                    let picture = String(decoding: try #require(runner.file("x")), as: UTF8.self)
                    #expect(picture.hasPrefix("<svg ") && picture.hasSuffix("</svg>\n"))
                }
            }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: ["--har", "--waterfall"])
    func reportsAFullDisk(option: String) async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run(option, "/dev/full", server.url("/get"))
            expectOneSentence(run, "/dev/full")
            #expect(run.error.text.contains("No space left on device; name another file with \(option)"))
        }
    }

    @Test(arguments: ["--har", "--waterfall"]) func writesToADevice(option: String) async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run(option, "/dev/null", server.url("/get"))
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(FileManager.default.fileExists(atPath: "/dev/null"))
        }
    }

    /// The pipe's reader receives the output, and the pipe is not replaced.
    @Test(arguments: ["--har", "--waterfall"]) func writesToAPipe(option: String) async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let path = "\(runner.folder)/pipe"
                try #require(mkfifo(path, 0o600) == 0)
                // The reader opens the pipe for writing too, so opening does not block.
                let reader = try FileDescriptor.open(path, O_RDWR)
                defer { FileDescriptor.close(reader) }
                let run = await runner.run(option, "pipe", server.url("/get"))
                #expect(run.exitCode == .success, "\(run.error.text)")
                let text = String(decoding: try FileDescriptor.read(reader, upTo: 1 << 16), as: UTF8.self)
                #expect(text.hasPrefix(option == "--har" ? "{" : "<svg "), "\(text)")
                #expect(runner.fileNames == ["pipe"])
            }
        }
    }

    @Test(arguments: [
        ["--har", "no/x.har"], ["--har="], ["--har", "."], ["--har", "-"], ["--waterfall", "no/x.svg"],
        ["--waterfall", "-"],
        ["--har", "x.har", "--offline"], ["--waterfall", "x.svg", "--curl"],
    ])
    func rejectsInvalidFilesBeforeSending(flags: [String]) async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run(flags + [server.url("/get")])
                expectOneSentence(run, flags[0].hasPrefix("--har") ? "--har" : "--waterfall")
                #expect(server.requests.isEmpty)
                #expect(runner.fileNames.isEmpty)
            }
        }
    }

    // MARK: --from-har

    private static let archive = """
        {"log": {"entries": [
          {"startedDateTime": "2026-05-01T12:00:00Z", "request": {"method": "GET", "url": "http://h/a?token=sesame"},
           "response": {"status": 200}, "timings": {"send": 1, "wait": 5, "receive": 4}},
          {"startedDateTime": "2026-05-01T12:00:00.010Z", "request": {"method": "GET", "url": "http://h/\\u001b[2J"},
           "response": {"status": 404}, "time": 10}
        ]}}
        """

    @Test func drawsAnArchiveAsText() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put(Self.archive, in: "x.har")
            let run = await runner.run("--from-har", "x.har")
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(run.output.text.hasSuffix("2 requests in 20.0 ms\n"))
            #expect(run.output.text.contains("/a?token=…") && !run.output.text.contains("\u{1B}"))
            var terminal = runner
            terminal.outputIsTerminal = true
            #expect(await terminal.run("--from-har", "x.har").output.text.contains("\u{1B}[38;5;"))
            terminal.environment = ["NO_COLOR": "1"]
            #expect(await !terminal.run("--from-har", "x.har").output.text.contains("\u{1B}"))
        }
    }

    @Test func drawsAnArchiveAsAPicture() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put(Self.archive, in: "x.har")
            let run = await runner.run("--waterfall", "x.svg", "--from-har", "x.har")
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(run.output.bytes.isEmpty)
            let picture = String(decoding: try #require(runner.file("x.svg")), as: UTF8.self)
            #expect(picture.hasSuffix("</svg>\n") && !picture.contains("sesame"))
        }
    }

    @Test(arguments: [
        (["--from-har", "missing.har"], "missing.har"), (["--from-har", "bad.har"], "bad.har"),
        (["--from-har="], "--from-har"),
        (["--from-har", "x.har", "example.org"], "example.org"), (["--from-har", "x.har", "--har", "y.har"], "--har"),
        (["--from-har", "x.har", "--waterfall", "no/x.svg"], "--waterfall"),
        (["--from-har", "x.har", "--waterfall", "x.har"], "the archive itself"),
        (["--har", "y", "--waterfall", "y", "http://127.0.0.1:1/"], "the same file"),
    ])
    func rejectsInvalidArchives(arguments: [String], word: String) async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put(Self.archive, in: "x.har")
            try runner.put("{\"log\": {\"entries\": [{}]}}", in: "bad.har")
            expectOneSentence(await runner.run(arguments), word)
            #expect(runner.fileNames == ["bad.har", "x.har"])
            #expect(runner.file("x.har") == Array(Self.archive.utf8))
        }
    }

    // MARK: --trace

    @Test func tracesEachStep() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("--trace", "-F", server.url("/redirect/1"), "token==sesame")
            #expect(run.exitCode == .success)
            let lines = run.error.text.split(separator: "\n")
            let steps =
                ["created: GET", "exchange began (first)", "exchange ended", "redirected: 302"]
                + ["exchange began (redirect)", "responded: 200", "complete", "finished"]
            for step in steps { #expect(lines.contains { $0.contains(step) }, "\(step): \(lines)") }
            for line in lines { #expect(line.contains(/^ *[0-9.]+ (µs|ms|s)  [a-z]/), "\(line)") }
            #expect(!run.error.text.contains("sesame") && !run.error.text.contains("\u{1B}"))
            #expect(run.output.text.hasPrefix("{"))
        }
    }

    @Test func isColoredOnlyOnATerminal() async throws {
        try await TestServer.with { server in
            var runner = CommandRunner(errorIsTerminal: true)
            #expect(await runner.run("--trace", server.url("/get")).error.text.contains("\u{1B}[2m"))
            runner.environment = ["NO_COLOR": "1"]
            #expect(await !runner.run("--trace", server.url("/get")).error.text.contains("\u{1B}"))
        }
    }

    @Test func escapesControlsInATrace() async throws {
        let response = TestResponse(status: 404, reason: "\u{9B}31mred", fields: [], body: .empty)
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            let runner = CommandRunner(environment: ["NO_COLOR": "1"], errorIsTerminal: true)
            let run = await runner.run("--trace", server.origin)
            #expect(!run.error.text.unicodeScalars.contains("\u{9B}"))
        }
    }
}

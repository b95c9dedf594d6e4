import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// `--queue`: downloads that are added by one command and saved by another one.
@Suite(.timeLimit(.minutes(5))) struct CommandQueueTests {
    /// A line of JSON.
    private struct Line: Decodable {
        let url: String?
        let file: String?
        let bytes: Int64?
        let sha256: String?
        let error: String?
    }

    private static let length = 300_000
    private static let content = TestServer.pattern(count: length)
    private static let okScript: Script = [
        .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"), .close,
    ]
    private static let busyScript: Script = [
        .expectHead, .send("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
        .close,
    ]

    /// Returns the lines of a run, sorted by the files.
    private func lines(_ run: CommandOutcome) throws -> [Line] {
        try run.output.text.split(separator: "\n")
            .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
            .sorted { ($0.file ?? "") < ($1.file ?? "") }
    }

    /// Runs the command on a server that plays a script for each connection.
    private func with(
        _ scripts: [Script],
        _ body: (TestServer, CommandRunner) async throws -> Void
    ) async throws {
        try await TestServer.with(behavior: .scripts(scripts)) { server in
            try await CommandRunner.inFolder { runner in try await body(server, runner) }
        }
    }

    /// The names come from the URLs, so the second file must not replace the first.
    @Test func replacesNoFileThatItHasNamedItself() async throws {
        try await TestServer.with(behavior: .handler { .text($0.path) }) { server in
            try await CommandRunner.inFolder { runner in
                for folder in ["a", "b"] {
                    let added = await runner.run("--queue", "jobs", "-d", server.url("/\(folder)/file"))
                    #expect(added.exitCode == .success, "\(added.error.text)")
                }
                let run = await runner.run("--queue", "jobs", "--run")
                #expect(run.exitCode == .failure)
                let lines = try lines(run)
                #expect(lines.map { $0.error == nil }.sorted { $0 && !$1 } == [true, false])
                #expect(lines.compactMap(\.error).first?.contains("already exists") == true)
                let text = try String(contentsOf: URL(filePath: "\(runner.folder)/file"), encoding: .utf8)
                #expect(text == "/a/file")
            }
        }
    }

    @Test func leavesAFileThatIsNoLogOfAQueue() async throws {
        try await CommandRunner.inFolder { runner in
            let log = URL(filePath: "\(runner.folder)/queue.log")
            try Data("of another program".utf8).write(to: log)
            let run = await runner.run("--queue", ".", "--run")
            #expect(run.exitCode == .failure)
            #expect(run.error.text.contains("is not the log of a queue"), "\(run.error.text)")
            #expect(try String(contentsOf: log, encoding: .utf8) == "of another program")
        }
    }

    @Test func savesAllThatWasAdded() async throws {
        try await TestServer.with(behavior: .handler { .text($0.path) }) { server in
            try await CommandRunner.inFolder { runner in
                for name in ["a", "b"] {
                    let added = await runner.run("--queue", "jobs", "-d", "-o", name, server.url("/\(name)"))
                    #expect(added.exitCode == .success, "\(added.error.text)")
                    #expect(added.output.bytes.isEmpty && added.error.bytes.isEmpty)
                }
                #expect(server.requestCount == 0)
                let run = await runner.run("--queue", "jobs", "--run")
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(run.error.bytes.isEmpty, "\(run.error.text)")
                let lines = try lines(run)
                #expect(lines.map(\.url) == [server.url("/a"), server.url("/b")])
                #expect(lines.map(\.file) == ["\(runner.folder)/a", "\(runner.folder)/b"])
                #expect(lines.map(\.bytes) == [2, 2])
                #expect(lines.map(\.error) == [nil, nil])
                let digest = try FileFingerprint(of: URL(fileURLWithPath: "\(runner.folder)/a")).sha256
                #expect(lines.first?.sha256 == digest)
                #expect(runner.file("b") == Array("/b".utf8))
                #expect(runner.fileNames == ["a", "b", "jobs"])
                let next = await runner.run("--queue", "jobs", "--run")
                #expect(next.exitCode == .success && next.output.bytes.isEmpty)
                #expect(server.requestCount == 2)
            }
        }
    }

    @Test func takesTheNameOfTheURL() async throws {
        try await TestServer.with(behavior: .handler { .text($0.path) }) { server in
            try await CommandRunner.inFolder { runner in
                // A loop of a shell has its URLs there.
                var runner = runner
                runner.input = .bytes(Array("more URLs".utf8))
                #expect(await runner.run("--queue=jobs", "-d", server.url("/x/a.txt")).exitCode == .success)
                #expect(await runner.run("--queue=jobs", "--run").exitCode == .success)
                #expect(runner.file("a.txt") == Array("/x/a.txt".utf8))
                let again = await runner.run("--queue=jobs", "-d", server.url("/x/a.txt"))
                #expect(again.exitCode == .failure && again.hasOneSentence)
                #expect(again.error.text.contains("'a.txt' exists already"), "\(again.error.text)")
            }
        }
    }

    @Test func meansTheFolderWhereItWasAdded() async throws {
        try await TestServer.with(behavior: .handler { .text($0.path) }) { server in
            try await CommandRunner.inFolder { runner in
                var below = runner
                below.folder += "/below"
                try FileManager.default.createDirectory(atPath: below.folder, withIntermediateDirectories: false)
                let added = await below.run("--queue", "../jobs", "-d", "-o", "./x", server.url("/x"))
                #expect(added.exitCode == .success, "\(added.error.text)")
                let run = await runner.run("--queue", "jobs", "--run")
                #expect(run.exitCode == .success, "\(run.error.text)")
                let line = try #require(try lines(run).first)
                #expect(line.file == "\(below.folder)/x")
                #expect(below.fileNames == ["x"])
                #expect(runner.fileNames == ["below", "jobs"])
            }
        }
    }

    @Test func reportsEachFailureOnce() async throws {
        try await TestServer.with(
            behavior: .handler { $0.path == "/a" ? .text("no", status: 404) : .text($0.path) }
        ) { server in
            try await CommandRunner.inFolder { runner in
                let urls = [server.url("/a"), "http://127.0.0.1:1/b", server.url("/c"), server.url("/d")]
                for (url, name) in zip(urls, ["a", "b", "c", "d"]) {
                    #expect(await runner.run("--queue", "jobs", "-d", "-o", name, url).exitCode == .success)
                }
                try FileManager.default.createDirectory(
                    atPath: "\(runner.folder)/c",
                    withIntermediateDirectories: false
                )
                let run = await runner.run("--queue", "jobs", "--run")
                #expect(run.exitCode == .failure)
                #expect(run.error.bytes.isEmpty, "\(run.error.text)")
                let lines = try lines(run)
                #expect(lines.compactMap(\.url) == urls)
                #expect(lines.map { $0.error == nil } == [false, false, false, true])
                #expect(lines.map { $0.bytes == nil && $0.sha256 == nil } == [true, true, true, false])
                #expect(lines.first?.error?.contains("404") == true, "\(run.output.text)")
                #expect(runner.file("d") == Array("/d".utf8))
                let next = await runner.run("--queue", "jobs", "--run")
                #expect(next.exitCode == .success && next.output.bytes.isEmpty)
            }
        }
    }

    @Test(arguments: [(["--retry=1"], ExitCode.success, 2), ([], .failure, 1)])
    func keepsRetriesAndFields(flags: [String], exitCode: ExitCode, count: Int) async throws {
        try await with([Self.busyScript, Self.okScript]) { server, runner in
            let words =
                ["--queue", "jobs", "-d", "-o", "x", "-a", "ada:sesame"] + flags + [server.url("/x"), "X-Tag:7"]
            #expect(await runner.run(words).exitCode == .success)
            let run = await runner.run("--queue", "jobs", "--run")
            #expect(run.exitCode == exitCode, "\(run.output.text)")
            #expect(run.output.text.count { $0 == "\n" } == 1)
            #expect(server.requests.map { $0["X-Tag"] } == Array(repeating: "7", count: count))
            #expect(server.requests.allSatisfy { $0["Authorization"] == "Basic YWRhOnNlc2FtZQ==" })
            #expect(server.requests.allSatisfy { $0["User-Agent"]?.hasPrefix("apus/") == true })
        }
    }

    @Test(arguments: [("sha256", 64), ("sha512", 128)])
    func comparesTheDigest(algorithm: String, digitCount: Int) async throws {
        let zeros = String(repeating: "0", count: digitCount)
        try await with([Self.okScript]) { server, runner in
            let words = ["--queue=jobs", "-d", "-o", "x", "--checksum=\(algorithm):\(zeros)", server.url("/x")]
            #expect(await runner.run(words).exitCode == .success)
            let run = await runner.run("--queue=jobs", "--run")
            #expect(run.exitCode == .failure)
            #expect(run.output.text.contains(zeros), "\(run.output.text)")
            #expect(runner.file("x") == nil)
        }
    }

    @Test func showsNoSecrets() async throws {
        try await with([Self.busyScript]) { server, runner in
            let url = "http://ada:sesame@127.0.0.1:\(server.port)/x?sig=hush"
            #expect(await runner.run("--queue", "jobs", "-d", "-o", "x", url).exitCode == .success)
            let run = await runner.run("--queue", "jobs", "--run")
            #expect(server.requests.first?["Authorization"] == "Basic YWRhOnNlc2FtZQ==")
            #expect(run.output.text.contains("127.0.0.1:\(server.port)/x"))
            #expect(!run.output.text.contains("sesame") && !run.output.text.contains("hush"), "\(run.output.text)")
        }
    }

    /// Responds with the rest of the content from the requested byte on. A whole response is cut off.
    private static func respond(to request: TestRequest) -> TestResponse {
        let start = request["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        var response = TestResponse(
            status: start > 0 ? 206 : 200,
            fields: [("ETag", "\"1\""), ("Content-Range", "bytes \(start)-\(length - 1)/\(length)")],
            body: .bytes(Array(content[start...]))
        )
        if start == 0 {
            response.fields.removeLast()
            response.abortsAfterBodyBytes = 100_000
        }
        return response
    }

    @Test func goesOnWithAPart() async throws {
        try await TestServer.with(behavior: .handler { Self.respond(to: $0) }) { server in
            try await CommandRunner.inFolder { runner in
                let words = ["--queue", "jobs", "-d", "-o", "x", server.url("/x")]
                #expect(await runner.run(words).exitCode == .success)
                #expect(await runner.run("--queue", "jobs", "--run").exitCode == .failure)
                #expect(runner.file("x") == nil && runner.fileNames.contains("x.part"))
                // A failed download stays failed until it is added again.
                #expect(await runner.run(words).exitCode == .success)
                let run = await runner.run("--queue", "jobs", "--run")
                #expect(run.exitCode == .success, "\(run.output.text)")
                #expect(runner.file("x") == Self.content)
                #expect(server.requestCount == 2)
                let range = try #require(server.requests.last?["Range"])
                #expect(range != "bytes=0-")
            }
        }
    }

    @Test func takesDownloadsDuringARun() async throws {
        let gate = Gate()
        let first: Script = [
            .expectHead, .wait(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
            .close,
        ]
        try await with([first, Self.okScript]) { server, runner in
            #expect(await runner.run("--queue", "jobs", "-d", "-o", "a", server.url("/a")).exitCode == .success)
            let run = Task { await runner.run("--queue", "jobs", "--run") }
            await server.waitForRequests(atLeast: 1)
            let second = await runner.run("--queue", "jobs", "--run")
            #expect(second.exitCode == .failure && second.hasOneSentence, "\(second.error.text)")
            #expect(second.error.text.contains("is run by another process"), "\(second.error.text)")
            #expect(await runner.run("--queue", "jobs", "-d", "-o", "b", server.url("/b")).exitCode == .success)
            gate.open()
            let outcome = await run.value
            #expect(outcome.exitCode == .success, "\(outcome.output.text)")
            let files = try lines(outcome).map(\.file)
            #expect(files == ["\(runner.folder)/a", "\(runner.folder)/b"])
        }
    }

    @Test func goesOnAfterARunThatWasStopped() async throws {
        try await with([[.expectHead, .silence], Self.okScript]) { server, runner in
            #expect(await runner.run("--queue", "jobs", "-d", "-o", "x", server.url("/x")).exitCode == .success)
            let stopped = Task { await runner.run("--queue", "jobs", "--run") }
            await server.waitForRequests(atLeast: 1)
            stopped.cancel()
            let outcome = await stopped.value
            #expect(outcome.exitCode == .failure && outcome.output.bytes.isEmpty)
            let run = await runner.run("--queue", "jobs", "--run")
            #expect(run.exitCode == .success, "\(run.output.text)")
            #expect(runner.file("x") == Array("ok".utf8))
        }
    }

    @Test(arguments: [true, false]) func showsItsProgressOnATerminal(isQuiet: Bool) async throws {
        try await with([Self.okScript, Self.okScript]) { server, runner in
            var runner = runner
            runner.errorIsTerminal = true
            for name in ["a", "b"] {
                let words = ["--queue", "jobs", "-d", "-o", name, server.url("/\(name)")]
                #expect(await runner.run(words).exitCode == .success)
            }
            let run = await runner.run(["--queue", "jobs", "--run"] + (isQuiet ? ["-q"] : []))
            #expect(run.exitCode == .success)
            #expect(run.output.text.count { $0 == "\n" } == 2)
            guard !isQuiet else {
                #expect(run.error.bytes.isEmpty, "\(run.error.text)")
                return
            }
            #expect(run.error.text.hasPrefix("\r\u{1B}[K0 of 2, 0 B"), "\(run.error.text)")
            #expect(run.error.text.contains("\r\u{1B}[K1 of 2, "))
            // The line is cleared at the end.
            #expect(run.error.text.hasSuffix("\r\u{1B}[K"))
        }
    }

    @Test func stopsForAReaderThatIsGone() async throws {
        try await with([Self.okScript]) { server, runner in
            #expect(await runner.run("--queue", "jobs", "-d", "-o", "x", server.url("/x")).exitCode == .success)
            var runner = runner
            runner.readerClosesAfter = 1
            let run = await runner.run("--queue", "jobs", "--run")
            #expect(run.exitCode == .brokenPipe)
            #expect(run.error.bytes.isEmpty, "\(run.error.text)")
        }
    }

    @Test(arguments: [
        (["--run"], "add --queue FOLDER"), (["--queue=", "--run"], "--queue has no folder"),
        (["--queue=jobs", "--run", "URL/x"], "sends no other request"),
        (["--queue=jobs", "--run", "--retry=1"], "--retry belongs to a transfer"),
        (["--queue=jobs", "--run", "-o", "x"], "--output belongs to a transfer"),
        (["--queue=jobs", "-d", "--proxy=none", "URL/x"], "--proxy is not kept with a transfer"),
        (["--queue=jobs", "-d", "--verify=no", "URL/x"], "--verify is not kept with a transfer"),
        (["--queue=jobs", "--session=a", "URL/x"], "--session can't be used with --queue"),
        (["--queue=jobs", "--offline", "URL/x"], "--offline can't be used with --queue"),
        (["--queue=jobs", "POST", "URL/x"], "--queue needs a GET"),
        (["--queue=jobs", "GET", "URL/x", "a=b"], "--queue keeps no body"),
        (["--queue=jobs", "-A", "digest", "-a", "a:b", "URL/x"], "no credentials for Digest"),
        (["--queue=jobs", "URL/x", "Accept-Encoding:"], "can't keep the field Accept-Encoding away"),
        (["--queue=jobs", "URL/x", "Range:bytes=0-1"], "leave out the item with Range"),
        (["--queue=jobs", "-o", "/dev/null", "URL/x"], "which '/dev/null' can't have"),
        (["--queue=jobs", "-o", "-", "URL/x"], "goes to standard output; add --output FILE"),
        (["--queue=jobs", "-o", "none/x", "URL/x"], "'none/x' can't be created"),
        (["--queue=jobs", "-d", "URL/"], "the URL has none; add --output FILE"),
        (["--queue=/dev/null/jobs", "URL/x"], "name another folder with --queue"),
    ])
    func explainsWhatItNeeds(words: [String], sentence: String) async throws {
        try await with([Self.okScript]) { server, runner in
            let run = await runner.run(words.map { $0.replacing("URL", with: server.origin) })
            #expect(run.exitCode == .failure && run.hasOneSentence, "\(run.error.text)")
            #expect(run.error.text.contains(sentence), "\(run.error.text)")
            #expect(server.requestCount == 0)
            #expect(runner.fileNames.isEmpty)
        }
    }
}

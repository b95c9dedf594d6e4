import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// `--list`, `--pause`, `--resume`, `--remove` and `--priority`.
@Suite(.timeLimit(.minutes(5))) struct CommandQueueControlTests {
    /// A line of `--list`.
    private struct Item: Decodable {
        let id: String
        let state: String
        let url: String
        let file: String
        let bytes: Int64
        let priority: Int
        let error: String?
    }

    /// Runs the command on a server that responds with the path, or with 404 for `/missing`.
    private func with(_ body: (TestServer, CommandRunner) async throws -> Void) async throws {
        let behavior = TestServer.Behavior.handler {
            $0.path == "/missing" ? .text("no", status: 404) : .text($0.path)
        }
        try await TestServer.with(behavior: behavior) { server in
            try await CommandRunner.inFolder { runner in try await body(server, runner) }
        }
    }

    private func add(_ name: String, _ flags: [String] = [], to server: TestServer, _ runner: CommandRunner) async {
        let added = await runner.run(["--queue=jobs", "-o", name] + flags + [server.url("/\(name)")])
        #expect(added.exitCode == .success, "\(added.error.text)")
    }

    private func items(_ runner: CommandRunner) async throws -> [Item] {
        let run = await runner.run("--queue=jobs", "--list")
        #expect(run.exitCode == .success && run.error.bytes.isEmpty, "\(run.error.text)")
        return try run.output.text.split(separator: "\n")
            .map { try JSONDecoder().decode(Item.self, from: Data($0.utf8)) }
    }

    private func change(_ flag: String, _ id: String, _ runner: CommandRunner) async {
        let run = await runner.run("--queue=jobs", flag, id)
        #expect(run.exitCode == .success && run.output.bytes.isEmpty, "\(run.error.text)")
    }

    @Test func listsAllTransfers() async throws {
        try await with { server, runner in
            for (name, flags) in [("a", []), ("b", ["--priority=-5"]), ("missing", ["--priority", "10"])] {
                await add(name, flags, to: server, runner)
            }
            let waiting = try await items(runner)
            #expect(waiting.map(\.state) == ["waiting", "waiting", "waiting"])
            #expect(waiting.map(\.priority) == [0, -5, 10])
            #expect(waiting.map(\.bytes) == [0, 0, 0])
            #expect(waiting.map(\.url) == ["/a", "/b", "/missing"].map { server.url($0) })
            #expect(waiting.map(\.file) == ["a", "b", "missing"].map { "\(runner.folder)/\($0)" })
            #expect(await runner.run("--queue=jobs", "--run").exitCode == .failure)
            let ended = try await items(runner)
            #expect(ended.map(\.id) == waiting.map(\.id))
            #expect(ended.map(\.state) == ["finished", "finished", "failed"])
            #expect(ended.map(\.bytes) == [2, 2, 0])
            #expect(ended.map { $0.error == nil } == [true, true, false])
            #expect(ended.last?.error?.contains("404") == true)
        }
    }

    @Test func showsATableOnATerminal() async throws {
        try await with { server, runner in
            await add("a", to: server, runner)
            await add("missing", to: server, runner)
            #expect(await runner.run("--queue=jobs", "--run").exitCode == .failure)
            let run = await runner.atTerminal.run("--queue=jobs", "--list")
            #expect(run.exitCode == .success)
            let lines = run.output.text.split(separator: "\n")
            #expect(lines.count == 4)
            let columns = lines.map { $0.split(separator: " ").map(String.init) }
            #expect(columns.first == ["ID", "STATE", "BYTES", "PRIORITY", "FILE", "URL"])
            let items = try await items(runner)
            let id = try #require(items.first).id
            #expect(columns[1] == [id, "finished", "2", "B", "0", "\(runner.folder)/a", server.url("/a")])
            #expect(lines.last?.hasPrefix("  ") == true && lines.last?.contains("404") == true)
        }
    }

    @Test func showsNoSecrets() async throws {
        try await with { server, runner in
            let url = "http://ada:sesame@127.0.0.1:\(server.port)/x?sig=hush"
            #expect(await runner.run("--queue=jobs", "-o", "x", url, "X-Key:hush").exitCode == .success)
            for runner in [runner, runner.atTerminal] {
                let text = await runner.run("--queue=jobs", "--list").output.text
                #expect(text.contains("127.0.0.1:\(server.port)/x"))
                #expect(!text.contains("sesame") && !text.contains("hush"), "\(text)")
            }
        }
    }

    @Test func pausesResumesAndRemoves() async throws {
        try await with { server, runner in
            for name in ["a", "b"] { await add(name, to: server, runner) }
            let ids = try await items(runner).map(\.id)
            try #require(ids.count == 2)
            await change("--pause", ids[0], runner)
            await change("--remove", ids[1], runner)
            #expect(try await items(runner).map(\.state) == ["paused"])
            let idle = await runner.run("--queue=jobs", "--run")
            #expect(idle.exitCode == .success && idle.output.bytes.isEmpty)
            #expect(server.requestCount == 0)
            let listed = await runner.run("--queue=jobs", "--resume", ids[0], "--list")
            #expect(listed.output.text.contains("\"state\":\"waiting\""), "\(listed.output.text)")
            #expect(await runner.run("--queue=jobs", "--run").exitCode == .success)
            #expect(runner.fileNames == ["a", "jobs"])
            await change("--remove", ids[0], runner)
            #expect(try await items(runner).isEmpty)
            #expect(await runner.atTerminal.run("--queue=jobs", "--list").output.bytes.isEmpty)
            #expect(runner.fileNames == ["a", "jobs"])
        }
    }

    /// The run notices the changes of other processes.
    @Test func controlsARun() async throws {
        try await TestServer.with(behavior: .script([.expectHead, .silence])) { server in
            try await CommandRunner.inFolder { runner in
                for name in ["a", "b"] { await add(name, to: server, runner) }
                let run = Task { await runner.run("--queue=jobs", "--run") }
                await server.waitForRequests(atLeast: 2)
                let running = try await items(runner)
                #expect(running.map(\.state) == ["running", "running"])
                try #require(running.count == 2)
                await change("--pause", running[0].id, runner)
                await change("--remove", running[1].id, runner)
                let outcome = await run.value
                #expect(outcome.exitCode == .success && outcome.output.bytes.isEmpty, "\(outcome.error.text)")
                #expect(try await items(runner).map(\.state) == ["paused"])
            }
        }
    }

    @Test func keepsSegments() async throws {
        let content = TestServer.pattern(count: 3 << 20)
        let behavior = TestServer.Behavior.handler { request in
            let bounds = (request["Range"]?.dropFirst("bytes=".count).split(separator: "-") ?? []).compactMap {
                Int($0)
            }
            let start = bounds.first ?? 0
            let end = bounds.count > 1 ? min(bounds[1], content.count - 1) : content.count - 1
            return TestResponse(
                status: 206,
                fields: [("ETag", "\"1\""), ("Content-Range", "bytes \(start)-\(end)/\(content.count)")],
                body: .bytes(Array(content[start...end]))
            )
        }
        try await TestServer.with(behavior: behavior) { server in
            try await CommandRunner.inFolder { runner throws in
                await add("x", ["--segments=3"], to: server, runner)
                let run = await runner.run("--queue=jobs", "--run")
                #expect(run.exitCode == .success, "\(run.output.text)")
                #expect(runner.file("x") == content)
                #expect(server.requestCount > 1)
                #expect(try await items(runner).map(\.bytes) == [3 << 20])
            }
        }
    }

    @Test func refusesAChangeThatHasNoUse() async throws {
        try await with { server, runner in
            for name in ["a", "missing"] { await add(name, to: server, runner) }
            #expect(await runner.run("--queue=jobs", "--run").exitCode == .failure)
            let ids = try await items(runner).map(\.id)
            try #require(ids.count == 2)
            let cases = [
                ("--pause", "none", "the queue has no transfer 'none'"), ("--remove", "none", "see --list"),
                ("--pause", ids[0], "is finished"), ("--resume", ids[0], "is finished"),
                ("--pause", ids[1], "has failed"),
            ]
            for (flag, id, sentence) in cases {
                let run = await runner.run("--queue=jobs", flag, id)
                #expect(run.exitCode == .failure && run.hasOneSentence, "\(run.error.text)")
                #expect(run.error.text.contains(sentence), "\(run.error.text)")
            }
        }
    }

    @Test(arguments: [
        (["--list"], "add --queue FOLDER"), (["--pause=a"], "add --queue FOLDER"),
        (["--priority=1", "URL/x"], "add --queue FOLDER"), (["--queue=none", "--list"], "'none' has no queue"),
        (["--queue=none", "--remove=a"], "'none' has no queue"),
        (["--queue=jobs", "--list", "--run"], "can't be used with --run"),
        (["--queue=jobs", "--list", "URL/x"], "sends no request"),
        (["--queue=jobs", "--list", "--retry=1"], "--retry has no use with --list"),
        (["--queue=jobs", "--list", "--verify=no"], "--verify has no use with --list"),
        (["--queue=jobs", "--resume=a", "--priority=1"], "--priority has no use with --resume"),
        (["--queue=jobs", "--run", "--priority=1"], "--priority belongs to a transfer"),
        (["--queue=jobs", "--run", "--segments=2"], "--segments belongs to a transfer"),
        (["--queue=jobs", "--priority=high", "URL/x"], "needs a whole number, not 'high'"),
    ])
    func explainsWhatItNeeds(words: [String], sentence: String) async throws {
        try await with { server, runner in
            let run = await runner.run(words.map { $0.replacing("URL", with: server.origin) })
            #expect(run.exitCode == .failure && run.hasOneSentence, "\(run.error.text)")
            #expect(run.error.text.contains(sentence), "\(run.error.text)")
            #expect(runner.fileNames.isEmpty)
        }
    }
}

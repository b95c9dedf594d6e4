import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// `--queue` with `@FILE`: uploads that are added by one command and performed by another one.
@Suite(.timeLimit(.minutes(5))) struct CommandQueueUploadTests {
    /// A line of JSON.
    private struct Line: Decodable {
        let url: String?
        let file: String?
        let bytes: Int64?
        let sha256: String?
        let error: String?
        let status: Int?
        let body: String?
    }

    private static let announcement: Step = .send(
        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 7\r\nLocation: /uploads/1\r\n\r\n"
    )
    private static let okScript: Script = [
        .expectHead, .expectBody, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .silence,
    ]

    private func lines(_ run: CommandOutcome) throws -> [Line] {
        try run.output.text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    /// Runs the command in a folder with a file, on a server.
    private func with(
        _ behavior: TestServer.Behavior,
        _ body: (TestServer, CommandRunner) async throws -> Void
    ) async throws {
        try await TestServer.with(behavior: behavior) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("0123456789", in: "a.txt")
                try await body(server, runner)
            }
        }
    }

    @Test(arguments: [["PUT"], ["POST"], []]) func sendsAllThatWasAdded(method: [String]) async throws {
        try await with(.handler { .text("got \($0.bodyByteCount)", status: 201) }) { server, runner in
            let words =
                ["--queue", "jobs", "-a", "ada:sesame"] + method + [
                    server.url("/a"), "@a.txt;type=text/x-note", "X-Tag:7",
                ]
            let added = await runner.run(words)
            #expect(added.exitCode == .success, "\(added.error.text)")
            #expect(added.output.bytes.isEmpty && server.requestCount == 0)
            let run = await runner.run("--queue", "jobs", "--run")
            #expect(run.exitCode == .success, "\(run.output.text)")
            let line = try #require(try lines(run).first)
            #expect(line.url == server.url("/a"))
            #expect(line.file == "\(runner.folder)/a.txt")
            #expect(line.bytes == 10 && line.sha256 == nil && line.error == nil)
            #expect(line.status == 201 && line.body == "got 10")
            let request = try #require(server.requests.first)
            #expect(request.method == method.first ?? "POST")
            #expect(request.bodyText == "0123456789")
            #expect(request["X-Tag"] == "7" && request["Authorization"] == "Basic YWRhOnNlc2FtZQ==")
            #expect(request["Content-Type"] == "text/x-note")
            let next = await runner.run("--queue", "jobs", "--run")
            #expect(next.exitCode == .success && next.output.bytes.isEmpty)
        }
    }

    @Test func reportsTheStatusOfARefusal() async throws {
        try await with(.handler { _ in .text("no", status: 409) }) { server, runner in
            #expect(await runner.run("--queue=jobs", server.url("/a"), "@a.txt").exitCode == .success)
            let run = await runner.run("--queue=jobs", "--run")
            #expect(run.exitCode == .failure)
            let line = try #require(try lines(run).first)
            #expect(line.status == 409 && line.body == nil && line.bytes == nil)
            #expect(line.error?.contains("409") == true)
        }
    }

    /// A POST is sent again only if the user asks for it.
    @Test func repeatsNoPOSTThatWasStopped() async throws {
        try await with(.scripts([[.expectHead, .silence], Self.okScript])) { server, runner in
            #expect(await runner.run("--queue=jobs", server.url("/a"), "@a.txt").exitCode == .success)
            let stopped = Task { await runner.run("--queue=jobs", "--run") }
            await server.waitForRequests(atLeast: 1)
            stopped.cancel()
            #expect(await stopped.value.output.bytes.isEmpty)
            let failed = await runner.run("--queue=jobs", "--run")
            #expect(failed.exitCode == .failure)
            #expect(failed.output.text.contains("may have received it"), "\(failed.output.text)")
            #expect(server.requestCount == 1)
            let listed = await runner.run("--queue=jobs", "--list").output.text
            let id = try #require(listed.firstMatch(of: /"id":"([0-9a-f]+)","state":"failed"/)?.output.1)
            #expect(await runner.run("--queue=jobs", "--resume", String(id)).exitCode == .success)
            let run = await runner.run("--queue=jobs", "--run")
            #expect(run.exitCode == .success, "\(run.output.text)")
            #expect(server.requestCount == 2)
        }
    }

    @Test func continuesAResumableUpload() async throws {
        let completing: Script = [
            .expectHead, .send("HTTP/1.1 204 X\r\nUpload-Offset: 4\r\nUpload-Complete: ?0\r\n\r\n"), .expectHead,
            .expectBody, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .silence,
        ]
        try await with(.scripts([[.expectHead, Self.announcement, .silence], completing])) { server, runner in
            let words = ["--queue=jobs", "--resumable", "--interop-version=7", server.url("/a"), "@a.txt"]
            #expect(await runner.run(words).exitCode == .success)
            let stopped = Task { await runner.run("--queue=jobs", "--run") }
            while !isRecorded(runner) { await Task.yield() }
            stopped.cancel()
            _ = await stopped.value
            let run = await runner.run("--queue=jobs", "--run")
            #expect(run.exitCode == .success, "\(run.output.text)")
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH"])
            #expect(server.requests.first?["Upload-Draft-Interop-Version"] == "7")
            #expect(server.requests.last?.bodyText == "456789")
        }
    }

    /// Whether the log has the state of an upload.
    private func isRecorded(_ runner: CommandRunner) -> Bool {
        let log = runner.file("jobs/queue.log") ?? []
        return String(decoding: log, as: UTF8.self).contains("/uploads/1")
    }

    @Test func sendsNoFileThatHasChanged() async throws {
        try await with(.handler { _ in .text("ok") }) { server, runner in
            #expect(await runner.run("--queue=jobs", "PUT", server.url("/a"), "@a.txt").exitCode == .success)
            try runner.put("another text", in: "a.txt")
            let run = await runner.run("--queue=jobs", "--run")
            #expect(run.exitCode == .failure)
            #expect(run.output.text.contains("has changed since"), "\(run.output.text)")
            #expect(server.requestCount == 0)
        }
    }

    @Test(arguments: [
        (["-d", "URL/x", "@a.txt"], "--download has no use for an upload"),
        (["-o", "x", "URL/x", "@a.txt"], "--output has no use for an upload"),
        (["--segments=2", "URL/x", "@a.txt"], "--segments has no use for an upload"),
        (["-x", "URL/x", "@a.txt"], "--compress has no use for an upload"),
        (["GET", "URL/x", "@a.txt"], "use POST, PUT or PATCH"),
        (["DELETE", "URL/x", "@a.txt"], "use POST, PUT or PATCH"),
        (["URL/x", "@missing"], "can't be added to the queue"), (["URL/x", "@/dev/stdin"], "name a regular file"),
        (["URL/x", "@a.txt", "b=c"], "the whole body"), (["-f", "URL/x", "a@a.txt"], "--queue needs a GET"),
        (["--resumable", "URL/x"], "--resumable needs a file to upload"),
        (["--interop-version=7", "URL/x", "@a.txt"], "--interop-version is for --resumable"),
        (["-A", "digest", "-a", "a:b", "URL/x", "@a.txt"], "no credentials for Digest"),
        (["--proxy=none", "URL/x", "@a.txt"], "--proxy is not kept with a transfer"),
    ])
    func explainsWhatItNeeds(words: [String], sentence: String) async throws {
        try await with(.handler { _ in .text("ok") }) { server, runner in
            let run = await runner.run(["--queue=jobs"] + words.map { $0.replacing("URL", with: server.origin) })
            #expect(run.exitCode == .failure && run.hasOneSentence, "\(run.error.text)")
            #expect(run.error.text.contains(sentence), "\(run.error.text)")
            #expect(runner.fileNames == ["a.txt"])
            #expect(server.requestCount == 0)
        }
    }
}

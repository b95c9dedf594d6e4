import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// `--continue`, with connections that are cut, and with files that change in between.
@Suite(.timeLimit(.minutes(5))) struct CommandContinueTests {
    private static let content = "abcdefghi"

    /// Sends a head with an entity tag and the beginning of its body, and closes the connection.
    private static func script(_ status: String, _ tag: String, _ fields: String, _ body: String) -> Script {
        [.expectHead, .send("HTTP/1.1 \(status)\r\nETag: \"\(tag)\"\r\n\(fields)\r\n\r\n\(body)"), .close]
    }

    /// Sends the beginning of a file of nine bytes.
    private static func whole(_ tag: String, _ body: String) -> Script {
        script("200 OK", tag, "Content-Length: 9", body)
    }

    /// Sends the beginning of the rest of that file.
    private static func rest(_ tag: String, from start: Int, _ body: String) -> Script {
        script(
            "206 Partial Content",
            tag,
            "Content-Range: bytes \(start)-8/9\r\nContent-Length: \(9 - start)",
            body
        )
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Runs the command on a server that plays a script for each connection.
    private func with(
        _ scripts: [Script],
        _ body: (TestServer, CommandRunner) async throws -> Void
    ) async throws {
        try await TestServer.with(behavior: .scripts(scripts)) { server in
            try await CommandRunner.inFolder { runner in try await body(server, runner.atTerminal) }
        }
    }

    @Test func goesOnAfterEachCut() async throws {
        let scripts = [Self.whole("a", "abc"), Self.rest("a", from: 3, "def"), Self.rest("a", from: 6, "ghi")]
        try await with(scripts) { server, runner in
            let first = await runner.run("-d", server.url("/x"))
            #expect(first.exitCode == .failure && first.hasOneSentence)
            let place = "(the received part, 3 B of 9 B, is in 'x.part'; go on with --continue)"
            #expect(first.error.text.contains(place), "\(first.error.text)")
            #expect(runner.fileNames == ["x.part", "x.part.json"])

            let second = await runner.run("-dc", server.url("/x"))
            #expect(second.exitCode == .failure && second.hasOneSentence)
            #expect(
                second.error.text.contains("(the received part, 6 B of 9 B, is in 'x.part'; "),
                "\(second.error.text)"
            )
            #expect(runner.file("x.part") == bytes("abcdef"))

            let third = await runner.run("-dc", server.url("/x"))
            #expect(third.exitCode == .success)
            #expect(third.error.text.hasPrefix("Saved 9 B to 'x', 3 B of them now, in "), "\(third.error.text)")
            #expect(runner.fileNames == ["x"])
            #expect(runner.file("x") == bytes(Self.content))
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=3-", "bytes=6-"])
            #expect(server.requests.map { $0["If-Range"] } == [nil, "\"a\"", "\"a\""])
            #expect(server.requests.allSatisfy { $0["Accept-Encoding"] == "identity" })
        }
    }

    @Test func receivesAChangedFileAnew() async throws {
        try await with([Self.whole("a", "abc"), Self.whole("b", "ABCDEFGHI")]) { server, runner in
            #expect(await runner.run("-d", server.url("/x")).exitCode == .failure)
            let run = await runner.run("-dc", server.url("/x"))
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(run.error.text.hasPrefix("Saved 9 B to 'x' in "), "\(run.error.text)")
            #expect(runner.file("x") == bytes("ABCDEFGHI"))
            #expect(runner.fileNames == ["x"])
        }
    }

    @Test(arguments: [
        "416 Range Not Satisfiable\r\nContent-Range: bytes */2\r\nContent-Length: 0\r\n",
        "206 Partial Content\r\nETag: \"b\"\r\nContent-Range: bytes 3-8/9\r\nContent-Length: 6\r\n",
        "206 Partial Content\r\nETag: \"a\"\r\nContent-Range: bytes 4-8/9\r\nContent-Length: 5\r\n",
        "206 Partial Content\r\nETag: \"a\"\r\nContent-Range: bytes 3-9/10\r\nContent-Length: 7\r\n",
        "206 Partial Content\r\nETag: \"a\"\r\nContent-Length: 6\r\n",
    ])
    func beginsAnewAfterAUselessResponse(head: String) async throws {
        let useless: Script = [.expectHead, .send("HTTP/1.1 \(head)Connection: close\r\n\r\n"), .close]
        try await with([Self.whole("a", "abc"), useless, Self.whole("b", "ABCDEFGHI")]) { server, runner in
            #expect(await runner.run("-d", server.url("/x")).exitCode == .failure)
            let run = await runner.run("-dc", server.url("/x"))
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(runner.file("x") == bytes("ABCDEFGHI"))
            #expect(server.requests.map { $0["Range"] } == [nil, "bytes=3-", nil])
        }
    }

    @Test func keepsThePartIfItIsRefused() async throws {
        let missing: Script = [.expectHead, .send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), .close]
        let empty: Script = [.expectHead, .send("HTTP/1.1 204 No Content\r\n\r\n"), .close]
        try await with([Self.whole("a", "abc"), missing, empty]) { server, runner in
            #expect(await runner.run("-d", server.url("/x")).exitCode == .failure)
            let refused = await runner.run("-dc", server.url("/x"))
            #expect(refused.exitCode == .clientError && refused.hasOneSentence, "\(refused.error.text)")
            let other = await runner.run("-dc", server.url("/x"))
            #expect(other.exitCode == .failure && other.hasOneSentence, "\(other.error.text)")
            #expect(other.error.text.contains("returned 204, which is not the rest of the file"))
            #expect(runner.fileNames == ["x.part", "x.part.json"])
            #expect(runner.file("x.part") == bytes("abc"))
        }
    }

    /// A server may send less than the whole rest.
    @Test func reportsAShortRest() async throws {
        let short = "Content-Range: bytes 3-5/9\r\nContent-Length: 3"
        let scripts = [
            Self.whole("a", "abc"), Self.script("206 Partial Content", "a", short, "def"),
            Self.rest("a", from: 6, "ghi"),
        ]
        try await with(scripts) { server, runner in
            #expect(await runner.run("-d", server.url("/x")).exitCode == .failure)
            let run = await runner.run("-dc", server.url("/x"))
            #expect(run.exitCode == .failure && run.hasOneSentence)
            #expect(run.error.text.contains("/x sent 3 bytes, but 6 are missing (the received part, 6 B of 9 B, is in"))
            #expect(await runner.run("-dc", server.url("/x")).exitCode == .success)
            #expect(runner.file("x") == bytes(Self.content))
        }
    }

    /// Bytes that do not fit are not kept.
    @Test func rejectsALongRest() async throws {
        let long = "Content-Range: bytes 3-8/9\r\nContent-Length: 8"
        let scripts = [Self.whole("a", "abc"), Self.script("206 Partial Content", "a", long, "defghijk")]
        try await with(scripts) { server, runner in
            #expect(await runner.run("-d", server.url("/x")).exitCode == .failure)
            let run = await runner.run("-dc", server.url("/x"))
            #expect(run.exitCode == .failure && run.hasOneSentence)
            #expect(run.error.text.contains("sent 8 bytes, but 6 are missing"), "\(run.error.text)")
            #expect(runner.file("x.part") == bytes("abc"))
            #expect(runner.file("x") == nil)
        }
    }

    /// The command was killed when everything had arrived.
    @Test func finishesACompletePart() async throws {
        try await with([Self.rest("a", from: 8, "i")]) { server, runner in
            let destination = URL(fileURLWithPath: "\(runner.folder)/x")
            let part = try PartialFile(for: destination, naming: .stable)
            try await part.begin(
                PartialFileRecord(url: server.url("/x"), validator: .entityTag("\"a\""), total: 9)
            )
            var chunks = [BodyChunk(Self.content)]
            _ = try await part.append(digest: { _ in }, progress: { _ in }) { () async throws(ApusError) in
                chunks.popLast()
            }
            await part.keep()
            let run = await runner.run("-dc", server.url("/x"))
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(runner.file("x") == bytes(Self.content))
            #expect(server.requests.first?["Range"] == "bytes=8-")
        }
    }

    @Test func beginsAnewWithoutTheFlag() async throws {
        try await with([Self.whole("a", "abc"), Self.whole("a", Self.content)]) { server, runner in
            #expect(await runner.run("-d", server.url("/x")).exitCode == .failure)
            #expect(await runner.run("-d", server.url("/x")).exitCode == .success)
            #expect(runner.fileNames == ["x"])
            #expect(runner.file("x") == bytes(Self.content))
            #expect(server.requests.allSatisfy { $0["Range"] == nil })
        }
    }

    @Test func downloadsAsUsualWithoutAPart() async throws {
        try await with([Self.whole("a", Self.content)]) { server, runner in
            let run = await runner.run("-c", "-o", "y", server.url("/x"))
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(runner.fileNames == ["y"])
            #expect(server.requests.first?["Range"] == nil)
        }
    }

    @Test func goesOnWithTheFileOfTheOutput() async throws {
        try await with([Self.whole("a", "abc"), Self.rest("a", from: 3, "defghi")]) { server, runner in
            try runner.put("old", in: "y")
            let first = await runner.run("-d", "-o", "y", server.url("/x"))
            #expect(first.error.text.contains("is in 'y.part'; go on with --continue)"), "\(first.error.text)")
            #expect(runner.file("y") == bytes("old"))
            // --output alone is enough.
            let second = await runner.run("-c", "-o", "y", server.url("/x"))
            #expect(second.exitCode == .success, "\(second.error.text)")
            #expect(runner.fileNames == ["y"])
            #expect(runner.file("y") == bytes(Self.content))
        }
    }

    /// The part must be found before the server can suggest a name again.
    @Test func namesTheFileToGoOnWith() async throws {
        let head = "Content-Disposition: attachment; filename=z\r\nContent-Length: 9"
        let scripts = [Self.script("200 OK", "a", head, "abc"), Self.rest("a", from: 3, "defghi")]
        try await with(scripts) { server, runner in
            let first = await runner.run("-d", server.url("/x"))
            let place = "is in 'z.part'; go on with --continue --output 'z')"
            #expect(first.error.text.contains(place), "\(first.error.text)")
            #expect(await runner.run("-c", "-o", "z", server.url("/x")).exitCode == .success)
            #expect(runner.file("z") == bytes(Self.content))
        }
    }

    /// The query of a URL may be a signature that expires.
    @Test func comparesTheURL() async throws {
        try await with([Self.whole("a", "abc"), Self.rest("a", from: 3, "defghi")]) { server, runner in
            #expect(await runner.run("-d", server.url("/a/x?sig=1")).exitCode == .failure)
            let other = await runner.run("-dc", server.url("/b/x?sig=1"))
            #expect(other.exitCode == .failure && other.hasOneSentence)
            #expect(other.error.text.contains("'x.part' is the part of another file, "), "\(other.error.text)")
            #expect(runner.file("x.part") == bytes("abc"))
            #expect(server.requestCount == 1)
            let same = await runner.run("-dc", server.url("/a/x?sig=2"))
            #expect(same.exitCode == .success, "\(same.error.text)")
            #expect(runner.file("x") == bytes(Self.content))
        }
    }

    @Test(arguments: [
        (["-dc", "URL/"], "the URL has none; add --output FILE"),
        (["-dc", "URL/taken"], "'taken' exists already"),
        (["-co", "x", "POST", "URL/x"], "--continue needs a GET"),
        (["-co", "x", "URL/x", "Range:bytes=0-1"], "leave out the item with Range"),
        (["-co", "/dev/null", "URL/x"], "which '/dev/null' can't have"),
        (["-c", "URL/x"], "add --download, or --output FILE"),
    ])
    func explainsWhatItNeeds(words: [String], sentence: String) async throws {
        try await with([Self.whole("a", Self.content)]) { server, runner in
            try runner.put("old", in: "taken")
            let run = await runner.run(words.map { $0.replacing("URL", with: server.origin) })
            #expect(run.exitCode == .failure && run.hasOneSentence)
            #expect(run.error.text.contains(sentence), "\(run.error.text)")
            #expect(server.requestCount == 0)
            #expect(runner.fileNames == ["taken"])
        }
    }

    /// A pipe has already got the bytes.
    @Test func needsAFile() async throws {
        try await with([Self.whole("a", Self.content)]) { server, runner in
            var piped = runner
            piped.outputIsTerminal = false
            let run = await piped.run("-dc", server.url("/x"))
            #expect(run.exitCode == .failure && run.hasOneSentence)
            #expect(run.error.text.contains("goes to standard output; add --output FILE"), "\(run.error.text)")
            #expect(server.requestCount == 0)
        }
    }
}

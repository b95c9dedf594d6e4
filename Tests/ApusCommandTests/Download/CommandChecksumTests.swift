import ApusTestServer
import Testing

@testable import ApusCommand

/// `--checksum`: the file of a download must have a digest.
@Suite(.timeLimit(.minutes(5))) struct CommandChecksumTests {
    private static let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    private static let letters = "19cc02f26df43cc571bc9ed7b0c4d29224a3ec229529221725ef76d021c8326f"
    private static let longHello =
        "9b71d224bd62f3785d96d46ad3ea3d73319bfbc2890caadae2dff72519673ca7"
        + "2323c3d99ba5c11d7c7acc6e14b8c5da0c4663475c2e5c3adef46f73bcdec043"

    @Test(arguments: ["sha256:\(Self.hello)", "SHA256:\(Self.hello.uppercased())", "sha512:\(Self.longHello)"])
    func acceptsTheRightFile(checksum: String) async throws {
        try await TestServer.with(behavior: .handler { _ in .text("hello") }) { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run("-d", "-o", "x", "--checksum", checksum, server.url("/x"))
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(runner.fileNames == ["x"])
            }
        }
    }

    @Test func removesAnotherFile() async throws {
        try await TestServer.with(behavior: .handler { _ in .text("hello") }) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("old", in: "x")
                let run = await runner.run("-d", "-o", "x", "--checksum=sha256:\(Self.letters)", server.url("/x"))
                #expect(run.exitCode == .failure && run.hasOneSentence)
                let digests = "has the SHA-256 digest \(Self.hello), but --checksum expects \(Self.letters)"
                let sentence = "'x' \(digests); nothing was saved"
                #expect(run.error.text.contains(sentence), "\(run.error.text)")
                #expect(runner.fileNames == ["x"])
                #expect(runner.file("x") == Array("old".utf8))
            }
        }
    }

    @Test func readsTheEarlierBytesToo() async throws {
        let first: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 9\r\n\r\nabc"), .close,
        ]
        let rest = "ETag: \"a\"\r\nContent-Range: bytes 3-8/9\r\nContent-Length: 6\r\n\r\ndefghi"
        let second: Script = [.expectHead, .send("HTTP/1.1 206 Partial Content\r\n\(rest)"), .close]
        for (checksum, isRight) in [(Self.letters, true), (Self.hello, false)] {
            try await TestServer.with(behavior: .scripts([first, second])) { server in
                try await CommandRunner.inFolder { runner in
                    let words = ["-dc", "--checksum=sha256:\(checksum)", server.url("/x")]
                    #expect(await runner.atTerminal.run(words).exitCode == .failure)
                    let run = await runner.atTerminal.run(words)
                    #expect((run.exitCode == .success) == isRight, "\(run.error.text)")
                    #expect(runner.fileNames == (isRight ? ["x"] : []))
                }
            }
        }
    }

    @Test func checksAPipe() async throws {
        try await TestServer.with(behavior: .handler { _ in .text("hello") }) { server in
            let right = await CommandRunner().run("-d", "--checksum=sha256:\(Self.hello)", server.url("/x"))
            #expect(right.exitCode == .success && right.error.bytes.isEmpty)
            let wrong = await CommandRunner().run("-d", "--checksum=sha256:\(Self.letters)", server.url("/x"))
            #expect(wrong.exitCode == .failure && wrong.hasOneSentence)
            #expect(wrong.error.text.contains("it was passed on"), "\(wrong.error.text)")
            #expect(wrong.output.text == "hello")
        }
    }
}

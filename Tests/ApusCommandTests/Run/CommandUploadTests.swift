import Apus
import ApusTestServer
import Testing

@testable import ApusCommand

/// `--resumable`, with a server that cuts the connection and has only a part of the body.
@Suite(.timeLimit(.minutes(5))) struct CommandUploadTests {
    /// Sends an interim response that announces an upload resource.
    private static func announcement(_ version: String) -> Step {
        .send(
            "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: \(version)\r\n"
                + "Location: /uploads/1\r\n\r\n"
        )
    }

    /// The server has 40,000 bytes when the first connection ends. The response to the last request has no
    /// `Upload-Complete`.
    private static func scripts(_ version: String = "6") -> [Script] {
        [
            [.expectHead, announcement(version), .expectBody, .close],
            [
                .expectHead, .send("HTTP/1.1 204 X\r\nUpload-Offset: 40000\r\nUpload-Complete: ?0\r\n\r\n"),
                .expectHead, .expectBody, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"), .silence,
            ],
        ]
    }

    /// Uploads a file to a server that plays a script for each connection.
    private func upload(
        _ scripts: [Script],
        _ byteCount: Int,
        _ flags: [String],
        errorIsTerminal: Bool = false,
        _ check: (CommandOutcome, TestServer) throws -> Void
    ) async throws {
        try await TestServer.with(behavior: .scripts(scripts)) { server in
            try await CommandRunner.inFolder { runner in
                var runner = runner
                runner.time = InstantClock()
                runner.errorIsTerminal = errorIsTerminal
                try runner.put(String(repeating: "0123456789abcdef", count: byteCount / 16), in: "big.bin")
                try check(await runner.run(flags + [server.url("/files"), "@big.bin"]), server)
            }
        }
    }

    @Test(arguments: [("PUT", "6"), ("POST", "7"), ("POST", "8")])
    func goesOnAfterACut(method: String, version: String) async throws {
        let flags = ["--resumable", "--interop-version", version, "-a", "ada:sesame", method]
        try await upload(Self.scripts(version), 160_000, flags) { run, server in
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(run.output.text == "done")
            #expect(run.error.bytes.isEmpty)
            let requests = server.requests
            #expect(requests.map(\.method) == [method, "HEAD", "PATCH"])
            #expect(requests.map(\.target) == ["/files", "/uploads/1", "/uploads/1"])
            #expect(requests.map { $0["Upload-Draft-Interop-Version"] } == [version, version, version])
            #expect(requests.map { $0["Upload-Offset"] } == [nil, nil, "40000"])
            #expect(requests.allSatisfy { $0["Authorization"] == "Basic YWRhOnNlc2FtZQ==" })
            #expect(requests.last?.bodyByteCount == 120_000)
        }
    }

    @Test func showsTheProgress() async throws {
        try await upload(Self.scripts(), 2 << 20, ["--resumable", "PUT"], errorIsTerminal: true) { run, _ in
            #expect(run.exitCode == .success)
            #expect(run.output.text == "done")
            #expect(run.error.text.hasPrefix("\r\u{1B}[Kbig.bin "), "\(run.error.text)")
            #expect(run.error.text.contains(" of 2.1 MB"))
            #expect(run.error.text.hasSuffix("\r\u{1B}[K"))
        }
    }

    /// A server without support gets an ordinary upload.
    @Test func needsNoSupport() async throws {
        let plain: Script = [
            .expectHead, .expectBody, .send("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"), .silence,
        ]
        try await upload([plain], 160_000, ["--resumable", "--check-status"]) { run, server in
            #expect(run.exitCode == .clientError)
            #expect(run.output.text == "no")
            #expect(server.requests.map(\.method) == ["POST"])
            #expect(server.requests.first?["Upload-Complete"] == "?1")
            #expect(server.requests.first?.bodyByteCount == 160_000)
        }
    }

    @Test func failsAfterFruitlessAttempts() async throws {
        let cut: Script = [.expectHead, Self.announcement("6"), .expectBody, .close]
        try await upload([cut, [.expectHead, .close]], 160_000, ["--resumable", "--retry=2"]) { run, server in
            #expect(run.exitCode == .failure && run.hasOneSentence, "\(run.error.text)")
            #expect(server.requests.map(\.method) == ["POST", "HEAD", "HEAD"])
        }
    }

    @Test(arguments: [
        (["--resumable", "PUT", "URL/x"], "--resumable needs a body"),
        (["--resumable", "-d", "URL/x", "a=b"], "leave out --download"),
        (["--resumable", "--offline", "URL/x", "a=b"], "--resumable needs an exchange"),
        (["--interop-version=6", "URL/x", "a=b"], "is for --resumable"),
        (["--resumable", "--interop-version=5", "URL/x", "a=b"], "accepts 6, 7, 8"),
    ])
    func explainsWhatItNeeds(words: [String], sentence: String) async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run(words.map { $0.replacing("URL", with: server.origin) })
            #expect(run.exitCode == .failure && run.hasOneSentence)
            #expect(run.error.text.contains(sentence), "\(run.error.text)")
            #expect(server.requestCount == 0)
        }
    }
}

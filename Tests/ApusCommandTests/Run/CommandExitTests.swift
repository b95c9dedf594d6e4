import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The exit code of the command, and its error messages.
@Suite(.timeLimit(.minutes(5))) struct CommandExitTests {
    @Test(arguments: [
        (["/status/404"], ExitCode.success), (["--check-status", "/status/200"], .success),
        (["--check-status", "/redirect/1"], .redirection), (["--check-status", "-F", "/redirect/1"], .success),
        (["--check-status", "/status/404"], .clientError), (["--check-status", "/status/503"], .serverError),
        (["-F", "--max-redirects=2", "/redirect/2"], .success),
        (["-F", "--max-redirects=2", "/redirect/3"], .tooManyRedirects),
        (["-F", "--max-redirects=0", "/redirect/1"], .tooManyRedirects),
        (["--max-redirects=0", "/redirect/1"], .success),
        (["--timeout=0.3", "/delay/30"], .timeout), (["--timeout=0.3", "/drip/1000/0.05"], .timeout),
        (["--timeout=20", "/get"], .success),
    ])
    func endsWithHTTPiesCodes(arguments: [String], expected: ExitCode) async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run(arguments.map { $0.hasPrefix("/") ? server.url($0) : $0 })
            #expect(run.exitCode == expected)
            let isShown = expected != .success
            #expect(run.error.text.isEmpty == !isShown, "\(run.error.text)")
            if isShown { expectOneSentence(run) }
        }
    }

    private func expectOneSentence(_ run: CommandOutcome) {
        #expect(run.error.text.hasPrefix("apus: "))
        #expect(run.error.text.hasSuffix("\n"))
        #expect(run.error.text.count { $0 == "\n" } == 1, "\(run.error.text)")
    }

    @Test func reportsARefusedConnection() async throws {
        let server = try await TestServer.start()
        let url = server.url("/")
        await server.stop()
        let run = await CommandRunner().run(url)
        #expect(run.exitCode == .failure)
        expectOneSentence(run)
        #expect(run.error.text.contains(url))
    }

    @Test func escapesControlsFromTheServer() async throws {
        // The URL in the message comes from the server. Accepted heads contain no C0 controls. They may contain C1
        // controls in UTF-8, which some terminals obey.
        let location = Array("ftp://h/\u{9B}2J\u{202E}x".utf8)
        let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8)
        let script: Script = [.expectHead, .sendBytes(head + location + Array("\r\n\r\n".utf8)), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            let run = await CommandRunner(errorIsTerminal: true).run("-F", server.origin)
            #expect(run.exitCode == .failure)
            expectOneSentence(run)
            #expect(run.error.text.contains(#"its Location 'ftp://h/\u{009B}2J\u{202E}x'"#), "\(run.error.text)")
            #expect(!run.error.text.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" })
        }
    }

    /// An escape makes the response malformed, so its Location is never read.
    @Test func showsNothingOfAHeadWithAnEscapeCharacter() async throws {
        let response = TestResponse(status: 302, fields: [("Location", "http://\u{1B}[2J/")], body: .empty)
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            let run = await CommandRunner(errorIsTerminal: true).run("-F", server.origin)
            #expect(run.exitCode == .failure)
            expectOneSentence(run)
            #expect(!run.error.bytes.contains(0x1B))
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "oops\r\n\r\n",
    ])
    func reportsAnInvalidResponse(response: String) async throws {
        let script: Script = [.expectHead, .send(response), .close]
        try await TestServer.with(behavior: .script(script)) { server in
            let run = await CommandRunner().run(server.origin)
            #expect(run.exitCode == .failure)
            expectOneSentence(run)
        }
    }

    @Test func exitsSilentlyWhenTheReaderCloses() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner(readerClosesAfter: 1000).run(server.url("/infinite"))
            #expect(run.exitCode == .brokenPipe)
            #expect(run.error.bytes.isEmpty)
        }
    }

    @Test func trustsTheGivenAuthorities() async throws {
        try await TestTLS.withAuthorityFile { authorities in try await trustsTheGivenAuthorities(authorities) }
    }

    private func trustsTheGivenAuthorities(_ authorities: String) async throws {
        try await TestServer.with(tls: .localhost) { server in
            #expect(await CommandRunner().run("--verify", authorities, server.url("/get")).exitCode == .success)
            #expect(await CommandRunner().run("--verify=no", server.url("/get")).exitCode == .success)
            let strict = await CommandRunner().run(server.url("/get"))
            #expect(strict.exitCode == .failure)
            expectOneSentence(strict)
            #expect(strict.error.text.contains("--verify"))
            #expect(await CommandRunner().run("--verify=missing.pem", server.url("/get")).exitCode == .failure)
        }
        try await TestServer.with(tls: .wrongHost) { server in
            let run = await CommandRunner().run("--verify", authorities, server.url("/get"))
            #expect(run.exitCode == .failure)
            #expect(run.error.text.contains("but for elsewhere.example; check the host name"), "\(run.error.text)")
        }
    }

    @Test(arguments: ["http://ada:sesame@ex ample.org/", "ada:sesame@:x/", "ftp://ada:sesame@example.org/"])
    func showsNoPasswordOfAURL(url: String) async {
        let run = await CommandRunner().run(url)
        #expect(run.exitCode == .failure)
        expectOneSentence(run)
        #expect(!run.error.text.contains("sesame"), "\(run.error.text)")
    }

    /// No host is named `http`, which could otherwise receive the password.
    @Test(arguments: ["http:/", #"http:\\"#, #"http:\"#, "http:"]) func sendsToTheHostAfterOneSlash(
        start: String
    ) async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("\(start)ada:sesame@127.0.0.1:\(server.port)/get")
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(server.requests.last?.target == "/get")
            #expect(server.requests.last?["Authorization"] == "Basic YWRhOnNlc2FtZQ==")
            let shown = await CommandRunner().run("--offline", "--print=H", "\(start)ada:sesame@example.org/x")
            #expect(shown.output.text.hasPrefix("GET /x HTTP/1.1\r\nHost: example.org\r\n"))
            #expect(!shown.output.text.contains("sesame"))
        }
    }

    /// On a terminal, a response whose head is shown needs no message about its status.
    @Test(arguments: [([], false), (["-o", "x"], true), (["-b"], true), (["-q"], true), (["-h"], false)])
    func reportsAStatusThatIsNotShown(flags: [String], isShown: Bool) async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.atTerminal.run(flags + ["--check-status", server.url("/status/404")])
                #expect(run.exitCode == .clientError)
                #expect(run.hasOneSentence == isShown && run.error.text.contains("404") == isShown, "\(run.error.text)")
            }
        }
    }

    @Test func writesToAFile() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("old content, longer than the new", in: "x")
                let failed = await runner.run("-o", "x", "http://127.0.0.1:1/")
                #expect(failed.exitCode == .failure)
                #expect(runner.file("x")?.count == 32)
                let run = await runner.run("-o", "x", server.url("/bytes/10"))
                #expect(run.exitCode == .success)
                #expect(runner.file("x") == TestServer.pattern(count: 10))
                #expect(run.output.bytes.isEmpty)
                #expect(await runner.run("-o", "empty", server.url("/status/204")).exitCode == .success)
                #expect(runner.file("empty") == [])
                #expect(await runner.run("-o", "no/such/x", server.url("/get")).exitCode == .failure)
            }
        }
    }
}

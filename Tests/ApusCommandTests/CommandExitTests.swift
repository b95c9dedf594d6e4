import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// How the command ends, and what it says then.
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
            let isTold = expected != .success
            #expect(run.error.text.isEmpty == !isTold, "\(run.error.text)")
            if isTold { expectOneSentence(run) }
        }
    }

    private func expectOneSentence(_ run: Run) {
        #expect(run.error.text.hasPrefix("apus: "))
        #expect(run.error.text.hasSuffix("\n"))
        #expect(run.error.text.count { $0 == "\n" } == 1, "\(run.error.text)")
    }

    @Test func saysWhereNobodyListens() async throws {
        let server = try await TestServer.start()
        let url = server.url("/")
        await server.stop()
        let run = await CommandRunner().run(url)
        #expect(run.exitCode == .failure)
        expectOneSentence(run)
        #expect(run.error.text.contains(url))
    }

    @Test func showsWhatAServerSendsInItsStead() async throws {
        // The URL in the sentence comes from the server. C0 controls are in no head that is accepted; C1 controls may be, in
        // UTF-8, and some terminals obey them.
        let location = Array("ftp://h/\u{9B}2J\u{202E}x".utf8)
        let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ".utf8)
        let script: Script = [.expectHead, .sendBytes(head + location + Array("\r\n\r\n".utf8)), .close]
        try await TestServer.with(behaviour: .script(script)) { server in
            let run = await CommandRunner(errorIsTerminal: true).run("-F", server.origin)
            #expect(run.exitCode == .failure)
            expectOneSentence(run)
            #expect(run.error.text.contains(#"its Location is 'ftp://h/\u{009B}2J\u{202E}x'"#), "\(run.error.text)")
            #expect(!run.error.text.unicodeScalars.contains { $0 == "\u{9B}" || $0 == "\u{202E}" })
        }
    }

    /// With one, the answer is malformed before anybody asks where it leads.
    @Test func showsNothingOfAHeadWithAnEscape() async throws {
        let answer = TestResponse(status: 302, fields: [("Location", "http://\u{1B}[2J/")], body: .empty)
        try await TestServer.with(behaviour: .handler { _ in answer }) { server in
            let run = await CommandRunner(errorIsTerminal: true).run("-F", server.origin)
            #expect(run.exitCode == .failure)
            expectOneSentence(run)
            #expect(!run.error.bytes.contains(0x1B))
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "oops\r\n\r\n",
    ])
    func saysWhatIsWrongWithAnAnswer(answer: String) async throws {
        let script: Script = [.expectHead, .send(answer), .close]
        try await TestServer.with(behaviour: .script(script)) { server in
            let run = await CommandRunner().run(server.origin)
            #expect(run.exitCode == .failure)
            expectOneSentence(run)
        }
    }

    @Test func goesSilentlyWhenTheReaderHasGone() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner(readerLeavesAfter: 1000).run(server.url("/infinite"))
            #expect(run.exitCode == .brokenPipe)
            #expect(run.error.bytes.isEmpty)
        }
    }

    @Test func trustsWhomItIsToldToTrust() async throws {
        try await TestTLS.withAuthorityFile { authorities in try await trustsWhomItIsToldToTrust(authorities) }
    }

    private func trustsWhomItIsToldToTrust(_ authorities: String) async throws {
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
            #expect(await CommandRunner().run("--verify", authorities, server.url("/get")).exitCode == .failure)
        }
    }

    @Test(arguments: ["http://ada:geheim@ex ample.org/", "ada:geheim@:x/", "ftp://ada:geheim@example.org/"])
    func tellsNoPasswordOfAURL(url: String) async {
        let run = await CommandRunner().run(url)
        #expect(run.exitCode == .failure)
        expectOneSentence(run)
        #expect(!run.error.text.contains("geheim"), "\(run.error.text)")
    }

    /// No host is called http, to which a password could go.
    @Test(arguments: ["http:/", #"http:\\"#, #"http:\"#, "http:"]) func asksTheHostBehindOneSlash(
        start: String
    ) async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("\(start)ada:geheim@127.0.0.1:\(server.port)/get")
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(server.requests.last?.target == "/get")
            #expect(server.requests.last?["Authorization"] == "Basic YWRhOmdlaGVpbQ==")
            let shown = await CommandRunner().run("--offline", "--print=H", "\(start)ada:geheim@example.org/x")
            #expect(shown.output.text.hasPrefix("GET /x HTTP/1.1\r\nHost: example.org\r\n"))
            #expect(!shown.output.text.contains("geheim"))
        }
    }

    /// On a terminal, who sees the head of an answer needs no sentence about its status.
    @Test(arguments: [([], false), (["-o", "x"], true), (["-b"], true), (["-q"], true), (["-h"], false)])
    func tellsOfAStatusThatIsNotShown(flags: [String], isTold: Bool) async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.atTerminal.run(flags + ["--check-status", server.url("/status/404")])
                #expect(run.exitCode == .clientError)
                #expect(run.hasOneSentence == isTold && run.error.text.contains("404") == isTold, "\(run.error.text)")
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

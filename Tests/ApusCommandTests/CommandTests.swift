import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The complete command against a server: its request, its output and its exit code.
@Suite(.timeLimit(.minutes(5))) struct CommandTests {
    @Test func printsOnlyTheBodyToAPipe() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run(server.url("/bytes/100000"))
            #expect(run.exitCode == .success)
            #expect(run.output.bytes == TestServer.pattern(count: 100_000))
            #expect(run.error.bytes.isEmpty)
        }
    }

    @Test func formatsOnATerminal() async throws {
        let response = TestResponse(
            status: 200,
            fields: [("Content-Type", "application/json"), ("X-Evil", "\u{C2}\u{9B}31m")],
            body: .text("{\"n\":1.10,\"s\":\"\u{9B}\"}")
        )
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            var runner = CommandRunner(outputIsTerminal: true)
            runner.environment = ["NO_COLOR": "1"]
            let run = await runner.run(server.origin)
            let text = run.output.text
            #expect(text.hasPrefix("HTTP/1.1 200 OK\n"))
            #expect(text.contains("X-Evil: \\u009b31m\n"))
            #expect(text.hasSuffix("\n\n{\n    \"n\": 1.10,\n    \"s\": \"\\u009b\"\n}\n"))
            let colored = await CommandRunner(outputIsTerminal: true).run("-b", server.origin)
            #expect(colored.output.text.contains("\u{1B}[36m1.10\u{1B}[0m"))
        }
    }

    @Test func printsTheExactRequest() async throws {
        let arguments: [[String]] = [
            ["/anything"], ["/anything", "a=b", "X-A:1", "X-A:2", "q==ä b"], ["-f", "/anything", "a=b c"],
            ["DELETE", "/anything"], ["POST", "/anything"],
            ["/anything", "Accept:", "User-Agent:", "Accept-Encoding:"],
            ["-a", "ada:pä", "/anything"], ["GET", "/anything", "a=b"], ["HEAD", "/get", "a=b"],
            ["/anything?x={1}", "Host:other.example"], ["-j", "/get"], ["/anything", "X-Empty;"],
        ]
        try await TestServer.with { server in
            for words in arguments {
                let words = words.map { $0.hasPrefix("/") ? server.url($0) : $0 }
                server.forgetRequests()
                let sent = await CommandRunner().run(["--print=HB"] + words)
                #expect(sent.exitCode == .success, "\(words) \(sent.error.text)")
                let request = try #require(server.requests.first)
                #expect(sent.output.bytes == request.head + request.body, "\(words)")
                let offline = await CommandRunner().run(["--offline"] + words)
                #expect(offline.output.bytes == request.head + request.body, "\(words)")
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test(arguments: [(303, ""), (302, ""), (301, ""), (307, #"{"password": "x"}"#), (308, #"{"password": "x"}"#)])
    func dropsTheBodyOfAGETOnRedirectsThatForbidIt(status: Int, expected: String) async throws {
        try await TestServer.with { server in
            let response = TestResponse(status: status, fields: [("Location", server.url("/anything"))])
            try await TestServer.with(behavior: .handler { _ in response }) { first in
                let run = await CommandRunner().run("-F", "GET", first.origin, "password=x")
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(first.requests.first.map { String(decoding: $0.body, as: UTF8.self) } == #"{"password": "x"}"#)
                let second = try #require(server.requests.first)
                #expect(String(decoding: second.body, as: UTF8.self) == expected)
                #expect((second["Content-Type"] == nil) == expected.isEmpty)
            }
        }
    }

    @Test func sendsPipedInput() async throws {
        try await TestServer.with { server in
            var runner = CommandRunner(input: .bytes(Array("{\"a\":1}".utf8)))
            #expect(await runner.run(server.url("/anything")).exitCode == .success)
            let piped = try #require(server.requests.last)
            #expect(piped.method == "POST")
            #expect(piped.bodyText == "{\"a\":1}")
            #expect(piped["Content-Type"] == "application/json")

            #expect(await runner.run("--ignore-stdin", server.url("/anything")).exitCode == .success)
            #expect(server.requests.last?.method == "GET")

            let mixed = await runner.run(server.url("/anything"), "a=b")
            #expect(mixed.exitCode == .failure)
            #expect(mixed.error.text.contains("--ignore-stdin"))

            runner.input = .bytes([])
            #expect(await runner.run(server.url("/anything"), "a=b").exitCode == .success)
            #expect(server.requests.last?.bodyText == #"{"a": "b"}"#)

            let null = try FileDescriptor.open("/dev/null", 0)
            defer { FileDescriptor.close(null) }
            runner.input = .descriptor(null)
            #expect(await runner.run(server.url("/anything")).exitCode == .success)
            #expect(server.requests.last?.method == "GET")
            runner.input = .descriptor(999)
            #expect(await runner.run(server.url("/anything")).exitCode == .success)
        }
    }

    @Test func sendsAFile() async throws {
        try await TestServer.with { server in
            try await CommandRunner.inFolder { runner in
                let content = String(repeating: "0123456789", count: 30_000)
                try runner.put(content, in: "notes.txt")
                #expect(await runner.run("PUT", server.url("/anything"), "@notes.txt").exitCode == .success)
                let request = try #require(server.requests.last)
                #expect(request.bodyByteCount == 300_000)
                #expect(request["Content-Type"] == "text/plain")
                #expect(request["Content-Length"] == "300000")
                let shown = await runner.run("--offline", "--print=B", server.origin, "@notes.txt")
                #expect(shown.output.text == content)
                let missing = await runner.run(server.origin, "@missing.txt")
                #expect(missing.exitCode == .failure)
                #expect(missing.error.text.contains("missing.txt"))
            }
        }
    }

    @Test func promptsForPasswords() async throws {
        try await TestServer.with { server in
            var runner = CommandRunner(password: "sesame")
            #expect(
                await runner.run("--check-status", "-a", "ada", server.url("/basic-auth/ada/sesame")).exitCode
                    == .success
            )
            #expect(
                await runner.run("--check-status", "-a", "ada:x", server.url("/basic-auth/ada/sesame")).exitCode
                    == .clientError
            )
            runner.password = nil
            #expect(await runner.run("-a", "ada", server.origin).exitCode == .failure)
        }
    }

    @Test func decodesTheBody() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run(server.url("/gzip"))
            #expect(run.output.text.hasPrefix("{"))
            let head = await CommandRunner().run("-h", server.url("/gzip"))
            #expect(head.output.text.contains("Content-Encoding: gzip\r\n"))
        }
    }

    @Test func appliesResponseOverrides() async throws {
        let response = TestResponse(
            status: 200,
            fields: [("Content-Type", "text/plain"), ("B", "1"), ("A", "2")],
            body: .bytes(Array("<a><b>".utf8) + [0xE9] + Array("</b></a>".utf8))
        )
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            let words = ["--pretty=format", "--sorted", "--response-mime=text/xml", "--response-charset=latin1"]
            let run = await CommandRunner().run(words + ["--print=hb", server.origin])
            #expect(run.output.text.hasPrefix("HTTP/1.1 200 OK\nA: 2\nB: 1\nContent-Length: "))
            #expect(run.output.text.hasSuffix("\n\n<a>\n  <b>é</b>\n</a>"))
            let inOrder = await CommandRunner().run("--pretty=format", "-h", server.origin)
            #expect(inOrder.output.text.contains("\nB: 1\nA: 2\n"))
            let untouched = await CommandRunner().run("--sorted", "-h", server.origin)
            #expect(untouched.output.text.contains("\r\nB: 1\r\nA: 2\r\n"))
            // A program receives the original bytes, regardless of the declared type.
            let piped = await CommandRunner().run(Array(words.dropFirst()) + [server.origin])
            #expect(piped.output.bytes.contains(0xE9))
        }
    }

    @Test func reportsAnUnknownCharset() async throws {
        let label = "klingon\u{9B}\(String(repeating: "x", count: 100))"
        let response = TestResponse(
            status: 200,
            fields: [("Content-Type", "text/plain; charset=\(label)")],
            body: .bytes([0x61, 0xE9])
        )
        try await TestServer.with(behavior: .handler { _ in response }) { server in
            let run = await CommandRunner(outputIsTerminal: true).run("-b", server.origin)
            #expect(run.exitCode == .success && run.output.text.contains("a\u{FFFD}"))
            #expect(run.hasOneSentence && run.error.text.contains("the charset 'klingon"), "\(run.error.text)")
            #expect(run.error.text.contains("--response-charset") && run.error.text.utf8.count < 200)
            #expect(!run.error.text.unicodeScalars.contains("\u{9B}"))
            let known = await CommandRunner(outputIsTerminal: true).run(
                "-b",
                "--response-charset=koi8-r",
                server.origin
            )
            #expect(known.output.text.contains("aИ") && known.error.bytes.isEmpty)
            // A program receives the bytes, and no message is printed.
            let piped = await CommandRunner().run("-b", server.origin)
            #expect(piped.output.bytes == [0x61, 0xE9] && piped.error.bytes.isEmpty)
        }
    }

    @Test func printsEveryExchangeWhenVerbose() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("-v", "-F", server.url("/redirect/2"))
            let text = run.output.text
            #expect(text.components(separatedBy: "GET /").count == 4)
            #expect(text.components(separatedBy: "HTTP/1.1 302").count == 3)
            #expect(text.components(separatedBy: "HTTP/1.1 200").count == 2)
            let last = await CommandRunner().run("--print=Hh", "-F", server.url("/redirect/2"))
            #expect(last.output.text.components(separatedBy: "GET /").count == 2)
            #expect(last.output.text.hasPrefix("GET /get HTTP/1.1\r\n"))
            #expect(last.output.text.components(separatedBy: "HTTP/1.1 ").count == 2)
        }
    }

    @Test func printsMetrics() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("-m", server.url("/bytes/1000"))
            #expect(run.output.text.hasPrefix("Elapsed time: 0."))
            #expect(run.output.text.contains("\nWait: 0."))
            #expect(run.output.text.contains("\nRemote address: 127.0.0.1:\(server.port)\n"))
            #expect(!run.output.text.contains("\nStream: "))
        }
    }

    @Test func printsTheNumberOfAStream() async throws {
        try await TestServer.with(behavior: .http2 { _ in .zero }) { server in
            let run = await CommandRunner().run("--http-version", "2", "--print=m", server.url("/"))
            #expect(run.output.text.contains("\nProtocol: h2\nStream: 1\n"))
        }
    }

    @Test func isQuiet() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("-q", server.url("/get"))
            #expect(run.exitCode == .success)
            #expect(run.output.bytes.isEmpty && run.error.bytes.isEmpty)
        }
    }
}

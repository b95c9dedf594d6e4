import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The output for redirects: the last response or, with `--all`, every response.
@Suite(.timeLimit(.minutes(5))) struct CommandRedirectTests {
    /// `/first` redirects to `/second`, which redirects to `/last`. Each has a body.
    private static func respond(_ request: TestRequest) -> TestResponse {
        switch request.path {
        case "/first":
            TestResponse(status: 301, fields: [("Location", "/second"), ("X-Hop", "1")], body: .text("one\n"))
        case "/second": TestResponse(status: 302, fields: [("Location", "/last"), ("X-Hop", "2")], body: .text("two"))
        default: TestResponse(status: 200, fields: [("X-Hop", "3")], body: .text("three\n"))
        }
    }

    /// Returns the lines that identify the messages: first lines, `X-Hop`, and lines without a field.
    private static func outline(_ text: String) -> [String] {
        text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
            .filter { !$0.contains(": ") || $0.hasPrefix("X-Hop") }
    }

    private static let outlines: [(flags: [String], shown: [String])] = [
        (["-F", "-h"], ["HTTP/1.1 200 OK", "X-Hop: 3", "", ""]),
        (["-F", "-b"], ["three", ""]),
        (["--all", "-h"], ["HTTP/1.1 301 Moved Permanently", "X-Hop: 1", "", ""]),
        (
            ["--all", "-F", "-h"],
            [
                "HTTP/1.1 301 Moved Permanently", "X-Hop: 1", "", "HTTP/1.1 302 Found", "X-Hop: 2", "",
                "HTTP/1.1 200 OK",
                "X-Hop: 3", "", "",
            ]
        ),
        (["--all", "-F", "-b"], ["one", "", "two", "", "three", ""]),
        (["--all", "-F"], ["one", "", "two", "", "three", ""]),
        (
            ["--all", "-F", "--print=hb"],
            [
                "HTTP/1.1 301 Moved Permanently", "X-Hop: 1", "", "one", "", "HTTP/1.1 302 Found", "X-Hop: 2", "",
                "two", "",
                "HTTP/1.1 200 OK", "X-Hop: 3", "", "three", "",
            ]
        ),
        (
            ["--all", "-F", "--print=H"],
            ["GET /first HTTP/1.1", "", "GET /second HTTP/1.1", "", "GET /last HTTP/1.1", "", ""]
        ),
        (
            ["-v", "-F"],
            [
                "GET /first HTTP/1.1", "", "HTTP/1.1 301 Moved Permanently", "X-Hop: 1", "", "one", "",
                "GET /second HTTP/1.1", "", "HTTP/1.1 302 Found", "X-Hop: 2", "", "two", "", "GET /last HTTP/1.1", "",
                "HTTP/1.1 200 OK", "X-Hop: 3", "", "three", "",
            ]
        ),
    ]

    @Test(arguments: outlines) func printsTheMessagesInOrder(flags: [String], shown: [String]) async throws {
        try await TestServer.with(behavior: .handler { Self.respond($0) }) { server in
            let run = await CommandRunner().run(flags + [server.url("/first")])
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(Self.outline(run.output.text) == shown)
        }
    }

    @Test func printsTheRedirectsBeforeTheLimit() async throws {
        try await TestServer.with(behavior: .handler { Self.respond($0) }) { server in
            let run = await CommandRunner().run("--all", "-F", "--max-redirects=1", "-h", server.url("/first"))
            #expect(run.exitCode == .tooManyRedirects)
            #expect(Self.outline(run.output.text) == ["HTTP/1.1 301 Moved Permanently", "X-Hop: 1", "", ""])
            #expect(run.error.text.contains("more than 1"))
        }
    }

    @Test(arguments: [["-F"], ["--download", "--output=x"]])
    func refusesARedirectFromHTTPSToHTTP(flags: [String]) async throws {
        try await TestServer.with { plain in
            let response = TestResponse(status: 302, fields: [("Location", plain.url("/get"))])
            try await TestServer.with(tls: .localhost, behavior: .handler { _ in response }) { secure in
                try await CommandRunner.inFolder { runner in
                    let run = await runner.run(["--verify=no"] + flags + [secure.url("/old")])
                    #expect(run.exitCode == .failure)
                    let text = run.error.text
                    #expect(text.contains("\(secure.url("/old")) could not follow the redirect: "), "\(text)")
                    let reason = "it leads from https to \(plain.url("/get")); request that URL itself"
                    #expect(text.contains(reason), "\(text)")
                    #expect(plain.acceptedConnections == 0)
                }
            }
        }
    }

    @Test func decodesTheBodyOfARedirect() async throws {
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA8vNL0tN4QIAjezG/wYAAAA="))
        let moved = TestResponse(
            status: 302,
            fields: [("Location", "/last"), ("Content-Encoding", "gzip"), ("Content-Type", "text/plain")],
            body: .bytes(Array(coded))
        )
        let broken = TestResponse(
            status: 302,
            fields: [("Location", "/last"), ("Content-Encoding", "gzip")],
            body: .text("this is not gzip")
        )
        let behavior = TestServer.Behavior.handler { request in
            switch request.path {
            case "/coded": moved
            case "/broken": broken
            default: Self.respond(request)
            }
        }
        try await TestServer.with(behavior: behavior) { server in
            let run = await CommandRunner().run("--all", "-F", server.url("/coded"))
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(run.output.text == "moved\n\nthree\n")
            let followed = await CommandRunner().run("--all", "-F", server.url("/broken"))
            #expect(followed.exitCode == .success, "\(followed.error.text)")
            #expect(followed.output.text == "three\n")
        }
    }

    /// The kept part of a body is limited. The rest is not read.
    @Test func truncatesALongBodyOfARedirect() async throws {
        let moved = TestResponse(status: 302, fields: [("Location", "/last")], body: .pattern(count: 1 << 20))
        let behavior = TestServer.Behavior.handler { $0.path == "/long" ? moved : Self.respond($0) }
        try await TestServer.with(behavior: behavior) { server in
            let run = await CommandRunner().run("--all", "-F", server.url("/long"))
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(run.output.text.hasSuffix("three\n"))
            #expect((64 << 10...512 << 10).contains(run.output.bytes.count))
        }
    }

    @Test func doesNotWaitForAnEndlessBody() async throws {
        let never = Gate()
        let moved: Script = [
            .expectHead, .send("HTTP/1.1 302 Found\r\nLocation: /last\r\n\r\nmoved"), .wait(never), .close,
        ]
        let last: Script = [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nthree\n"), .close]
        try await TestServer.with(behavior: .scripts([moved, last])) { server in
            let run = await CommandRunner(time: InstantClock()).run("--all", "-F", "-b", server.origin)
            never.open()
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(run.output.text.hasSuffix("three\n"))
        }
    }

    @Test func savesOnlyTheLastResponse() async throws {
        try await TestServer.with(behavior: .handler { Self.respond($0) }) { server in
            try await CommandRunner.inFolder { runner in
                let run = await runner.run("--all", "-d", "-o", "file", "-h", server.url("/first"))
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(runner.file("file") == Array("three\n".utf8))
                #expect(run.output.bytes.isEmpty)
                for line in ["HTTP/1.1 301 ", "HTTP/1.1 302 ", "HTTP/1.1 200 "] {
                    #expect(run.error.text.contains(line), "\(line)")
                }
            }
        }
    }
}

import ApusTestServer
import Testing

@testable import ApusCommand

/// Offline output matches the request that would be sent, and errors have the same messages.
@Suite(.timeLimit(.minutes(5))) struct MessageFramingTests {
    @Test(arguments: [
        (["POST", "Content-Length:7", "--raw=abc"], "Content-Length is '7', but the body has 3 bytes"),
        (["POST", "Content-Length:0", "--raw=a"], "but the body has 1 byte;"),
        (["GET", "Content-Length:3"], "the body is empty"),
        (["POST", "content-length:3"], "the field content-length is '3', but the body is empty"),
        (["POST", "Content-Length:03", "--raw=abc"], "is '03'"),
        (["POST", "Content-Length;", "--raw=abc"], "is ''"),
        (["POST", "Transfer-Encoding:chunked", "--raw=abc"], "Transfer-Encoding is 'chunked'"),
        (["GET", "Transfer-Encoding:chunked"], "Transfer-Encoding is 'chunked'"),
        (["Host:a", "Host:b"], "more than one Host"), (["Host:a b"], "Host is 'a b'"),
        (["Host:ü"], "which is not a valid host"),
    ])
    func rejectsInvalidFramingOnlineAndOffline(arguments: [String], expected: String) async throws {
        let method = arguments.first { !$0.contains(":") } ?? "GET"
        let remaining = arguments.filter { $0 != method }
        try await TestServer.with { server in
            let sent = await CommandRunner().run([method, server.url("/anything")] + remaining)
            #expect(sent.exitCode == .failure)
            #expect(sent.error.text.contains(expected), "\(sent.error.text)")
            #expect(server.requestCount == 0)
            for flag in ["--offline", "--curl"] {
                let shown = await CommandRunner().run([flag, method, server.url("/anything")] + remaining)
                #expect(shown.exitCode == .failure)
                #expect(shown.error.text == sent.error.text)
                #expect(shown.output.bytes.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ["POST", "Content-Length:3", "--raw=abc"], ["POST", "Content-Length:0"], ["GET", "Content-Length:0"],
        ["GET", "Expect:100-continue"], ["PUT", "Expect:100-continue"], ["GET", "Content-Length:3", "--raw=abc"],
    ])
    func printsTheSentRequest(arguments: [String]) async throws {
        let method = arguments[0]
        try await TestServer.with { server in
            let sent = await CommandRunner().run(
                ["--print=HB", method, server.url("/anything")] + arguments.dropFirst()
            )
            #expect(sent.exitCode == .success, "\(sent.error.text)")
            let request = try #require(server.requests.first)
            #expect(sent.output.bytes == request.head + request.body)
            let shown = await CommandRunner().run(
                ["--offline", method, server.url("/anything")] + arguments.dropFirst()
            )
            #expect(shown.output.bytes == sent.output.bytes)
        }
    }

    @Test func dropsTheLengthOfABodyThatARedirectDrops() async throws {
        try await TestServer.with { server in
            let response = TestResponse(status: 303, fields: [("Location", server.url("/anything"))])
            try await TestServer.with(behavior: .handler { _ in response }) { first in
                let run = await CommandRunner().run("-F", "GET", first.origin, "Content-Length:3", "--raw=abc")
                #expect(run.exitCode == .success, "\(run.error.text)")
                #expect(server.requests.first?["Content-Length"] == nil)
            }
        }
    }
}

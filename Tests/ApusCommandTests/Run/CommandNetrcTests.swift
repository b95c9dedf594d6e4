import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The credentials of a netrc file, and when they are sent.
@Suite(.timeLimit(.minutes(5))) struct CommandNetrcTests {
    /// Base64 of `ada:secret`.
    private let ada = "Basic YWRhOnNlY3JldA=="
    private let file = "machine 127.0.0.1 login ada password secret\ndefault login guest password x\n"

    /// Returns the `Authorization` field that the server received.
    private func sent(_ runner: CommandRunner, _ server: TestServer, _ words: String...) async -> String? {
        server.forgetRequests()
        let run = await runner.run(words)
        #expect(run.exitCode == .success, "\(run.error.text)")
        return server.requests.last?["Authorization"]
    }

    @Test func isUsedWithoutOtherCredentials() async throws {
        try await TestServer.with { server in
            try await CommandRunner.atHome { runner in
                let url = server.url("/anything")
                let named = url.replacing("http://", with: "http://bob:b@")
                #expect(await sent(runner, server, url) == nil)
                try runner.put(file, in: ".netrc")
                #expect(await sent(runner, server, url) == ada)
                #expect(await sent(runner, server, "-v", url) == ada)
                #expect(await sent(runner, server, "--ignore-netrc", url) == nil)
                #expect(await sent(runner, server, "-a", "bob:b", url) == "Basic Ym9iOmI=")
                #expect(await sent(runner, server, named) == "Basic Ym9iOmI=")
                #expect(await sent(runner, server, url, "Authorization:mine") == "mine")
                #expect(await sent(runner, server, url, "Authorization:") == nil)
                #expect(await sent(runner, server, "-A", "basic", url) == ada)
                let offline = await runner.run("--offline", url)
                #expect(offline.output.text.contains("Authorization: \(ada)\r\n"))
                let curl = await runner.run("--curl", url)
                #expect(curl.output.text.contains("-u 'ada:secret'"))
            }
        }
    }

    @Test func isReadFromTheFileInTheEnvironment() async throws {
        try await TestServer.with { server in
            try await CommandRunner.atHome { runner in
                var runner = runner
                try runner.put("default login bob password b", in: ".netrc")
                try runner.put(file, in: "other")
                runner.environment["NETRC"] = "other"
                #expect(await sent(runner, server, server.url("/anything")) == ada)
                runner.environment["NETRC"] = ""
                #expect(await sent(runner, server, server.url("/anything")) == "Basic Ym9iOmI=")
            }
        }
    }

    @Test(
        arguments: [
            (".netrc", "machine 127.0.0.1 login ada\npassword", "line 2 of the netrc file "),
            (".netrc", "password x", "line 1 of the netrc file "),
            ("other", "default login \"ada", "line 1 of the netrc file "),
            ("other", nil, "other can't be read"),
        ] as [(String, String?, String)]
    )
    func reportsAnUnusableFile(name: String, text: String?, part: String) async throws {
        try await TestServer.with { server in
            try await CommandRunner.atHome { runner in
                var runner = runner
                if let text { try runner.put(text, in: name) }
                if name != ".netrc" { runner.environment["NETRC"] = "\(runner.folder)/\(name)" }
                let run = await runner.run(server.url("/anything"))
                #expect(run.exitCode == .success)
                #expect(run.hasOneSentence && run.error.text.contains(part), "\(run.error.text)")
                #expect(run.error.text.contains("\(runner.folder)/\(name)"))
                #expect(server.requests.last?["Authorization"] == nil)
                for flags in [["-q"], ["--ignore-netrc"], ["-a", "a:b"]] {
                    #expect(await runner.run(flags + [server.url("/anything")]).error.bytes.isEmpty)
                }
            }
        }
    }

    @Test func isSentToNoOtherOrigin() async throws {
        try await TestServer.with { other in
            let there = TestResponse(status: 302, fields: [("Location", other.url("/anything"))])
            try await TestServer.with(behavior: .handler { _ in there }) { server in
                try await CommandRunner.atHome { runner in
                    try runner.put(file, in: ".netrc")
                    #expect(await sent(runner, server, "-F", server.origin) == ada)
                    #expect(other.requests.map { $0["Authorization"] } == [nil])
                }
            }
        }
    }

    @Test func isUsedForDigest() async throws {
        let behavior = TestServer.Behavior.handler { request in
            guard request["Authorization"] == nil else { return TestResponse(status: 200) }
            let words = "Digest realm=\"air\", nonce=\"5ccc069c\""
            return TestResponse(status: 401, fields: [("WWW-Authenticate", words)])
        }
        try await TestServer.with(behavior: behavior) { server in
            try await CommandRunner.atHome { runner in
                try runner.put(file, in: ".netrc")
                let field = try #require(await sent(runner, server, "-A", "digest", server.origin))
                #expect(field.hasPrefix("Digest username=\"ada\""))
            }
        }
    }
}

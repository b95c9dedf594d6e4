import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// Session files: HTTPie's, damaged ones, and files of other programs.
@Suite(.timeLimit(.minutes(5))) struct CommandSessionFileTests {
    private static let ok = TestServer.Behavior.handler { _ in TestResponse(status: 200) }

    /// As HTTPie 3.2.4 writes it.
    private static let current = """
        {
            "__meta__": {
                "about": "HTTPie session file",
                "help": "https://httpie.io/docs#sessions",
                "httpie": "3.2.4"
            },
            "auth": {
                "raw_auth": "ada:secret",
                "type": "basic"
            },
            "cookies": [
                {
                    "domain": "127.0.0.1",
                    "expires": null,
                    "name": "id",
                    "path": "/",
                    "secure": false,
                    "value": "7"
                },
                {
                    "domain": "elsewhere.example",
                    "expires": 4102444800,
                    "name": "away",
                    "path": "/",
                    "secure": true,
                    "value": "1"
                },
                {
                    "domain": "127.0.0.1",
                    "expires": 1000000000,
                    "name": "gone",
                    "path": "/",
                    "secure": false,
                    "value": "1"
                }
            ],
            "headers": [
                {
                    "name": "X-A",
                    "value": "gr\\u00fc\\u00df"
                }
            ]
        }

        """

    /// As HTTPie wrote it up to 3.0.
    private static let older = """
        {
            "__meta__": {"about": "HTTPie session file", "help": "https://httpie.org/doc#sessions", "httpie": "2.4.0"},
            "auth": {"password": "secret", "type": "basic", "username": "ada"},
            "cookies": {"id": {"expires": null, "path": "/", "secure": false, "value": "7"}},
            "headers": {"X-A": "gr\\u00fc\\u00df"}
        }

        """

    @Test(arguments: [current, older]) func readsFilesOfHTTPie(text: String) async throws {
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put(text, in: "s.json")
                #expect(await runner.run("--session=./s.json", server.origin).exitCode == .success)
                let request = try #require(server.requests.first)
                #expect(request["Cookie"] == "id=7")
                #expect(request["Authorization"] == "Basic YWRhOnNlY3JldA==")
                // The test server decodes the bytes of UTF-8 separately.
                #expect(request["X-A"] == "gr\u{C3}\u{BC}\u{C3}\u{9F}")
            }
        }
    }

    @Test func writesFilesForHTTPie() async throws {
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                let more = Self.current.replacing("\"cookies\"", with: "\"more\": [1], \"cookies\"")
                try runner.put(more, in: "s.json")
                #expect(await runner.run("--session=./s.json", server.origin, "X-B:1").exitCode == .success)
                let kept = try JSONValue(parsing: Data(try #require(runner.file("s.json"))))
                #expect(kept.object?.keys == ["__meta__", "auth", "cookies", "headers", "more"])
                #expect(kept["more"] == [1])
                #expect(kept["headers"]?.array == [["name": "X-A", "value": "grüß"], ["name": "X-B", "value": "1"]])
                let names: Set = ["name", "value", "domain", "path", "expires", "secure"]
                let cookies = try #require(kept["cookies"]?.array)
                // HTTPie rejects files with any other member.
                #expect(cookies.allSatisfy { Set($0.object?.keys ?? []) == names })
                #expect(cookies.map { $0["name"] } == ["id", "away"])
                #expect(cookies[1]["expires"] == 4_102_444_800)
            }
        }
    }

    @Test func isUnchangedWithoutNewData() async throws {
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                let still = Self.current.replacing("1000000000", with: "4102444800")
                try runner.put(still, in: "s.json")
                #expect(await runner.run("--session=./s.json", server.origin).exitCode == .success)
                #expect(runner.file("s.json") == Array(still.utf8))
            }
        }
    }

    @Test func keepsACookieWithoutAHostUnchanged() async throws {
        let cookie = "{\"name\": \"id\", \"value\": \"7\", \"domain\": null}"
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("{\"cookies\": [\(cookie)]}", in: "s.json")
                for host in ["127.0.0.1", "localhost"] {
                    let url = "http://\(host):\(server.port)"
                    #expect(await runner.run("--session=./s.json", url).exitCode == .success)
                    #expect(server.requests.last?["Cookie"] == "id=7")
                }
                let kept = try JSONValue(parsing: Data(try #require(runner.file("s.json"))))
                #expect(kept["cookies"]?.array?.count == 1 && kept["cookies"][0]["domain"] == .null)
            }
        }
    }

    /// Python's cookie jar stores the host `web` as `web.local`, so the two are indistinguishable.
    @Test(arguments: [
        ("web", "web.local"), ("localhost", "localhost.local"), ("web.local", "web.local"), ("a.web", "a.web"),
        ("::1", "[::1].local"), ("127.0.0.1", "127.0.0.1"),
    ])
    func namesHostsWithoutADotAsHTTPieDoes(host: String, domain: String) throws {
        let cookie = try Cookie(name: "id", value: "7", domain: host)
        let kept = SessionCookie(cookie)
        #expect(kept.domain == domain)
        #expect(kept.cookie(boundTo: host)?.domain == host)
        // If the request goes to another host, `web.local` may mean `web`.
        #expect(kept.cookie(boundTo: "elsewhere.example")?.domain == (host == "web.local" ? "web" : host))
    }

    @Test(arguments: [
        "{", "[]", "7", "{\"name\": \"package\"}", "not json", "{\"headers\": 7}", "{\"headers\": [1]}",
        "{\"headers\": [{\"name\": \"a b\", \"value\": \"c\"}]}", "{\"headers\": {\"X\": \"a\\r\\nB: c\"}}",
        "{\"headers\": {\"X\": 1}}", "{\"cookies\": [1]}", "{\"cookies\": \"a=b\"}",
        "{\"cookies\": [{\"value\": \"a\"}]}", "{\"cookies\": [{\"name\": \"a\", \"value\": 1}]}",
        "{\"cookies\": {\"a\": {\"value\": \"1\", \"expires\": \"x\"}}}",
        "{\"cookies\": [{\"name\": \"a\", \"value\": \"1\", \"secure\": 1}]}", "{\"auth\": 1}",
        "{\"cookies\": [{\"name\": \"a\", \"value\": \"1\", \"expires\": 1e400}]}",
        "{\"auth\": {\"type\": \"basic\"}}", "{\"auth\": {\"type\": \"jwt\", \"raw_auth\": \"x\"}}",
        "{\"auth\": {\"type\": \"basic\", \"raw_auth\": \"ada\"}}",
    ])
    func rejectsInvalidSessions(text: String) async throws {
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put(text, in: "s.json")
                let run = await runner.run("--session=./s.json", server.origin, "X-A:1")
                #expect(run.exitCode == .failure)
                #expect(run.hasOneSentence, "\(run.error.text)")
                #expect(run.error.text.contains("s.json") || run.error.text.contains("--auth"), "\(run.error.text)")
                #expect(runner.file("s.json") == Array(text.utf8))
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test(arguments: ["", "{}", "{\"auth\": {\"type\": null}}", "{\"cookies\": [{\"name\": \"a\", \"value\": null}]}"])
    func acceptsEmptySessions(text: String) async throws {
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put(text, in: "s.json")
                for word in ["X-A:1", "Y:2"] {
                    #expect(await runner.run("--session=./s.json", server.origin, word).exitCode == .success)
                }
                #expect(server.requests.last?["X-A"] == "1" && server.requests.last?["Cookie"] == nil)
            }
        }
    }

    @Test func replacesAnUnknownSchemeWithNewCredentials() async throws {
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("{\"auth\": {\"type\": \"jwt\", \"raw_auth\": \"x\"}}", in: "s.json")
                #expect(await runner.run("--session=./s.json", "-a", "a:b", server.origin).exitCode == .success)
                #expect(await runner.run("--session=./s.json", server.origin).exitCode == .success)
                #expect(server.requests.last?["Authorization"] == "Basic YTpi")
            }
        }
    }

    @Test func sendsNothingIfTheSessionCannotBeSaved() async throws {
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                let folder = "\(runner.folder)/d"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                for flag in ["--session=./no/such.json", "--session=./d", "--session=ada", "--session=../"] {
                    let run = await runner.run(flag, server.origin)
                    #expect(run.exitCode == .failure)
                    #expect(run.hasOneSentence && run.error.text.contains("--session"), "\(run.error.text)")
                }
                #expect(server.requests.isEmpty)
            }
        }
    }

    @Test func printsTheResponseIfTheSessionCannotBeSaved() async throws {
        try await TestServer.with { server in
            try await CommandRunner.atHome { runner in
                // A dangling link: there is no file, and no folder can be created for one.
                let link = "\(runner.folder)/.config"
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere/at/all")
                let run = await runner.run("--session=ada", server.url("/bytes/10"))
                #expect(run.exitCode == .failure)
                #expect(run.output.bytes == TestServer.pattern(count: 10))
                #expect(run.hasOneSentence && run.error.text.contains("was not saved"), "\(run.error.text)")
            }
        }
    }

    @Test func followsASymbolicLink() async throws {
        try await TestServer.with(behavior: Self.ok) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("{}", in: "there.json")
                let link = "\(runner.folder)/s.json"
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "there.json")
                #expect(await runner.run("--session=./s.json", server.origin, "X-A:1").exitCode == .success)
                #expect(runner.file("there.json")?.contains(Array("X-A".utf8)) == true)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "there.json")
            }
        }
    }
}

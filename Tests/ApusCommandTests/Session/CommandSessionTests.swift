import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// The data that `--session` keeps between runs, and the data that it does not keep.
@Suite(.timeLimit(.minutes(5))) struct CommandSessionTests {
    /// Sets a cookie and expires another for `/login`.
    private static let server = TestServer.Behavior.handler { request in
        guard request.path == "/login" else { return TestResponse(status: 200) }
        return TestResponse(status: 200, fields: [("Set-Cookie", "id=7"), ("Set-Cookie", "old=; Max-Age=0")])
    }

    private func document(_ runner: CommandRunner, _ name: String) throws -> JSONValue {
        try JSONValue(parsing: Data(try #require(runner.file(name))))
    }

    /// A session's data for one host is not sent to a host that it redirects to.
    @Test func sendsNoSecretsToAnotherHostOnARedirect() async throws {
        try await TestServer.with { other in
            let response = TestResponse(status: 302, fields: [("Location", "http://localhost:\(other.port)/")])
            try await TestServer.with(behavior: .handler { _ in response }) { server in
                try await CommandRunner.atHome { runner in
                    let items = ["Private-Token:hunter2", "X-Functions-Key:hunter2", "X-Request-Id:7"]
                    _ = await runner.run(["--session=ada", server.url("/")] + items)
                    let run = await runner.run("--session=ada", "-F", server.url("/"))
                    #expect(run.exitCode == .success, "\(run.error.text)")
                    #expect(server.requests.last?["Private-Token"] == "hunter2")
                    let sent = try #require(other.requests.last)
                    #expect(sent["Private-Token"] == nil && sent["X-Functions-Key"] == nil)
                    #expect(sent["X-Request-Id"] == "7")
                }
            }
        }
    }

    @Test func restoresGivenFieldsAndReceivedCookies() async throws {
        try await TestServer.with(behavior: Self.server) { server in
            try await CommandRunner.atHome { runner in
                let flags = ["--session=ada", "-a", "ada:secret"]
                let items = [
                    "X-A:1", "X-A:2", "If-None-Match:x", "Content-Type:text/plain", "Cookie:theme=dark; old=1",
                    "User-Agent:me",
                ]
                let run = await runner.run(flags + [server.url("/login")] + items)
                #expect(run.exitCode == .success, "\(run.error.text)")
                let first = try #require(server.requests.first)
                #expect(first["Cookie"] == "theme=dark; old=1")
                #expect(first["If-None-Match"] == "x" && first["Content-Type"] == "text/plain")

                #expect(await runner.run("--session", "ada", server.url("/home")).exitCode == .success)
                let second = try #require(server.requests.last)
                #expect(second["Cookie"] == "theme=dark; id=7")
                #expect(second["Authorization"] == "Basic YWRhOnNlY3JldA==")
                #expect(second["X-A"] == "1, 2" && second["User-Agent"] == "me")
                #expect(second["If-None-Match"] == nil && second["Content-Type"] == nil)
                #expect(second["Accept"] == "*/*")

                let place = ".config/apus/sessions/127.0.0.1_\(server.port)/ada.json"
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(runner.folder)/\(place)")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let kept = try document(runner, place)
                #expect(kept["auth"] == ["type": "basic", "raw_auth": "ada:secret"])
                #expect(kept["cookies"]?.array?.count == 2)
                #expect(kept["headers"][0] == ["name": "X-A", "value": "1"])

                // Sessions with another name or another host do not have it.
                let elsewhere = "http://localhost:\(server.port)/"
                for words in [["--session=bob", server.url("/")], ["--session=ada", elsewhere]] {
                    #expect(await runner.run(words).exitCode == .success)
                    let other = try #require(server.requests.last)
                    #expect(other["Cookie"] == nil && other["Authorization"] == nil && other["X-A"] == nil)
                }
            }
        }
    }

    @Test func prefersGivenValues() async throws {
        try await TestServer.with(behavior: Self.server) { server in
            try await CommandRunner.inFolder { runner in
                let session = ["--session=./s.json", server.url("/")]
                func sent(_ words: String...) async -> TestRequest? {
                    #expect(await runner.run(session + words).exitCode == .success)
                    return server.requests.last
                }
                _ = await sent("X-A:1", "X-B:1", "Cookie:a=1", "Accept:text/html")
                let changed = await sent("X-A:2", "X-B:", "Cookie:a=2")
                #expect(changed?["X-A"] == "2" && changed?["X-B"] == nil && changed?["Cookie"] == "a=2")
                #expect(changed?["Accept"] == "text/html")
                let kept = await sent()
                #expect(kept?["X-A"] == "2" && kept?["X-B"] == "1" && kept?["Cookie"] == "a=2")
                // The credentials given last are used.
                #expect(await sent("-a", "ada:secret")?["Authorization"] == "Basic YWRhOnNlY3JldA==")
                #expect(await sent("Authorization:mine")?["Authorization"] == "mine")
                #expect(await sent()?["Authorization"] == "mine")
                #expect(await sent("-Abearer", "-a", "x")?["Authorization"] == "Bearer x")
                #expect(await sent("Authorization:")?["Authorization"] == nil)
                #expect(await sent()?["Authorization"] == "Bearer x")
                // A cookie field without cookies is sent as given.
                #expect(await sent("Cookie:nonsense")?["Cookie"] == "nonsense; a=2")
                #expect(await sent()?["Cookie"] == "a=2")
            }
        }
    }

    /// A later run may have another proxy. HTTPie may have written the field.
    @Test func keepsNoCredentialsForAProxy() async throws {
        try await TestServer.with(behavior: Self.server) { server in
            try await CommandRunner.inFolder { runner in
                let fields = #"{"name": "Proxy-Authorization", "value": "old"}, {"name": "X-B", "value": "1"}"#
                try runner.put("{\"headers\": [\(fields)]}", in: "s.json")
                let words = ["--session=./s.json", server.url("/"), "Proxy-Authorization:Basic YTpi", "X-A:1"]
                #expect(await runner.run(words).exitCode == .success)
                let names = try document(runner, "s.json")["headers"]?.array?.compactMap { $0["name"]?.string }
                #expect(names == ["X-B", "X-A"])
                let sent = try #require(server.requests.last)
                #expect(sent["Proxy-Authorization"] == nil && sent["X-B"] == "1")
            }
        }
    }

    @Test func leavesAReadOnlySessionUnchanged() async throws {
        try await TestServer.with(behavior: Self.server) { server in
            try await CommandRunner.inFolder { runner in
                let session = ["--session-read-only=./s.json"]
                // The first run creates it.
                #expect(await runner.run(session + [server.url("/login"), "X-A:1"]).exitCode == .success)
                let before = try #require(runner.file("s.json"))
                let words = [server.url("/login"), "X-A:2", "-a", "ada:secret", "Cookie:id=8; more=1"]
                #expect(await runner.run(session + words).exitCode == .success)
                #expect(server.requests.last?["X-A"] == "2")
                #expect(server.requests.last?["Cookie"] == "id=8; more=1")
                #expect(runner.file("s.json") == before)
                #expect(await runner.run(session + [server.url("/")]).exitCode == .success)
                #expect(server.requests.last?["X-A"] == "1" && server.requests.last?["Cookie"] == "id=7")
            }
        }
    }

    /// Also replaces a cookie with a longer path, which would be sent first.
    @Test func replacesAllCookiesOfAGivenName() async throws {
        let place = "\"value\": \"7\", \"domain\": \"127.0.0.1\""
        let cookies = [
            "{\"name\": \"id\", \(place), \"path\": \"/home\"}", "{\"name\": \"id\", \(place), \"path\": \"/away\"}",
            "{\"name\": \"more\", \(place), \"path\": \"/home\"}",
        ]
        try await TestServer.with(behavior: Self.server) { server in
            try await CommandRunner.inFolder { runner in
                try runner.put("{\"cookies\": [\(cookies.joined(separator: ", "))]}", in: "s.json")
                for words in [["Cookie:id=8"], []] {
                    let run = await runner.run(["--session=./s.json", server.url("/home")] + words)
                    #expect(run.exitCode == .success, "\(run.error.text)")
                    #expect(server.requests.last?["Cookie"] == "more=7; id=8")
                }
                // Cookies that would not have been sent remain.
                #expect(await runner.run("--session=./s.json", server.url("/away")).exitCode == .success)
                #expect(server.requests.last?["Cookie"] == "id=7; id=8")
            }
        }
    }

    /// A combining character forms one character with the equals sign.
    @Test func readsAGivenCookieByScalars() async throws {
        try await CommandRunner.inFolder { runner in
            let run = await runner.run("--offline", "--session=./s.json", "http://h", "Cookie:a=\u{301}; b=1")
            #expect(run.exitCode == .success, "\(run.error.text)")
            let names = try document(runner, "s.json")["cookies"]?.array?.compactMap { $0["name"]?.string }
            #expect(names == ["a", "b"])
        }
    }

    @Test func keepsDigestCredentials() async throws {
        let behavior = TestServer.Behavior.handler { request in
            guard request["Authorization"] == nil else { return TestResponse(status: 200) }
            let words = "Digest realm=\"air\", nonce=\"5ccc069c\""
            return TestResponse(status: 401, fields: [("WWW-Authenticate", words)])
        }
        try await TestServer.with(behavior: behavior) { server in
            try await CommandRunner.inFolder { runner in
                var runner = runner
                runner.password = "secret"
                let session = ["--session=./s.json", "--check-status", server.origin]
                #expect(await runner.run(session + ["-A", "digest", "-a", "ada"]).exitCode == .success)
                runner.password = nil
                #expect(await runner.run(session).exitCode == .success)
                #expect(server.requests.last?["Authorization"]?.hasPrefix("Digest username=\"ada\"") == true)
                let kept = try document(runner, "s.json")
                #expect(kept["auth"] == ["type": "digest", "raw_auth": "ada:secret"])
            }
        }
    }

    @Test func usesTheNetrcFileWithoutStoredCredentials() async throws {
        try await TestServer.with(behavior: Self.server) { server in
            try await CommandRunner.atHome { runner in
                try runner.put("default login bob password b", in: ".netrc")
                #expect(await runner.run("--session=./s.json", server.url("/")).exitCode == .success)
                #expect(server.requests.last?["Authorization"] == "Basic Ym9iOmI=")
                // These credentials are not stored.
                let kept = try document(runner, "s.json")
                #expect(kept["auth"]["type"] == .null)
                // Nor are they stored with a scheme, which is no credential.
                #expect(await runner.run("-A", "basic", "--session=./s.json", server.url("/")).exitCode == .success)
                #expect(server.requests.last?["Authorization"] == "Basic Ym9iOmI=")
                #expect(try document(runner, "s.json")["auth"]["type"] == .null)
                let named = server.url("/").replacing("http://", with: "http://ada:secret@")
                #expect(await runner.run("--session=./s.json", named).exitCode == .success)
                #expect(await runner.run("--session=./s.json", server.url("/")).exitCode == .success)
                #expect(server.requests.last?["Authorization"] == "Basic YWRhOnNlY3JldA==")
            }
        }
    }

    @Test func sendsCookiesOnlyToTheirHosts() async throws {
        try await TestServer.with(behavior: Self.server) { other in
            let there = [
                ("Location", other.url("/").replacing("127.0.0.1", with: "localhost")), ("Set-Cookie", "id=7"),
            ]
            try await TestServer.with(behavior: .handler { _ in TestResponse(status: 302, fields: there) }) { server in
                try await CommandRunner.inFolder { runner in
                    let words = ["-F", "--session=./s.json", server.origin, "Cookie:a=1", "-a", "ada:secret"]
                    for _ in 1...2 { #expect(await runner.run(words + ["X-Api-Key:k"]).exitCode == .success) }
                    #expect(server.requests.last?["Cookie"] == "a=1; id=7")
                    #expect(other.requests.count == 2)
                    for name in ["Cookie", "Authorization", "X-Api-Key"] {
                        #expect(other.requests.allSatisfy { $0[name] == nil })
                    }
                }
            }
        }
    }

    @Test func isSavedOfflineAndNotForCurl() async throws {
        try await CommandRunner.inFolder { runner in
            let shown = await runner.run("--curl", "--session=./s.json", "http://h", "X-A:1", "Cookie:a=1")
            #expect(shown.output.text.contains("-H 'X-A: 1'") && shown.output.text.contains("-H 'Cookie: a=1'"))
            #expect(runner.fileNames.isEmpty)
            #expect(await runner.run("--offline", "--session=./s.json", "http://h", "X-A:1").exitCode == .success)
            let secondRun = await runner.run("--offline", "--session=./s.json", "http://h")
            #expect(secondRun.output.text.contains("X-A: 1\r\n"))
        }
    }

    @Test func isNotSavedWithoutAResponse() async throws {
        try await CommandRunner.inFolder { runner in
            #expect(await runner.run("--session=./s.json", "http://127.0.0.1:1", "X-A:1").exitCode == .failure)
            #expect(runner.fileNames.isEmpty)
        }
    }

    @Test func survivesConcurrentRuns() async throws {
        try await TestServer.with(behavior: Self.server) { server in
            try await CommandRunner.inFolder { runner in
                let runs = await withTaskGroup(of: ExitCode.self) { group in
                    for number in 1...12 {
                        group.addTask {
                            await runner.run("--session=./s.json", server.url("/login"), "X-\(number):1").exitCode
                        }
                    }
                    return await group.reduce(into: [ExitCode]()) { $0.append($1) }
                }
                #expect(runs == Array(repeating: .success, count: 12))
                #expect(runner.fileNames == ["s.json"])
                #expect(await runner.run("--session=./s.json", server.url("/")).exitCode == .success)
                #expect(server.requests.last?["Cookie"] == "id=7")
            }
        }
    }
}

import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// `-A digest` against a server that verifies the digest independently of the library.
@Suite(.timeLimit(.minutes(5))) struct CommandDigestTests {
    private static func challenge(_ words: String) -> TestResponse {
        TestResponse(status: 401, fields: [("WWW-Authenticate", words)], body: .text("who are you?"))
    }

    private static func parameter(_ name: String, of field: String) -> String? {
        let words = field.dropFirst(7).components(separatedBy: ", ")
        let word = words.first { $0.hasPrefix("\(name)=") }
        return word?.dropFirst(name.count + 1).replacingOccurrences(of: "\"", with: "")
    }

    /// Without `qop` a response contains nothing random. It is computed from `ada:air:Love:lace`, the nonce, and
    /// `GET:/engines?x=1`.
    @Test(arguments: [
        ("MD5", "3b802ad2dd9b65bd160d3d31aea1d8c8"),
        ("SHA-256", "78534e0a4affdab44cf59dcf3b0e069bec31215f8a3b0e42658ed5ebcc82d040"),
    ])
    func authenticatesWithThePassword(algorithm: String, response: String) async throws {
        let behavior = TestServer.Behavior.handler { request in
            guard let field = request["Authorization"] else {
                return Self.challenge("Digest realm=\"air\", nonce=\"5ccc069c\", algorithm=\(algorithm)")
            }
            return TestResponse(status: Self.parameter("response", of: field) == response ? 200 : 403)
        }
        try await TestServer.with(behavior: behavior) { server in
            let words = ["-A", "digest", "--check-status", server.url("/engines?x=1")]
            #expect(await CommandRunner().run(words + ["-a", "ada:Love:lace"]).exitCode == .success)
            #expect(server.requests.count == 2)
            #expect(await CommandRunner().run(words + ["-a", "ada:lace"]).exitCode == .clientError)
            #expect(await CommandRunner(password: "Love:lace").run(words + ["-a", "ada"]).exitCode == .success)
            // The user name and password of a URL work too, and are not sent in clear text.
            let named = server.url("/engines?x=1").replacing("http://", with: "http://ada:Love%3Alace@")
            #expect(await CommandRunner().run("-Adigest", "--check-status", named).exitCode == .success)
            #expect(!server.requests.contains { $0["Authorization"]?.hasPrefix("Basic") == true })
        }
    }

    @Test func sendsNonceCountAndQop() async throws {
        let behavior = TestServer.Behavior.handler { request in
            guard let field = request["Authorization"] else {
                return Self.challenge("Digest realm=\"air\", nonce=\"5ccc069c\", qop=\"auth\", Basic realm=\"air\"")
            }
            let parts = ["nc", "cnonce", "qop", "response"].compactMap { Self.parameter($0, of: field) }
            guard parts.count == 4, parts[0] == "00000001", parts[2] == "auth" else { return TestResponse(status: 400) }
            let keys = ("79b583bfffa16fee0297e9b0f3f6363c", "a4fb4a2afd186bf3f2e721dd1c834365")
            let text = "\(keys.0):5ccc069c:00000001:\(parts[1]):auth:\(keys.1)"
            let hash = try? await Shell.run("printf %s '\(text)' | { md5sum 2>/dev/null || md5; }")
            let digits = String(decoding: hash?.output.prefix(32) ?? [], as: UTF8.self)
            return TestResponse(status: digits == parts[3] ? 200 : 403)
        }
        try await TestServer.with(behavior: behavior) { server in
            let run = await CommandRunner().run("-A", "digest", "-a", "ada:Love:lace", "-v", server.url("/engines?x=1"))
            #expect(run.output.text.contains("HTTP/1.1 401 ") && run.output.text.contains("HTTP/1.1 200 "))
        }
    }

    @Test func sendsNoPasswordInClearText() async throws {
        let behavior = TestServer.Behavior.handler { _ in Self.challenge("Basic realm=\"air\"") }
        try await TestServer.with(behavior: behavior) { server in
            let run = await CommandRunner().run("-A", "digest", "-a", "ada:secret", "--check-status", server.origin)
            #expect(run.exitCode == .clientError)
            #expect(server.requests.count == 1)
        }
    }

    @Test func sendsNoCredentialsToAnotherOrigin() async throws {
        let digest = TestServer.Behavior.handler { _ in Self.challenge("Digest realm=\"air\", nonce=\"5ccc069c\"") }
        try await TestServer.with(behavior: digest) { other in
            let there = TestResponse(status: 302, fields: [("Location", other.url("/"))])
            try await TestServer.with(behavior: .handler { _ in there }) { server in
                let run = await CommandRunner().run("-F", "-A", "digest", "-a", "ada:secret", "-h", server.origin)
                #expect(run.output.text.hasPrefix("HTTP/1.1 401 "))
                #expect(other.requests.map { $0["Authorization"] } == [nil])
            }
        }
    }

    @Test func isShownCorrectly() async {
        let offline = await CommandRunner().run("--offline", "-A", "digest", "-a", "ada:secret", "http://h")
        #expect(offline.exitCode == .success)
        #expect(!offline.output.text.contains("Authorization"))
        let curl = await CommandRunner().run("--curl", "-A", "digest", "-a", "ada:it's", "http://h", "Authorization:x")
        #expect(curl.output.text.contains(" '--digest' '--user' 'ada:it'\\''s' "))
        #expect(!curl.output.text.contains("Authorization"))
    }

    @Test func sendsATokenWithoutAChallenge() async throws {
        try await TestServer.with { server in
            let run = await CommandRunner().run("-A", "bearer", "-a", "mF_9.B5f:x", server.url("/anything"))
            #expect(run.exitCode == .success)
            #expect(server.requests.last?["Authorization"] == "Bearer mF_9.B5f:x")
        }
    }

    @Test(arguments: [
        (["-A", "bearer"], "--auth TOKEN"), (["-A", "digest"], "--auth USER:PASSWORD"),
        (["-A", "basic"], "--auth USER:PASSWORD"), (["-A", "bearer", "-a", "a\nb"], "line feed"),
        (["-A", "bearer", "-a", ""], "--auth TOKEN"), (["-A", "digest", "-a", "ada"], "--auth ada:PASSWORD"),
        (["-A", "ntlm", "-a", "a:b"], "digest"),
    ])
    func reportsMissingCredentials(flags: [String], part: String) async {
        let run = await CommandRunner().run(flags + ["http://127.0.0.1:1"])
        #expect(run.exitCode == .failure)
        #expect(run.hasOneSentence && run.error.text.contains(part), "\(run.error.text)")
    }
}

import Apus
import ApusTestServer
import Foundation
import Testing

@testable import ApusCommand

/// Credentials that a session stores for https are sent over https only, and each host has a separate folder.
@Suite(.timeLimit(.minutes(5))) struct CommandSessionSchemeTests {
    private static let ok = TestServer.Behavior.handler { _ in TestResponse(status: 200) }

    /// Runs `body` with a folder and two servers for the same host: one with TLS and one without.
    private func withServers(_ body: (CommandRunner, _ secure: String, TestServer) async throws -> Void) async throws {
        try await TestServer.with(tls: .localhost, behavior: Self.ok) { secure in
            try await TestServer.with(behavior: Self.ok) { plain in
                try await CommandRunner.inFolder { try await body($0, secure.url("/"), plain) }
            }
        }
    }

    private func document(_ runner: CommandRunner) throws -> JSONValue {
        try JSONValue(parsing: Data(try #require(runner.file("s.json"))))
    }

    @Test func sendsNoHTTPSCredentialsOverHTTP() async throws {
        try await withServers { runner, secure, plain in
            let session = ["--verify=no", "--session=./s.json"]
            let first = await runner.run(session + ["-a", "ada:sesame", secure, "X-A:1"])
            #expect(first.exitCode == .success, "\(first.error.text)")
            let kept = try document(runner)
            #expect(kept["https_only"] == ["auth": true])
            // HTTPie's members have their usual format.
            #expect(kept["auth"] == ["type": "basic", "raw_auth": "ada:sesame"])
            for flag in ["--session=./s.json", "--session-read-only=./s.json"] {
                let refused = await runner.run(flag, plain.url("/"))
                #expect(refused.exitCode == .failure && refused.hasOneSentence)
                #expect(refused.error.text.contains("https://") && refused.error.text.contains("--auth"))
                #expect(!refused.error.text.contains("sesame"))
            }
            #expect(plain.requests.isEmpty)
            #expect(await runner.run(session + [secure]).exitCode == .success)
            // New credentials are sent, and so is a request without any. Fields that are not secret are always sent.
            #expect(await runner.run(session + [plain.url("/"), "Authorization:"]).exitCode == .success)
            #expect(plain.requests.last?["Authorization"] == nil && plain.requests.last?["X-A"] == "1")
            #expect(await runner.run(session + ["-a", "bob:b", plain.url("/")]).exitCode == .success)
            let updated = try document(runner)
            #expect(updated["https_only"] == nil)
            #expect(await runner.run(session + [plain.url("/")]).exitCode == .success)
            #expect(plain.requests.last?["Authorization"] == "Basic Ym9iOmI=")
        }
    }

    @Test func sendsNoSecretHTTPSFieldsOverHTTP() async throws {
        try await withServers { runner, secure, plain in
            let session = ["--verify=no", "--session=./s.json"]
            let items = ["X-Api-Key:sesame", "Authorization:mine", "X-A:1"]
            #expect(await runner.run(session + [secure] + items).exitCode == .success)
            let kept = try document(runner)
            #expect(kept["https_only"] == ["headers": ["Authorization", "X-Api-Key"]])
            #expect(kept["headers"]?.array?.count == 3)
            let refused = await runner.run(session + [plain.url("/"), "Authorization:"])
            #expect(refused.exitCode == .failure && refused.hasOneSentence)
            #expect(refused.error.text.contains("'X-Api-Key:'") && !refused.error.text.contains("sesame"))
            let both = await runner.run(session + ["--offline", plain.url("/")])
            #expect(both.exitCode == .failure && both.output.bytes.isEmpty)
            #expect(plain.requests.isEmpty)
            let without = ["X-Api-Key:", "Authorization:"]
            #expect(await runner.run(session + [plain.url("/")] + without).exitCode == .success)
            #expect(plain.requests.last?["X-Api-Key"] == nil)
            // Credentials that were given for http are stored for http.
            let typed = ["x-api-key:known", "-a", "bob:b"]
            #expect(await runner.run(session + [plain.url("/")] + typed).exitCode == .success)
            let updated = try document(runner)
            #expect(updated["https_only"] == nil)
            #expect(await runner.run(session + [plain.url("/")]).exitCode == .success)
            #expect(plain.requests.last?["X-Api-Key"] == "known")
        }
    }

    /// A cookie is sent to its host over http too, unless it is secure.
    @Test func keepsCookiesGivenForHTTPSSecure() async throws {
        try await withServers { runner, secure, plain in
            let session = ["--verify=no", "--session=./s.json"]
            // The two cookies have different domains.
            for (url, areSecure) in [(secure, [true]), (plain.url("/"), [true, false])] {
                #expect(await runner.run(session + [url, "Cookie:sid=1"]).exitCode == .success)
                let cookies = try #require(try document(runner)["cookies"]?.array)
                #expect(cookies.map { $0["secure"] } == areSecure.map { .bool($0) })
            }
        }
    }

    @Test func sendsStoredCredentialsWithoutASchemeRestriction() async throws {
        try await withServers { runner, secure, plain in
            try runner.put(#"{"auth": {"type": "basic", "raw_auth": "ada:secret"}}"#, in: "s.json")
            for url in [secure, plain.url("/")] {
                #expect(await runner.run("--verify=no", "--session=./s.json", url).exitCode == .success)
            }
            #expect(plain.requests.last?["Authorization"] == "Basic YWRhOnNlY3JldA==")
        }
    }

    @Test(arguments: ["7", "{\"headers\": [\"a b\"]}", "{\"headers\": [1]}"])
    func rejectsAnInvalidListOfSecrets(text: String) async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put("{\"auth\": null, \"https_only\": \(text)}", in: "s.json")
            let run = await runner.run("--offline", "--session=./s.json", "http://h")
            #expect(run.exitCode == .failure && run.hasOneSentence)
            #expect(run.error.text.contains("https_only"), "\(run.error.text)")
        }
    }

    @Test func separatesAHostAndPortFromAHostWithThatName() async throws {
        try await CommandRunner.atHome { runner in
            let words = ["--offline", "--session=ada", "http://127.0.0.1"]
            #expect(await runner.run(words + ["Host:host:8080", "X-A:port"]).exitCode == .success)
            // The old file may belong to the other host, so it is left alone, and the command mentions it once.
            let other = await runner.run(words + ["Host:host_8080", "X-A:name"])
            #expect(other.exitCode == .success && other.hasOneSentence, "\(other.error.text)")
            #expect(other.error.text.contains("sessions/host_8080/ada.json"))
            #expect(other.error.text.contains("sessions/host_8080_/ada.json"))
            for (host, value) in [("host:8080", "port"), ("host_8080", "name")] {
                let run = await runner.run(words + ["Host:\(host)"])
                #expect(run.output.text.contains("\r\nX-A: \(value)\r\n") && run.error.bytes.isEmpty, "\(host)")
            }
        }
    }
}

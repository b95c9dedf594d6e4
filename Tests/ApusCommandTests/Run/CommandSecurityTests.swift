import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

@testable import ApusCommand

/// The flags of TLS, against a server.
@Suite(.timeLimit(.minutes(5))) struct CommandSecurityTests {
    /// Runs a test in a folder with an authority, and a client certificate with its key.
    private func with(
        _ tls: TestTLS,
        _ body: (TestServer, CommandRunner) async throws -> Void
    ) async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put(TestTLS.authorityPEM, in: "authority.pem")
            try runner.put(TestTLS.clientCertificatePEM, in: "client.pem")
            try runner.put(TestTLS.clientPrivateKeyPEM, in: "client.key")
            try runner.put(TestTLS.clientCertificatePEM + TestTLS.clientPrivateKeyPEM, in: "both.pem")
            try await TestServer.with(tls: tls) { server in try await body(server, runner) }
        }
    }

    private static var demanding: TestTLS {
        var tls = TestTLS.localhost
        tls.requiresClientCertificate = true
        return tls
    }

    private let trusting = "--verify=authority.pem"

    @Test(arguments: [["--cert", "client.pem", "--cert-key", "client.key"], ["--cert=both.pem"]])
    func presentsTheClientCertificate(arguments: [String]) async throws {
        try await with(Self.demanding) { server, runner in
            let run = await runner.run([trusting] + arguments + [server.url("/get")])
            #expect(run.exitCode == .success, "\(run.error.text)")
            #expect(server.requestCount == 1)
        }
    }

    @Test(arguments: ["tls1.2", "tls1.3"])
    func asksForTheClientCertificate(version: String) async throws {
        try await with(Self.demanding) { server, runner in
            let run = await runner.run(trusting, "--ssl", version, server.url("/get"))
            #expect(run.exitCode == .failure)
            #expect(run.hasOneSentence)
            #expect(run.error.text.contains("requires a client certificate; name one with --cert FILE"))
        }
    }

    @Test(arguments: [
        (["--cert", "missing.pem"], "missing.pem"), (["--cert", "client.pem"], "has no private key"),
        (["--cert", "client.pem", "--cert-key", "authority.pem"], "has no private key"),
    ])
    func reportsAnUnusableCertificate(arguments: [String], words: String) async throws {
        try await with(Self.demanding) { server, runner in
            let run = await runner.run([trusting] + arguments + [server.url("/get")])
            #expect(run.exitCode == .failure)
            #expect(run.hasOneSentence)
            #expect(run.error.text.contains(words), "\(run.error.text)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func usesExactlyTheVersion() async throws {
        try await with(.localhost) { server, runner in
            let run = await runner.run(trusting, "--ssl=tls1.2", "-v", server.url("/get"))
            #expect(run.exitCode == .success)
            #expect(run.error.text.contains("* TLSv1.2, 127.0.0.1:\(server.port), http/1.1\n"), "\(run.error.text)")
            #expect(run.error.text.contains("* Certificate: CN=localhost, issued by CN=Apus Test Authority"))
        }
    }

    @Test func requestsTheHostsOfAFileOverHTTPS() async throws {
        try await with(.localhost) { server, runner in
            let plain = "http://localhost:\(server.port)/get"
            let asking = server.url("/response-headers?Strict-Transport-Security=max-age%3D600")
            let first = await runner.run(trusting, "--hsts=hsts.txt", asking)
            #expect(first.exitCode == .success, "\(first.error.text)")
            let written = try #require(runner.file("hsts.txt"))
            #expect(String(decoding: written, as: UTF8.self).contains("\nlocalhost \""))
            let second = await runner.run(trusting, "--hsts=hsts.txt", plain)
            #expect(second.exitCode == .success, "\(second.error.text)")
            #expect(server.requests.map(\.isSecure) == [true, true])
            let third = await runner.run(trusting, "--offline", "--hsts=hsts.txt", plain)
            #expect(third.exitCode == .success, "\(third.error.text)")
            // The file is not written without a change.
            #expect(runner.file("hsts.txt") == written)
        }
    }

    @Test func reportsADamagedFileOfHosts() async throws {
        try await CommandRunner.inFolder { runner in
            try runner.put("localhost\n", in: "hsts.txt")
            let run = await runner.run("--hsts=hsts.txt", "http://localhost:1/")
            #expect(run.exitCode == .failure)
            #expect(run.hasOneSentence)
            #expect(run.error.text.contains("the file of --hsts can't be used: "))
            #expect(run.error.text.contains("line 1 does not end with a time"))
        }
    }

    @Test func namesAnUnknownCipherSuite() async throws {
        try await with(.localhost) { server, runner in
            let run = await runner.run(trusting, "--ciphers=TLS_FAST", server.url("/get"))
            #expect(run.exitCode == .failure)
            #expect(run.error.text.contains("'TLS_FAST'"))
        }
    }

    @Test func acceptsAFolderOfAuthorities() async throws {
        try await with(.localhost) { server, runner in
            try FileManager.default.createDirectory(
                atPath: "\(runner.folder)/authorities",
                withIntermediateDirectories: false
            )
            try runner.put(TestTLS.authorityPEM, in: "authorities/test.pem")
            let run = await runner.run("--verify=authorities", server.url("/get"))
            #expect(run.exitCode == .success, "\(run.error.text)")
        }
    }

    @Test func requiresAPinnedKey() async throws {
        try await with(.localhost) { server, runner in
            var configuration = Session.Configuration()
            configuration.trust.roots = .pem(TestTLS.authorityPEM)
            let session = Session(configuration: configuration)
            let exchange = try await session.get(server.url("/get")).metrics.exchanges.first
            await session.shutdown()
            let certificate = try #require(exchange?.peerCertificates.first)
            let pin = PublicKeyPin(certificate: certificate).description
            #expect(await runner.run(trusting, "--pin", pin, server.url("/get")).exitCode == .success)
            #expect(await runner.run("--verify=no", "--pin", pin, server.url("/get")).exitCode == .success)
            let other = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
            let refused = await runner.run(trusting, "--pin", other, server.url("/get"))
            #expect(refused.exitCode == .failure)
            #expect(refused.error.text.contains("--pin"), "\(refused.error.text)")
        }
    }
}

import Apus
import ApusTestServer
import ApusTesting
import HTTPTypes
import Testing

/// The TLS versions and cipher suites that a session uses.
@Suite struct TLSVersionTests {
    private func server(
        _ base: TestTLS = .localhost,
        from minimum: TestTLS.Version = .tls10,
        to maximum: TestTLS.Version? = nil,
        ciphers: String? = nil
    ) -> TestTLS {
        var tls = base
        tls.minimumVersion = minimum
        tls.maximumVersion = maximum
        tls.cipherSuites = ciphers
        return tls
    }

    /// Runs `body` with a server and a session that trusts it, and checks that no resources are left.
    private func with(
        _ tls: TestTLS,
        minimum: TLSVersion? = nil,
        _ body: (TestServer, Session) async throws -> Void
    ) async throws {
        let server = try await TestServer.start(tls: tls)
        let session = Wire.tls.session(resolver: ScriptedResolver()) {
            if let minimum { $0.tls.minimumVersion = minimum }
        }
        try await body(server, session)
        try await assertNothingLeft(session)
        await server.stop()
    }

    private func expectVersion(
        _ version: String,
        at tls: TestTLS,
        minimum: TLSVersion? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await with(tls, minimum: minimum) { server, session in
            let response = try await session.get(Wire.tls.named(server)).validate()
            #expect(response.metrics.exchanges.first?.tlsVersion == version, sourceLocation: sourceLocation)
        }
    }

    /// Returns the error of a rejected request.
    private func refusal(
        of tls: TestTLS,
        minimum: TLSVersion? = nil,
        form: Form
    ) async throws -> ApusError? {
        var error: ApusError?
        try await with(tls, minimum: minimum) { server, session in
            error = await form.outcome(of: try RequestMessage(Wire.tls.named(server)), on: session).error
            #expect(server.requestCount == 0)
        }
        return error
    }

    @Test(.timeLimit(.minutes(5)), arguments: [TestTLS.Version.tls10, .tls11], Form.allCases)
    func rejectsInsecureVersions(version: TestTLS.Version, form: Form) async throws {
        let error = try await refusal(of: server(to: version), form: form)
        #expect(error?.code == .tlsVersionUnsupported)
        #expect(error?.phase == .tls)
        #expect(error?.blame == .peer)
        #expect(error?.isConnect == true)
        #expect(error?.detail.contains("update the server") == true)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [TLSVersion.v12, .v13])
    func negotiatesTheLatestVersion(minimum: TLSVersion) async throws {
        try await expectVersion("TLSv1.3", at: server(), minimum: minimum)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func acceptsTLS12UnlessTheSessionRequiresTLS13(form: Form) async throws {
        try await expectVersion("TLSv1.2", at: server(to: .tls12))
        let error = try await refusal(of: server(to: .tls12), minimum: .v13, form: form)
        #expect(error?.code == .tlsVersionUnsupported)
        #expect(error?.hint?.contains("tls.minimumVersion") == true)
    }

    // MARK: Cipher suites

    private static let ephemeral = [
        "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
        "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA",
    ]

    @Test(
        .timeLimit(.minutes(5)),
        arguments: ephemeral.map { ($0, TestTLS.localhostRSA) }
            + ephemeral.map { ($0.replacing("RSA", with: "ECDSA"), TestTLS.localhost) }
    )
    func acceptsSuitesWithEphemeralKeys(suite: String, tls: TestTLS) async throws {
        try await expectVersion("TLSv1.2", at: server(tls, to: .tls12, ciphers: suite))
    }

    /// RFC 9325 §4.1.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: ["AES128-SHA", "AES256-SHA", "AES128-GCM-SHA256", "AES256-GCM-SHA384"]
    )
    func rejectsAnRSAKeyExchange(suite: String) async throws {
        let tls = server(.localhostRSA, to: .tls12, ciphers: suite)
        let error = try await refusal(of: tls, form: .direct)
        #expect(error?.code == .tlsFailed)
        #expect(error?.detail.contains("ECDHE") == true)
    }
}

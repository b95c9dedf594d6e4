import Apus
import ApusCore
import ApusTestServer
import ApusTesting
import HTTPTypes
import Testing

/// Servers that ask for a client certificate.
@Suite(.timeLimit(.minutes(5))) struct ClientCertificateTests {
    private static func server(_ version: TestTLS.Version = .tls13) -> TestTLS {
        var tls = TestTLS.localhost
        tls.maximumVersion = version
        tls.requiresClientCertificate = true
        return tls
    }

    /// Parity: AF-authenticate-certificate
    @Test(arguments: [TestTLS.Version.tls12, .tls13], Form.allCases)
    func presentsTheIdentityOfTheSession(version: TestTLS.Version, form: Form) async throws {
        try await withTLSServer(Self.server(version), configure: { $0.tls.identity = TestIdentities.pem }) {
            server,
            session in
            let outcome = await form.outcome(of: try RequestMessage(Wire.tls.named(server)), on: session)
            #expect(outcome.error == nil)
            #expect(server.requestCount == 1)
        }
    }

    /// With TLS 1.3 the server judges the certificate after the handshake.
    @Test(arguments: [TestTLS.Version.tls12, .tls13], Form.allCases)
    func tellsThatTheServerRequiresACertificate(version: TestTLS.Version, form: Form) async throws {
        try await withTLSServer(Self.server(version)) { server, session in
            let outcome = await form.outcome(of: try RequestMessage(Wire.tls.named(server)), on: session)
            let error = try #require(outcome.error)
            #expect(error.underlying as? TLSFailureReason == .clientCertificateRequired, "\(error.debugDescription)")
            let codes: [ApusError.Code] = [.tlsFailed, .connectionClosed, .sendFailed]
            #expect(codes.contains(error.code))
            #expect(error.hint?.contains("tls.identity") == true)
            #expect(server.requestCount == 0)
        }
    }

    @Test(arguments: [TestTLS.Version.tls12, .tls13])
    func tellsThatTheServerRefusesTheCertificate(version: TestTLS.Version) async throws {
        let other = ClientIdentity.pem(TestTLS.selfSigned.certificateChainPEM, key: TestTLS.selfSigned.privateKeyPEM)
        try await withTLSServer(Self.server(version), configure: { $0.tls.identity = other }) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(Wire.tls.named(server)) }
            guard case .clientCertificateRefused? = error?.underlying as? TLSFailureReason else {
                Issue.record("\(error?.debugDescription ?? "no error")")
                return
            }
        }
    }

    @Test func presentsTheIdentityOfARequest() async throws {
        try await withTLSServer(Self.server()) { server, session in
            var settings = TLSSettings()
            settings.identity = TestIdentities.pem
            try await session.get(Wire.tls.named(server), options: [settings]).validate()
            // A request without the option does not use its connection.
            await #expect(throws: ApusError.self) { try await session.get(Wire.tls.named(server)) }
            #expect(server.requestCount == 1)
        }
    }

    @Test func replacesIdentitiesWhileTheSessionRuns() async throws {
        let identities = ClientIdentities()
        try await withTLSServer(Self.server(), configure: { $0.clientIdentities = identities }) { server, session in
            let url = Wire.tls.named(server)
            await #expect(throws: ApusError.self) { try await session.get(url) }
            try identities.set(TestIdentities.pem, for: "localhost")
            let first = try await session.get(url).validate().metrics.exchanges.first
            let second = try await session.get(url).validate().metrics.exchanges.first
            #expect(second?.isReused == true)
            // The same key in another format is another identity, so it gets a connection of its own.
            try identities.set(try TestIdentities.der(), for: "localhost")
            let third = try await session.get(url).validate().metrics.exchanges.first
            #expect(third?.isReused == false)
            #expect(third?.connectionNumber != first?.connectionNumber)
            try identities.set(nil, for: "localhost")
            await #expect(throws: ApusError.self) { try await session.get(url) }
            #expect(server.requestCount == 3)
        }
    }

    @Test func choosesTheIdentityByTheHost() async throws {
        let identities = ClientIdentities()
        try identities.set(TestIdentities.pem, for: "*.test.localhost")
        try await withTLSServer(Self.server(), configure: { $0.clientIdentities = identities }) { server, session in
            try await session.get("https://a.test.localhost:\(server.port)/get").validate()
            let error = await #expect(throws: ApusError.self) { try await session.get(Wire.tls.named(server)) }
            #expect(error?.underlying as? TLSFailureReason == .clientCertificateRequired)
        }
    }

    @Test func presentsTheIdentityOfARequestToNoOtherOrigin() async throws {
        let other = try await TestServer.start(tls: Self.server())
        let location = Wire.tls.named(other)
        let moved: TestServer.Behavior = .handler { _ in
            TestResponse(status: 302, fields: [("Location", location)])
        }
        try await withTLSServer(Self.server(), behavior: moved) { server, session in
            var settings = TLSSettings()
            settings.identity = TestIdentities.pem
            let error = await #expect(throws: ApusError.self) {
                try await session.get(Wire.tls.named(server), options: [settings])
            }
            #expect(error?.underlying as? TLSFailureReason == .clientCertificateRequired)
            #expect(server.requestCount == 1)
            #expect(other.requestCount == 0)
        }
        await other.stop()
    }

    @Test(arguments: Form.allCases)
    func reportsAnInvalidIdentityBeforeConnecting(form: Form) async throws {
        let identity = ClientIdentity.pem(TestTLS.clientCertificatePEM)
        try await withTLSServer(Self.server(), configure: { $0.tls.identity = identity }) { server, session in
            let outcome = await form.outcome(of: try RequestMessage(Wire.tls.named(server)), on: session)
            #expect(outcome.code == .invalidConfiguration)
            #expect(outcome.error?.detail.contains("no private key") == true)
        }
    }
}

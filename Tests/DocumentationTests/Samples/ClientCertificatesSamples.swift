internal import Apus
internal import ApusTesting
internal import Testing

/// The code of the guide to TLS and client certificates, and of the comments on its types.
@Suite struct ClientCertificatesSamples {
    private let passphrase = "sesame"

    @Test func optionOfARequest() async throws {
        let transport = MockTransport { _ in MockResponse(body: "report") }
        let session = Session(transport: transport)
        var settings = TLSSettings()
        settings.minimumVersion = .v13
        let response = try await session.get("https://example.org/report", options: [settings])
        #expect(response.status == .ok)
        #expect(transport.requests.first?.options[TLSSettings.self] == settings)
    }

    @Test func otherNames() async throws {
        let transport = MockTransport { _ in MockResponse(body: "up") }
        let session = Session(transport: transport)
        var settings = TLSSettings()
        settings.serverName = "front.example"
        settings.verifiedName = "front.example"
        let response = try await session.get("https://192.0.2.1/health", options: [settings])
        #expect(response.status == .ok)
    }

    @Test func keyLogs() {
        var configuration = Session.Configuration()
        configuration.tls.keyLog = .environment
        configuration.tls.keyLog = .file("/tmp/keys.log")
        #expect(configuration.tls.keyLog == .file("/tmp/keys.log"))
    }

    /// The files do not exist.
    @Test func identities() {
        #expect(throws: ApusError.self) { try pem() }
        #expect(throws: ApusError.self) { try formats() }
        #expect(throws: ApusError.self) { try checked() }
        #expect(throws: ApusError.self) { try byHost() }
    }

    private func pem() throws {
        var configuration = Session.Configuration()
        configuration.tls.minimumVersion = .v13
        configuration.tls.identity = try .pemFile("/etc/ssl/client.pem", passphrase: passphrase)
        #expect(configuration.tls.identity != nil)
    }

    private func formats() throws {
        var configuration = Session.Configuration()
        configuration.tls.identity = try .pemFile("/etc/ssl/client.pem", key: "/etc/ssl/client.key")
        configuration.tls.identity = try .pkcs12File("client.p12", passphrase: passphrase)
        #expect(configuration.tls.identity != nil)
    }

    private func checked() throws {
        var configuration = Session.Configuration()
        let identity = try ClientIdentity.pkcs12File("client.p12", passphrase: passphrase)
        try identity.check()
        configuration.tls.identity = identity
        #expect(configuration.tls.identity != nil)
    }

    private func byHost() throws {
        var configuration = Session.Configuration()
        let identities = ClientIdentities()
        try identities.set(.pkcs12File("bank.p12", passphrase: passphrase), for: "*.bank.example")
        configuration.clientIdentities = identities
        #expect(configuration.clientIdentities != nil)
    }

    @Test func reasons() async {
        let session = Session(
            transport: MockTransport { _ in
                throw ApusError(.tlsFailed, "no", underlying: TLSFailureReason.clientCertificateRequired)
            }
        )
        var hasChosen = false
        func chooseCertificate() { hasChosen = true }
        do {
            try await session.get("https://api.example.org/users/1").validate()
        } catch {
            if error.underlying as? TLSFailureReason == .clientCertificateRequired { chooseCertificate() }
        }
        #expect(hasChosen)
    }
}

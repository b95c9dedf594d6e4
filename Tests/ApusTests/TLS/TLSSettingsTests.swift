import Apus
import ApusCore
import ApusTestServer
import ApusTesting
import HTTPTypes
import Testing

/// The settings of TLS connections.
@Suite(.timeLimit(.minutes(5))) struct TLSSettingsTests {
    private func failure(
        _ tls: TestTLS = .localhost,
        configure: (inout Session.Configuration) -> Void
    ) async throws -> ApusError {
        var found: ApusError?
        try await withTLSServer(tls, configure: configure) { server, session in
            found = await #expect(throws: ApusError.self) { try await session.get(Wire.tls.named(server)) }
        }
        return try #require(found)
    }

    @Test func limitsTheLatestVersion() async throws {
        try await withTLSServer(configure: { $0.tls.maximumVersion = .v12 }) { server, session in
            let response = try await session.get(Wire.tls.named(server)).validate()
            #expect(response.metrics.exchanges.first?.tlsVersion == "TLSv1.2")
        }
    }

    @Test func requiresVersionsInOrder() async throws {
        let error = try await failure {
            $0.tls.minimumVersion = .v13
            $0.tls.maximumVersion = .v12
        }
        #expect(error.code == .invalidConfiguration)
        #expect(error.detail.contains("TLS 1.2") && error.detail.contains("TLS 1.3"))
    }

    // MARK: Cipher suites and curves

    @Test func offersTheChosenCipherSuites() async throws {
        var tls = TestTLS.localhost
        tls.maximumVersion = .tls12
        tls.cipherSuites = "ECDHE-ECDSA-AES256-GCM-SHA384"
        let match = ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"]
        try await withTLSServer(tls, configure: { $0.tls.cipherSuites = match }) { server, session in
            try await session.get(Wire.tls.named(server)).validate()
        }
        let error = try await failure(tls) { $0.tls.cipherSuites = ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"] }
        #expect(error.underlying as? TLSFailureReason == .noCommonCipher)
        #expect(error.hint?.contains("tls.cipherSuites") == true)
    }

    @Test(arguments: [
        "", "ECDHE-RSA-AES128-SHA", "TLS_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_NULL_WITH_NULL_NULL",
        "ALL",
    ])
    func namesAnUnknownCipherSuite(name: String) async throws {
        let error = try await failure {
            $0.tls.cipherSuites = ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", name]
        }
        #expect(error.code == .invalidConfiguration)
        #expect(error.detail.contains("'\(name)'"))
    }

    @Test func rejectsEmptyLists() async throws {
        #expect(try await failure { $0.tls.cipherSuites = [] }.code == .invalidConfiguration)
        #expect(try await failure { $0.tls.curves = [] }.code == .invalidConfiguration)
    }

    @Test(arguments: TLSSettings.Curve.allCases)
    func usesAChosenCurve(curve: TLSSettings.Curve) async throws {
        // The server of the tests offers the library's own curves, which lack P-521.
        guard curve != .p521 else {
            let error = try await failure { $0.tls.curves = [curve] }
            #expect(error.underlying as? TLSFailureReason == .noCommonCipher)
            #expect(error.hint?.contains("tls.curves") == true)
            return
        }
        try await withTLSServer(configure: { $0.tls.curves = [curve] }) { server, session in
            try await session.get(Wire.tls.named(server)).validate()
        }
    }

    // MARK: Names

    @Test func sendsAnotherServerName() async throws {
        try await withTLSServer(configure: { $0.tls.serverName = "front.example" }) { server, session in
            try await session.get(Wire.tls.named(server)).validate()
            #expect(server.requests.map(\.serverName) == ["front.example"])
            try await session.get("https://127.0.0.1:\(server.port)/get").validate()
            #expect(server.requests.map(\.serverName) == ["front.example", "front.example"])
        }
    }

    @Test func verifiesTheHostIfAnotherNameIsSent() async throws {
        let error = try await failure(.wrongHost) { $0.tls.serverName = "elsewhere.example" }
        #expect(error.code == .certificateRejected)
    }

    @Test func verifiesAnotherName() async throws {
        try await withTLSServer(.wrongHost, configure: { $0.tls.verifiedName = "elsewhere.example" }) {
            server,
            session in
            try await session.get(Wire.tls.named(server)).validate()
            #expect(server.requests.map(\.serverName) == ["localhost"])
        }
        let error = try await failure { $0.tls.verifiedName = "other.example" }
        #expect(error.detail.contains("other.example"))
    }

    @Test(arguments: ["127.0.0.1", "::1", "", "a\0b"])
    func rejectsAServerNameThatIsNoHost(name: String) async throws {
        let error = try await failure { $0.tls.serverName = name }
        #expect(error.code == .invalidConfiguration)
        #expect(error.detail.contains("tls.serverName"))
    }

    // MARK: Options

    @Test func keepsConnectionsWithOtherSettingsApart() async throws {
        try await withTLSServer { server, session in
            let url = Wire.tls.named(server)
            var settings = TLSSettings()
            settings.maximumVersion = .v12
            let versions = [
                try await session.get(url).metrics, try await session.get(url, options: [settings]).metrics,
                try await session.get(url, options: [settings]).metrics, try await session.get(url).metrics,
            ]
            .compactMap(\.exchanges.first)
            #expect(versions.map(\.tlsVersion) == ["TLSv1.3", "TLSv1.2", "TLSv1.2", "TLSv1.3"])
            #expect(versions.map(\.isReused) == [false, false, true, true])
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func appliesTheTrustOfARequest() async throws {
        try await withTLSServer(.selfSigned) { server, session in
            let url = Wire.tls.named(server)
            await #expect(throws: ApusError.self) { try await session.get(url) }
            var trust = ServerTrust()
            trust.verification = .none
            try await session.get(url, options: [trust]).validate()
            await #expect(throws: ApusError.self) { try await session.get(url) }
            #expect(server.requestCount == 1)
        }
    }

    // MARK: Key log and certificates

    @Test(arguments: [TLSVersion.v12, .v13])
    func logsTheSecrets(version: TLSVersion) async throws {
        let lines = Lock<[String]>([])
        let log = TLSKeyLog { line in lines.withLock { $0.append(line) } }
        try await withTLSServer(configure: {
            $0.tls.maximumVersion = version
            $0.tls.keyLog = log
        }) { server, session in
            try await session.get(Wire.tls.named(server)).validate()
        }
        let logged = lines.withLock { $0 }
        let label = version == .v12 ? "CLIENT_RANDOM " : "CLIENT_HANDSHAKE_TRAFFIC_SECRET "
        #expect(logged.contains { $0.hasPrefix(label) && $0.hasSuffix("\n") }, "\(logged.count) lines")
    }

    @Test func reportsTheChain() async throws {
        try await withTLSServer { server, session in
            let exchange = try #require(try await session.get(Wire.tls.named(server)).metrics.exchanges.first)
            #expect(exchange.peerCertificates.count == 2)
            #expect(exchange.peerCertificates.first?.names.contains("localhost") == true)
            #expect(exchange.peerCertificates.last?.subject == "CN=Apus Test Authority")
        }
    }

    @Test func reportsTheCertificatesOfAServerThatIsNotVerified() async throws {
        try await withTLSServer(.selfSigned, configure: { $0.trust.verification = .none }) { server, session in
            let exchange = try #require(try await session.get(Wire.tls.named(server)).metrics.exchanges.first)
            #expect(exchange.peerCertificates.count == 1)
        }
    }
}

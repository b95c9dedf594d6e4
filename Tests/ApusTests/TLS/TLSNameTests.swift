import Apus
import ApusTestServer
import ApusTesting
import Foundation
import Testing

/// The server name that the client sends, and the verification of the server's certificate.
@Suite struct TLSNameTests {
    private static let authority = ServerTrust.Roots.pem(TestTLS.authorityPEM)

    private static func trust(_ roots: ServerTrust.Roots, _ mode: ServerTrust.Verification = .full) -> ServerTrust {
        var trust = ServerTrust()
        trust.roots = roots
        trust.verification = mode
        return trust
    }

    /// Sends a request with the given trust, checks that no resources are left, and returns the outcome.
    private func send(
        _ tls: TestTLS,
        as host: String = "localhost",
        trusting trust: ServerTrust,
        form: Form = .direct
    ) async throws -> (error: ApusError?, requests: [TestRequest]) {
        let server = try await TestServer.start(tls: tls)
        let session = Wire.tls.session(resolver: ScriptedResolver()) { $0.trust = trust }
        let outcome = await form.outcome(of: try RequestMessage("https://\(host):\(server.port)/get"), on: session)
        try await assertNothingLeft(session)
        await server.waitForOpenConnections(0)
        let requests = server.requests
        await server.stop()
        return (outcome.error, requests)
    }

    // MARK: Server names

    @Test(.timeLimit(.minutes(5)), arguments: ["localhost", "LOCALHOST", "a.test.localhost"], Form.allCases)
    func sendsTheHostInTheHandshake(host: String, form: Form) async throws {
        let trust = Self.trust(Self.authority)
        let (error, requests) = try await send(.localhost, as: host, trusting: trust, form: form)
        #expect(error == nil)
        #expect(requests.map(\.serverName) == [host.lowercased()])
        #expect(requests.first?.isSecure == true)
    }

    /// RFC 6066 §3: the server name omits the trailing dot of a fully qualified host. The `Host` field keeps it.
    @Test(.timeLimit(.minutes(5)), arguments: ["localhost.", "a.test.localhost."], [TestTLS.Version.tls12, .tls13])
    func omitsATrailingDot(host: String, version: TestTLS.Version) async throws {
        var tls = TestTLS.localhost
        tls.maximumVersion = version
        let (error, requests) = try await send(tls, as: host, trusting: Self.trust(Self.authority))
        #expect(error == nil)
        #expect(requests.map(\.serverName) == [String(host.dropLast())])
        #expect(requests.first?["Host"]?.hasPrefix("\(host):") == true)
        let (refusal, refused) = try await send(.wrongHost, as: host, trusting: Self.trust(Self.authority))
        #expect(refusal?.code == .certificateRejected)
        #expect(refused.isEmpty)
    }

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases, ["127.0.0.1", "127.0.0.1."])
    func sendsNoNameForAnAddress(form: Form, address: String) async throws {
        let trust = Self.trust(Self.authority)
        let (error, requests) = try await send(.localhost, as: address, trusting: trust, form: form)
        #expect(error == nil)
        #expect(requests.map(\.serverName) == [nil])
        #expect(requests.first?.isSecure == true)
    }

    /// The certificate is compared with the host of the URL, whatever address it resolves to.
    @Test(.timeLimit(.minutes(5)))
    func comparesTheHostOfTheURL() async throws {
        let trust = Self.trust(Self.authority)
        let (error, requests) = try await send(.wrongHost, as: "elsewhere.example", trusting: trust)
        #expect(error == nil)
        #expect(requests.map(\.serverName) == ["elsewhere.example"])
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: ["elsewhere.example", "a.b.test.localhost", "test.localhost", "notlocalhost"],
        [TestTLS.Version.tls12, .tls13]
    )
    func rejectsAnotherName(host: String, version: TestTLS.Version) async throws {
        var tls = TestTLS.localhost
        tls.maximumVersion = version
        let (error, requests) = try await send(tls, as: host, trusting: Self.trust(Self.authority))
        #expect(error?.code == .certificateRejected)
        #expect(error?.phase == .tls)
        let names = ["localhost", "*.test.localhost", "127.0.0.1", "::1"]
        #expect(error?.underlying as? CertificateRejection == .wrongHost(names: names))
        #expect(error?.hint?.contains("trust.verification = .chainOnly") == true)
        #expect(requests.isEmpty)
    }

    @Test(.timeLimit(.minutes(5)), arguments: [TestTLS.Version.tls12, .tls13])
    func rejectsAnAddressNotInTheCertificate(version: TestTLS.Version) async throws {
        var tls = TestTLS.wrongHost
        tls.maximumVersion = version
        let (error, requests) = try await send(tls, as: "127.0.0.1", trusting: Self.trust(Self.authority))
        #expect(error?.code == .certificateRejected)
        #expect(requests.isEmpty)
    }

    // MARK: Verification

    struct Certificate: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let tls: TestTLS
        var roots = ServerTrust.Roots.pem(TestTLS.authorityPEM)
    }

    static let invalid: [Certificate] = [
        Certificate(testDescription: "expired", tls: .expired),
        Certificate(testDescription: "self-signed", tls: .selfSigned),
        Certificate(testDescription: "unknown authority", tls: .localhost, roots: .system),
        Certificate(testDescription: "unknown authority and wrong host", tls: .wrongHost, roots: .system),
    ]

    static let rejected = invalid + [Certificate(testDescription: "wrong host", tls: .wrongHost)]

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func acceptsAnyNameIfOnlyTheChainIsVerified(form: Form) async throws {
        let (refusal, refused) = try await send(.wrongHost, trusting: Self.trust(Self.authority), form: form)
        #expect(refusal?.code == .certificateRejected)
        #expect(refused.isEmpty)
        let chain = Self.trust(Self.authority, .chainOnly)
        let (error, requests) = try await send(.wrongHost, trusting: chain, form: form)
        #expect(error == nil)
        #expect(requests.map(\.serverName) == ["localhost"])
    }

    @Test(.timeLimit(.minutes(5)), arguments: [ServerTrust.Verification.full, .chainOnly], invalid)
    func rejectsAnInvalidChain(verification: ServerTrust.Verification, certificate: Certificate) async throws {
        let trust = Self.trust(certificate.roots, verification)
        for form in Form.allCases {
            let (error, requests) = try await send(certificate.tls, trusting: trust, form: form)
            #expect(error?.code == .certificateRejected)
            #expect(error?.phase == .tls)
            #expect(requests.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: rejected)
    func acceptsAnyCertificateWithoutVerification(certificate: Certificate) async throws {
        let trust = Self.trust(certificate.roots, .none)
        for form in Form.allCases {
            let (error, requests) = try await send(certificate.tls, trusting: trust, form: form)
            #expect(error == nil)
            #expect(requests.map(\.serverName) == ["localhost"])
        }
    }

    // MARK: Roots

    @Test(.timeLimit(.minutes(5)), arguments: Form.allCases)
    func trustsTheAuthoritiesOfAFile(form: Form) async throws {
        try await TestTLS.withAuthorityFile { path in
            let trust = Self.trust(.file(path))
            let (error, requests) = try await send(.localhost, trusting: trust, form: form)
            #expect(error == nil)
            #expect(requests.count == 1)
            let (refusal, refused) = try await send(.selfSigned, trusting: trust, form: form)
            #expect(refusal?.code == .certificateRejected)
            #expect(refused.isEmpty)
        }
    }

    /// Texts that contain no valid authorities, or also invalid ones.
    struct Unreadable: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The text, or `nil` if there is no file.
        let text: String?
    }

    private static let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

    static let unreadable: [Unreadable] = [
        Unreadable(testDescription: "no file", text: nil),
        Unreadable(testDescription: "an empty text", text: ""),
        Unreadable(testDescription: "no PEM", text: "a swift\n"),
        Unreadable(testDescription: "a key alone", text: TestTLS.clientPrivateKeyPEM),
        Unreadable(testDescription: "a damaged certificate", text: damaged),
        Unreadable(testDescription: "a damaged certificate behind a good one", text: TestTLS.authorityPEM + damaged),
    ]

    static let texts = unreadable.filter { $0.text != nil }

    private func withFile(_ unreadable: Unreadable, _ body: (String) async throws -> Void) async throws {
        let name = "apus-roots-\(UInt64.random(in: 0 ... .max)).pem"
        let file = FileManager.default.temporaryDirectory.appending(path: name)
        defer { try? FileManager.default.removeItem(at: file) }
        if let text = unreadable.text { try Data(text.utf8).write(to: file) }
        try await body(file.path)
    }

    @Test(.timeLimit(.minutes(5)), arguments: unreadable)
    func namesAFileWithoutValidAuthorities(unreadable: Unreadable) async throws {
        try await withFile(unreadable) { path in
            for form in Form.allCases {
                let (error, requests) = try await send(.localhost, trusting: Self.trust(.file(path)), form: form)
                #expect(error?.code == .invalidConfiguration)
                #expect(error?.phase == .setup)
                #expect(error?.blame == .local)
                #expect(error?.detail.contains(path) == true)
                #expect(requests.isEmpty)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: texts)
    func rejectsATextWithoutValidAuthorities(unreadable: Unreadable) async throws {
        let text = try #require(unreadable.text)
        let (error, requests) = try await send(.localhost, trusting: Self.trust(.pem(text)))
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.phase == .setup)
        #expect(error?.detail.contains("PEM") == true)
        #expect(requests.isEmpty)
    }

    /// Errors of the phase `setup` occur before any connection is made.
    @Test(.timeLimit(.minutes(5)))
    func readsAuthoritiesBeforeConnecting() async throws {
        let server = try await TestServer.start(tls: .localhost)
        let trust = Self.trust(.file("/nowhere/roots.pem"))
        let session = Wire.tls.session(resolver: ScriptedResolver()) { $0.trust = trust }
        let outcome = await Form.direct.outcome(of: try RequestMessage(Wire.tls.named(server)), on: session)
        #expect(outcome.code == .invalidConfiguration)
        try await assertNothingLeft(session)
        // Connections are accepted in order, so an earlier one would be counted before this one.
        let other = Session(configuration: Wire.tls.configuration)
        try await other.get(server.url("/get")).validate()
        #expect(server.acceptedConnections == 1)
        try await assertNothingLeft(other)
        await server.stop()
    }
}

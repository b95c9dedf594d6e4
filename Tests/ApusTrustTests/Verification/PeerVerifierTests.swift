internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import Testing

@testable internal import ApusTrust

@Suite struct PeerVerifierTests {
    /// A server that is verified.
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let tls: TestTLS
        var host = "localhost"
        var verification = ServerTrust.Verification.full
        var knowsAuthority = true
        let rejection: String?
    }

    @Test(arguments: [
        Case(testDescription: "valid", tls: .localhost, rejection: nil),
        Case(testDescription: "by a wildcard", tls: .localhost, host: "a.test.localhost", rejection: nil),
        Case(testDescription: "by an address", tls: .localhost, host: "127.0.0.1", rejection: nil),
        Case(testDescription: "RSA", tls: .localhostRSA, rejection: nil),
        Case(testDescription: "wrong host", tls: .wrongHost, rejection: "wrongHost"),
        Case(testDescription: "any host", tls: .wrongHost, verification: .chainOnly, rejection: nil),
        Case(testDescription: "expired", tls: .expired, rejection: "expired"),
        Case(testDescription: "expired, any host", tls: .expired, verification: .chainOnly, rejection: "expired"),
        Case(testDescription: "expired, nothing checked", tls: .expired, verification: .none, rejection: nil),
        Case(testDescription: "self-signed", tls: .selfSigned, rejection: "selfSigned"),
        Case(testDescription: "unknown", tls: .localhost, knowsAuthority: false, rejection: "untrustedAuthority"),
    ])
    func verifiesByTheTrust(server: Case) async throws {
        var trust = ServerTrust()
        trust.roots = .pem(server.knowsAuthority ? TestTLS.authorityPEM : TestTLS.selfSigned.certificateChainPEM)
        trust.verification = server.verification
        let der = try PEMSample.der(server.tls)
        switch await PeerVerifier.shared.verify(der, host: server.host, trust: trust) {
        case .success(let verdict):
            #expect(server.rejection == nil)
            #expect(verdict.isHostVerified == (server.verification == .full))
            #expect(verdict.chain.first?.derBytes == der.first)
            #expect(verdict.chain.count == (server.verification == .none ? der.count : 2))
        case .failure(let error):
            #expect(error.code == .certificateRejected)
            let rejection = try #require(error.underlying as? CertificateRejection)
            #expect(rejection.name == server.rejection)
            #expect(error.detail == rejection.description(for: server.host))
            #expect(error.hint != nil)
        }
    }

    @Test func needsAReadableCertificateOfTheServerOnly() async throws {
        var trust = ServerTrust()
        trust.roots = .pem(TestTLS.authorityPEM)
        let leaf = try PEMSample.der(.localhost)
        let verifier = PeerVerifier.shared
        #expect(try await verifier.verify(leaf + [[0x30, 0]], host: "localhost", trust: trust).get().chain.count == 2)
        let unreadable: [[[UInt8]]] = [[], [[0x30, 0]], [[0x30, 0]] + leaf]
        for presented in unreadable {
            let error = await failure { try await verifier.verify(presented, host: "localhost", trust: trust).get() }
            #expect((error?.underlying as? CertificateRejection)?.name == "malformed")
        }
        trust.verification = .none
        #expect(try await verifier.verify([[0x30, 0]], host: "localhost", trust: trust).get().chain.isEmpty)
    }

    @Test func reportsRootsThatCannotBeRead() async throws {
        var trust = ServerTrust()
        trust.roots = .file("/nowhere/roots.pem")
        let der = try PEMSample.der(.localhost)
        let error = await failure { try await PeerVerifier.shared.verify(der, host: "localhost", trust: trust).get() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.description.contains("/nowhere/roots.pem") == true)
    }

    private struct Refusal: Error, CustomStringConvertible {
        var description: String { "not today" }
    }

    private func error(
        of body: @escaping @Sendable (PresentedChain, String) async throws -> Void
    ) async throws -> ApusError? {
        var trust = ServerTrust()
        trust.roots = .pem(TestTLS.authorityPEM)
        trust.evaluator = ClosureTrustEvaluator(body)
        let der = try PEMSample.der(.localhost)
        return await failure { try await PeerVerifier.shared.verify(der, host: "localhost", trust: trust).get() }
    }

    @Test func keepsTheErrorOfAnEvaluator() async throws {
        let own = try await error { _, _ in throw Refusal() }
        #expect(own?.code == .certificateRejected)
        #expect(own?.underlying is Refusal)
        #expect(own?.detail == "the evaluator ClosureTrustEvaluator refused the server: not today")
        let rejection = try await error { _, _ in throw CertificateRejection.selfSigned }
        #expect(rejection?.underlying as? CertificateRejection == .selfSigned)
        #expect(rejection?.detail == "it is self-signed")
        let invalid = try await error { presented, _ in try await presented.validated(roots: .pem("")) }
        #expect(invalid?.code == .invalidConfiguration)
        // The error of another request is none of this one.
        let other = try await error { _, _ in throw ApusError(.connectFailed, "why") }
        #expect(other?.code == .certificateRejected)
        #expect((other?.underlying as? ApusError)?.code == .connectFailed)
        let cancelled = try await error { _, _ in throw CancellationError() }
        #expect(cancelled?.code == .certificateRejected)
    }

    @Test func learnsFromTheEvaluatorWhatWasValidated() async throws {
        let der = try PEMSample.der(.localhost)
        var trust = ServerTrust()
        trust.roots = .pem(TestTLS.authorityPEM)
        let cases: [(Bool?, Int, Bool)] = [(true, 2, true), (false, 2, false), (nil, der.count, false)]
        for (checksHost, count, isVerified) in cases {
            trust.evaluator = ClosureTrustEvaluator { presented, host in
                #expect(host == "localhost")
                if let checksHost { try await presented.validated(checksHost: checksHost) }
            }
            for evaluatesOnCaller in [false, true] {
                let verdict = try await PeerVerifier.shared.verify(
                    der,
                    host: "localhost",
                    trust: trust,
                    evaluatesOnCaller: evaluatesOnCaller
                )
                .get()
                #expect(verdict.chain.count == count)
                #expect(verdict.isHostVerified == isVerified)
            }
        }
    }
}

extension CertificateRejection {
    /// The name of the case.
    fileprivate var name: String {
        switch self {
        case .expired: "expired"
        case .selfSigned: "selfSigned"
        case .untrustedAuthority: "untrustedAuthority"
        case .wrongHost: "wrongHost"
        case .malformed: "malformed"
        default: "another"
        }
    }
}

internal import ApusCore
internal import ApusTestServer
internal import Testing

@testable internal import ApusTrust

@Suite struct PublicKeysTrustEvaluatorTests {
    private func pins(_ certificates: [ServerCertificate]) -> [PublicKeyPin] {
        certificates.map { PublicKeyPin(certificate: $0) }
    }

    private func error(
        _ tls: TestTLS,
        _ keys: [PublicKeyPin],
        validates: Bool = true,
        validatesHost: Bool = true,
        roots: ServerTrust.Roots = .pem(TestTLS.authorityPEM)
    ) async throws -> ApusError? {
        let evaluator = PublicKeysTrustEvaluator(
            keys: keys,
            performDefaultValidation: validates,
            validateHost: validatesHost
        )
        return await TrustSample.error(of: evaluator, try PEMSample.der(tls), roots: roots)
    }

    /// Parity: AF-trust-keys
    @Test func requiresAPinnedKey() async throws {
        let authority = pins(try TrustSample.authority)
        let server = pins(try TrustSample.certificates(.localhost))
        let other = pins(try TrustSample.certificates(.selfSigned))
        #expect(try await error(.localhost, authority) == nil)
        #expect(try await error(.localhost, server) == nil)
        #expect(try await error(.localhost, other + server) == nil)
        let notPinned = try #require(try await error(.localhost, other))
        #expect(
            notPinned.underlying as? CertificateRejection == .notPinned(hashes: (server + authority).map(\.description))
        )
        #expect(try await error(.localhost, [])?.code == .invalidConfiguration)
    }

    @Test func validatesTheChainAndTheHost() async throws {
        let authority = pins(try TrustSample.authority)
        let expired = pins(try TrustSample.certificates(.expired))
        #expect(try await error(.wrongHost, authority)?.code == .certificateRejected)
        #expect(try await error(.wrongHost, authority, validatesHost: false) == nil)
        #expect(try await error(.expired, expired)?.code == .certificateRejected)
        #expect(try await error(.localhost, authority, roots: .pem(TestTLS.selfSigned.certificateChainPEM)) != nil)
        #expect(try await error(.expired, expired, validates: false, validatesHost: false) == nil)
        // Nothing binds the key of an authority to the server.
        #expect(try await error(.localhost, authority, validates: false, validatesHost: false) != nil)
    }
}

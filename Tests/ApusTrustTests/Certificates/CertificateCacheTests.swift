internal import ApusCore
internal import ApusTestServer
internal import Testing
internal import X509

@testable internal import ApusTrust

@Suite struct CertificateCacheTests {
    private let root = TestAuthority("Root")

    private func certificates(_ count: Int) throws -> [ParsedCertificate] {
        try (0..<count).map { number in try root.server { $0.serialNumber = number + 1 } }
    }

    private func found(_ certificate: ParsedCertificate, in cache: CertificateCache) -> ParsedCertificate? {
        cache.certificates(for: [certificate.derBytes])[0]
    }

    @Test func findsCertificatesByTheirBytes() throws {
        let cache = CertificateCache()
        let certificates = try certificates(3)
        cache.keep(Array(certificates.prefix(2)))
        let kept = cache.certificates(for: certificates.map(\.derBytes)[...])
        #expect(kept[0] === certificates[0])
        #expect(kept[1] === certificates[1])
        #expect(kept[2] == nil)
        // The end of the bytes is the same.
        var other = certificates[0].derBytes
        other[10] ^= 1
        #expect(cache.certificates(for: [other]) == [nil])
        #expect(cache.certificates(for: []).isEmpty)
    }

    @Test func removesTheOneThatWasUsedLeastRecently() throws {
        let cache = CertificateCache()
        let certificates = try certificates(CertificateCache.capacity + 1)
        cache.keep(Array(certificates.dropLast()))
        #expect(found(certificates[0], in: cache) === certificates[0])
        cache.keep([certificates[CertificateCache.capacity]])
        #expect(found(certificates[0], in: cache) === certificates[0])
        #expect(found(certificates[1], in: cache) == nil)
        #expect(found(certificates[CertificateCache.capacity], in: cache) != nil)
    }

    @Test func keepsNoLargeCertificate() throws {
        let cache = CertificateCache()
        let large = try root.server {
            try $0.setNames([.dnsName(String(repeating: "a", count: CertificateCache.maximumBytes))])
        }
        cache.keep([large])
        #expect(found(large, in: cache) == nil)
    }

    // MARK: Handshakes

    private func verdict(
        of cache: CertificateCache,
        _ der: [[UInt8]],
        host: String = "localhost",
        _ change: (inout ServerTrust) -> Void = { _ in }
    ) async -> Result<PeerVerdict, ApusError> {
        var trust = ServerTrust()
        trust.roots = .pem(TestTLS.authorityPEM)
        change(&trust)
        return await PeerVerifier(cache: cache).verify(der, host: host, trust: trust)
    }

    @Test func servesTheNextHandshake() async throws {
        let cache = CertificateCache()
        let der = try PEMSample.der(.localhost)
        let first = try await verdict(of: cache, der).get()
        let second = try await verdict(of: cache, der).get()
        #expect(first.chain == second.chain)
        let isSame = first.chain.first?.contents === second.chain.first?.contents
        #expect(isSame)
        #expect(second.isHostVerified)
    }

    /// A kept certificate is no verdict: the host, the roots and the validity are checked for each handshake.
    @Test func keepsNoVerdict() async throws {
        let cache = CertificateCache()
        let der = try PEMSample.der(.localhost)
        _ = try await verdict(of: cache, der).get()
        let otherHost = await verdict(of: cache, der, host: "other.example")
        #expect(rejection(in: otherHost)?.description.contains("valid only for") == true)
        let otherRoots = await verdict(of: cache, der) { $0.roots = .pem(TestTLS.selfSigned.certificateChainPEM) }
        #expect(rejection(in: otherRoots)?.description.contains("trusted authority") == true)
        let again = try await verdict(of: cache, der).get()
        #expect(again.isHostVerified)
    }

    private func rejection(in verdict: Result<PeerVerdict, ApusError>) -> CertificateRejection? {
        guard case .failure(let error) = verdict else { return nil }
        return error.underlying as? CertificateRejection
    }

    @Test func keepsOnlyCertificatesOfValidatedChains() async throws {
        let der = try PEMSample.der(.localhost)
        let junk = try root.root().derBytes
        let cache = CertificateCache()
        _ = await verdict(of: cache, der, host: "other.example")
        #expect(cache.certificates(for: der[...]).allSatisfy { $0 == nil })
        _ = await verdict(of: cache, der) { $0.verification = .none }
        _ = await verdict(of: cache, der) { $0.evaluator = ClosureTrustEvaluator { _, _ in } }
        #expect(cache.certificates(for: der[...]).allSatisfy { $0 == nil })
        _ = try await verdict(of: cache, der + [junk]).get()
        #expect(cache.certificates(for: [der[0], junk]).map { $0 == nil } == [false, true])
    }
}

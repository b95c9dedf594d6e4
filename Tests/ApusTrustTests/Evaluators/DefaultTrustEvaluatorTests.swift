internal import ApusCore
internal import ApusTestServer
internal import Testing

@testable internal import ApusTrust

/// The evaluators without pins.
@Suite struct DefaultTrustEvaluatorTests {
    /// Parity: AF-trust-evaluators
    @Test func validatesAsWithoutAnEvaluator() async throws {
        let wrong = try PEMSample.der(.wrongHost)
        #expect(try await TrustSample.error(of: DefaultTrustEvaluator(), PEMSample.der(.localhost)) == nil)
        #expect(await TrustSample.error(of: DefaultTrustEvaluator(), wrong)?.code == .certificateRejected)
        #expect(await TrustSample.error(of: DefaultTrustEvaluator(validateHost: false), wrong) == nil)
        #expect(try await TrustSample.error(of: DefaultTrustEvaluator(), PEMSample.der(.expired)) != nil)
    }

    @Test func validatesWithRootsOfItsOwn() async throws {
        let der = try PEMSample.der(.localhost)
        let unknown = ServerTrust.Roots.pem(TestTLS.selfSigned.certificateChainPEM)
        let authority = ServerTrust.Roots.pem(TestTLS.authorityPEM)
        #expect(await TrustSample.error(of: RootsTrustEvaluator(roots: authority), der, roots: unknown) == nil)
        #expect(await TrustSample.error(of: RootsTrustEvaluator(roots: unknown), der) != nil)
        #expect(RootsTrustEvaluator(roots: authority, includesSystemRoots: true).roots == .all([authority, .system]))
        let lenient = RootsTrustEvaluator(roots: authority, validateHost: false)
        #expect(try await TrustSample.error(of: lenient, PEMSample.der(.wrongHost), roots: unknown) == nil)
    }

    /// Parity: AF-trust-evaluators
    @Test func requiresAllMembersOfAComposite() async throws {
        let der = try PEMSample.der(.localhost)
        let pinned = PublicKeysTrustEvaluator(keys: try TrustSample.authority.map { PublicKeyPin(certificate: $0) })
        let refusing = ClosureTrustEvaluator { _, _ in throw CertificateRejection.other("no") }
        let both = CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), pinned])
        #expect(await TrustSample.error(of: both, der) == nil)
        let refused = await TrustSample.error(of: CompositeTrustEvaluator(evaluators: [pinned, refusing]), der)
        #expect(refused?.underlying as? CertificateRejection == .other("no"))
        let empty = await TrustSample.error(of: CompositeTrustEvaluator(evaluators: []), der)
        #expect(empty?.code == .invalidConfiguration)
    }

    /// Parity: AF-trust-evaluators
    @Test func acceptsEveryServerIfDisabled() async throws {
        for tls in [TestTLS.expired, .selfSigned, .wrongHost] {
            #expect(try await TrustSample.error(of: DisabledTrustEvaluator(), PEMSample.der(tls)) == nil)
        }
    }

    @Test func areEqualIfTheyDecideInTheSameWay() {
        #expect(DefaultTrustEvaluator() == DefaultTrustEvaluator())
        #expect(DefaultTrustEvaluator() != DefaultTrustEvaluator(validateHost: false))
        #expect(DisabledTrustEvaluator() == DisabledTrustEvaluator())
        let closure = ClosureTrustEvaluator { _, _ in }
        let copy = closure
        #expect(closure == copy)
        let other = ClosureTrustEvaluator { _, _ in }
        #expect(closure != other)
        let named = [1, 2].map { _ in ClosureTrustEvaluator(identity: "a") { _, _ in } }
        #expect(named[0] == named[1])
        let composite = CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), closure])
        #expect(composite == CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), copy]))
        #expect(composite.hashValue == CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator(), copy]).hashValue)
        #expect(composite != CompositeTrustEvaluator(evaluators: [copy, DefaultTrustEvaluator()]))
        #expect(composite != CompositeTrustEvaluator(evaluators: [DefaultTrustEvaluator()]))
        var one = ServerTrust()
        one.evaluator = DefaultTrustEvaluator()
        var two = ServerTrust()
        two.evaluator = DisabledTrustEvaluator()
        #expect(one != two)
        #expect(one != ServerTrust())
        two.evaluator = DefaultTrustEvaluator()
        #expect(one == two)
    }
}

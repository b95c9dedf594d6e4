internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Logging
internal import Testing

@testable internal import ApusTrust

@Suite(.timeLimit(.minutes(5))) struct RevocationTrustEvaluatorTests {
    private let chain: RevocationChain
    private let log = WarningLog()

    init() throws { chain = try RevocationChain() }

    private func evaluator(
        _ fetcher: StubFetcher,
        performDefaultValidation: Bool = true,
        validateHost: Bool = true,
        options: RevocationTrustEvaluator.Options = .any,
        addressGuard: AddressGuard? = nil
    ) -> RevocationTrustEvaluator {
        RevocationTrustEvaluator(
            performDefaultValidation: performDefaultValidation,
            validateHost: validateHost,
            options: options,
            addressGuard: addressGuard,
            logger: log.logger,
            checker: RevocationChecker(fetcher: fetcher, now: { TestAuthority.moment })
        )
    }

    private func error(
        of evaluator: any ServerTrustEvaluating,
        host: String = "a.example",
        _ other: RevocationChain? = nil
    ) async -> ApusError? {
        let chain = other ?? chain
        return await TrustSample.error(of: evaluator, chain.presented, host: host, roots: chain.roots)
    }

    private func rejection(of evaluator: any ServerTrustEvaluating) async -> CertificateRejection? {
        await error(of: evaluator)?.underlying as? CertificateRejection
    }

    private var revoked: TestOCSPResponse {
        var response = TestOCSPResponse()
        response.status = .revoked(-500)
        return response
    }

    private let revokedAt = TestAuthority.moment.addingTimeInterval(-500)

    /// Parity: AF-trust-revocation
    @Test(arguments: [.any, [.ocsp, .requirePositiveResponse]] as [RevocationTrustEvaluator.Options])
    func acceptsGoodChains(options: RevocationTrustEvaluator.Options) async throws {
        let fetcher = chain.fetcher(server: try chain.serverResponse(), middle: try chain.middleResponse())
        #expect(await error(of: evaluator(fetcher, options: options)) == nil)
        #expect(
            Set(fetcher.requests.all.map { $0.responder.uri }) == [
                RevocationChain.serverResponder, RevocationChain.middleResponder,
            ]
        )
        #expect(log.messages.count == 0)
    }

    /// Parity: AF-trust-revocation
    @Test func rejectsARevokedServer() async throws {
        let fetcher = chain.fetcher(server: try chain.serverResponse(revoked), middle: nil)
        let error = await error(of: evaluator(fetcher))
        #expect(error?.code == .certificateRejected)
        #expect(error?.underlying as? CertificateRejection == .revoked(on: revokedAt))
    }

    @Test func rejectsARevokedAuthority() async throws {
        let fetcher = chain.fetcher(server: try chain.serverResponse(), middle: try chain.middleResponse(revoked))
        let expected = CertificateRejection.authority(subject: "CN=Middle", .revoked(on: revokedAt))
        #expect(await rejection(of: evaluator(fetcher)) == expected)
        // It counts more than a certificate whose status is not known.
        let other = chain.fetcher(server: nil, middle: try chain.middleResponse(revoked))
        #expect(await rejection(of: evaluator(other, options: [.ocsp, .requirePositiveResponse])) == expected)
    }

    /// Parity: AF-trust-revocation
    @Test func acceptsAnUnknownStatusWithAWarning() async throws {
        let fetcher = chain.fetcher(server: nil, middle: try chain.middleResponse())
        #expect(await error(of: evaluator(fetcher)) == nil)
        let messages = log.messages.all
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("warning: The certificate of a.example is accepted, but it may") == true)
        #expect(messages.first?.contains("server.responder.example") == true)
    }

    /// Parity: AF-trust-revocation
    @Test func rejectsAnUnknownStatusIfAPositiveResponseIsRequired() async throws {
        let options: RevocationTrustEvaluator.Options = [.ocsp, .requirePositiveResponse]
        let fetcher = chain.fetcher(server: nil, middle: try chain.middleResponse())
        guard case .revocationUnknown(let text)? = await rejection(of: evaluator(fetcher, options: options)) else {
            Issue.record("the server is not rejected")
            return
        }
        #expect(text.contains("no server listens"))
        let other = chain.fetcher(server: try chain.serverResponse(), middle: nil)
        let refused = await rejection(of: evaluator(other, options: options))
        guard case .authority(subject: "CN=Middle", .revocationUnknown(_))? = refused else {
            Issue.record("the authority is not rejected")
            return
        }
    }

    @Test func requiresAResponderOnlyForAPositiveResponse() async throws {
        let silent = try RevocationChain(responder: nil)
        let fetcher = silent.fetcher(server: nil, middle: try silent.middleResponse())
        #expect(await error(of: evaluator(fetcher), silent) == nil)
        #expect(log.messages.count == 0)
        let strict = evaluator(fetcher, options: [.ocsp, .requirePositiveResponse])
        let expected = CertificateRejection.revocationUnknown("it names no responder that can be asked")
        #expect(await error(of: strict, silent)?.underlying as? CertificateRejection == expected)
    }

    @Test func validatesTheChainFirst() async throws {
        let fetcher = chain.fetcher(server: try chain.serverResponse(), middle: try chain.middleResponse())
        let wrongHost = CertificateRejection.wrongHost(names: ["a.example"])
        let checked = await error(of: evaluator(fetcher), host: "b.example")
        #expect(checked?.underlying as? CertificateRejection == wrongHost)
        #expect(await error(of: evaluator(fetcher, validateHost: false), host: "b.example") == nil)
        let never = evaluator(fetcher, performDefaultValidation: false, validateHost: false)
        #expect(await error(of: never, host: "b.example") == nil)
        let onlyHost = evaluator(fetcher, performDefaultValidation: false)
        #expect(await error(of: onlyHost, host: "b.example")?.underlying as? CertificateRejection == wrongHost)
        // Even without a validation of its own it accepts no chain without a root.
        let stranger = try RevocationChain()
        let untrusted = await TrustSample.error(of: never, chain.presented, host: "a.example", roots: stranger.roots)
        #expect(untrusted?.code == .certificateRejected)
    }

    @Test func usesTheChainOfAnotherEvaluator() async throws {
        let fetcher = chain.fetcher(server: try chain.serverResponse(revoked), middle: nil)
        let members: [any ServerTrustEvaluating] = [
            RootsTrustEvaluator(roots: chain.roots),
            evaluator(fetcher, performDefaultValidation: false, validateHost: false),
        ]
        let stranger = try RevocationChain()
        let error = await TrustSample.error(
            of: CompositeTrustEvaluator(evaluators: members),
            chain.presented,
            host: "a.example",
            roots: stranger.roots
        )
        #expect(error?.underlying as? CertificateRejection == .revoked(on: revokedAt))
    }

    @Test func checksNoRoot() async throws {
        let fetcher = StubFetcher { _ in nil }
        let strict = evaluator(fetcher, options: [.ocsp, .requirePositiveResponse])
        let roots = ServerTrust.Roots.pem(PEMText.text(of: [chain.server.derBytes]))
        let error = await TrustSample.error(of: strict, [chain.server.derBytes], host: "a.example", roots: roots)
        #expect(error == nil)
        #expect(fetcher.requests.count == 0)
    }

    @Test func checksAtMostThreeCertificates() async throws {
        var authorities = [TestAuthority("Root")]
        var certificates: [ParsedCertificate] = [try authorities[0].root(RevocationChain.last)]
        for number in 1...3 {
            let authority = TestAuthority("Authority \(number)")
            let issuer = authorities[number - 1]
            certificates.append(
                try issuer.authority(authority) { template in
                    RevocationChain.last(&template)
                    try template.setResponder("http://responder.example/\(number)")
                }
            )
            authorities.append(authority)
        }
        let server = try authorities[3].server { template in
            RevocationChain.last(&template)
            try template.setResponder("http://responder.example/server")
        }
        let presented = [server.derBytes] + certificates.dropFirst().map(\.derBytes)
        let roots = ServerTrust.Roots.pem(PEMText.text(of: [certificates[0].derBytes]))
        let fetcher = StubFetcher { _ in nil }
        let error = await TrustSample.error(of: evaluator(fetcher), presented, host: "a.example", roots: roots)
        #expect(error == nil)
        #expect(fetcher.requests.count == 3)
        #expect(log.messages.count == 4)
    }

    /// A certificate names its responder, so the guard of the request applies to that too.
    @Test func usesTheGuardOfTheRequestUnlessItHasItsOwn() async throws {
        let own = AddressGuard("own") { _, _ in true }
        let cases: [(own: AddressGuard?, ofRequest: AddressGuard?, used: AddressGuard?)] = [
            (nil, nil, nil), (nil, .publicOnly, .publicOnly), (own, .publicOnly, own), (own, nil, own),
        ]
        for one in cases {
            let fetcher = chain.fetcher(server: try chain.serverResponse(), middle: try chain.middleResponse())
            let error = await TrustSample.error(
                of: evaluator(fetcher, addressGuard: one.own),
                chain.presented,
                host: "a.example",
                roots: chain.roots,
                addressGuard: one.ofRequest
            )
            #expect(error == nil)
            #expect(fetcher.guards.all == [one.used, one.used])
        }
    }

    @Test func requiresAMethod() async throws {
        let fetcher = StubFetcher { _ in nil }
        for options: RevocationTrustEvaluator.Options in [[], .requirePositiveResponse, .networkAccessDisabled] {
            #expect(await error(of: evaluator(fetcher, options: options))?.code == .invalidConfiguration)
        }
    }

    @Test func doesNotAcceptAServerWhileItIsCancelled() async throws {
        let barrier = Barrier()
        let fetcher = StubFetcher { _ in
            await barrier.pass()
            return nil
        }
        let evaluator = evaluator(fetcher)
        let evaluation = Task { await error(of: evaluator) }
        await barrier.reached()
        evaluation.cancel()
        #expect(await evaluation.value?.code == .cancelled)
        barrier.open()
    }

    @Test func areEqualIfTheyDecideInTheSameWay() {
        let checker = RevocationChecker(fetcher: StubFetcher { _ in nil })
        func make(
            _ options: RevocationTrustEvaluator.Options,
            _ addressGuard: AddressGuard? = nil
        )
            -> RevocationTrustEvaluator
        {
            RevocationTrustEvaluator(
                performDefaultValidation: true,
                validateHost: true,
                options: options,
                addressGuard: addressGuard,
                logger: Logger(label: "apus"),
                checker: checker
            )
        }
        #expect(make(.any) == make([.ocsp]))
        #expect(make(.any).hashValue == make([.ocsp]).hashValue)
        #expect(make(.any) != make([.ocsp, .requirePositiveResponse]))
        #expect(make(.any) != make(.any, .publicOnly))
        #expect(make(.any) != evaluator(StubFetcher { _ in nil }))
    }
}

internal import Apus
internal import ApusCore
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Logging
internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

/// Handshakes with a server whose certificate names a responder that listens.
@Suite(.timeLimit(.minutes(5))) struct RevocationCourseTests {
    /// Sends three requests to a server whose responder gives this response, and returns the error of the first that
    /// fails.
    private func error(
        _ options: RevocationTrustEvaluator.Options,
        _ response: TestOCSPResponse?,
        guardsResponders: Bool = false
    ) async throws -> ApusError? {
        let body = LockedValue<[UInt8]>([])
        let responder = try await TestServer.start(behavior: .handler { _ in TestResponse(body: .bytes(body.value)) })
        let key = TestAuthority("server")
        let chain = try RevocationChain(responder: responder.url("/"), middleResponder: nil) { template in
            template.publicKeyInfo = try key.publicKeyInfo()
            try template.setNames([.dnsName("localhost")])
        }
        if let response { body.value = try chain.serverResponse(response) }
        let tls = TestTLS(
            certificateChainPEM: PEMText.text(of: chain.presented),
            privateKeyPEM: try key.key.serializeAsPEM().pemString
        )
        let server = try await TestServer.start(tls: tls)
        let fetcher = SessionRevocationFetcher(timeLimit: .seconds(60), proxy: .none)
        var configuration = Session.Configuration()
        configuration.proxy = .none
        configuration.timeouts.connect = .seconds(60)
        configuration.timeouts.tls = .seconds(60)
        configuration.trust.roots = chain.roots
        configuration.trust.evaluator = RevocationTrustEvaluator(
            performDefaultValidation: true,
            validateHost: true,
            options: options,
            addressGuard: nil,
            logger: WarningLog().logger,
            checker: RevocationChecker(fetcher: fetcher)
        )
        if guardsResponders {
            configuration.addresses.guard = AddressGuard("no responders") { _, origin in origin.scheme == .https }
        }
        let session = Session(configuration: configuration)
        var found: ApusError?
        for _ in 0..<3 where found == nil {
            do throws(ApusError) { try await session.get(server.url("/get")).validate() } catch { found = error }
        }
        #expect(responder.requestCount == (guardsResponders ? 0 : 1))
        #expect(server.requestCount == (found == nil ? 3 : 0))
        try await assertNothingLeft(session)
        try await assertNothingLeft(fetcher.session)
        await server.stop()
        await responder.stop()
        return found
    }

    /// A response of the current time, which handshakes use.
    private func response(_ status: TestOCSPResponse.Status) -> TestOCSPResponse {
        var response = TestOCSPResponse()
        response.moment = Date()
        response.status = status
        return response
    }

    @Test func connectsToAServerThatIsNotRevoked() async throws {
        #expect(try await error(.any, response(.good)) == nil)
    }

    @Test func sendsNothingToARevokedServer() async throws {
        let error = try await error(.any, response(.revoked(-500)))
        #expect(error?.code == .certificateRejected)
        guard case .revoked? = error?.underlying as? CertificateRejection else {
            Issue.record("the reason is \(String(describing: error?.underlying))")
            return
        }
    }

    @Test func connectsIfTheResponderIsOfNoHelp() async throws {
        #expect(try await error(.any, nil) == nil)
    }

    @Test func asksNoResponderThatTheGuardOfTheSessionRefuses() async throws {
        #expect(try await error(.any, response(.good), guardsResponders: true) == nil)
        let strict: RevocationTrustEvaluator.Options = [.ocsp, .requirePositiveResponse]
        let refusal = try await error(strict, response(.good), guardsResponders: true)
        guard case .revocationUnknown(let text)? = refusal?.underlying as? CertificateRejection else {
            Issue.record("the reason is \(String(describing: refusal?.underlying))")
            return
        }
        #expect(text.contains("the guard 'no responders' does not allow"))
    }

    @Test func hasTheDefaultsOfTheEvaluator() {
        let evaluator = RevocationTrustEvaluator()
        #expect(evaluator.performDefaultValidation && evaluator.validateHost)
        #expect(evaluator.options == .any)
        #expect(evaluator.addressGuard == nil)
        // All share the kept answers, so they are equal.
        #expect(evaluator == RevocationTrustEvaluator())
        #expect(evaluator != RevocationTrustEvaluator(options: [.ocsp, .requirePositiveResponse]))
    }
}

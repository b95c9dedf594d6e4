internal import Testing

@testable internal import ApusCore

@Suite struct ServerTrustManagerTests {
    /// An evaluator with a name.
    private struct Named: ServerTrustEvaluating {
        let name: String

        func evaluate(_ presented: PresentedChain, forHost host: String) async throws {}
    }

    private let https = Origin(scheme: .https, host: "api.example.org")

    private func manager(requiresAll: Bool = true) -> ServerTrustManager {
        ServerTrustManager(
            allHostsMustBeEvaluated: requiresAll,
            evaluators: ["api.example.org": Named(name: "api"), "*.example.org": Named(name: "any")]
        )
    }

    /// Parity: AF-trust-manager
    @Test func choosesTheEvaluatorOfAHost() throws {
        let manager = manager()
        #expect(manager.allHostsMustBeEvaluated)
        #expect(manager.evaluators.count == 2)
        #expect(try manager.serverTrustEvaluator(forHost: "api.example.org") as? Named == Named(name: "api"))
        #expect(try manager.serverTrustEvaluator(forHost: "WWW.example.org") as? Named == Named(name: "any"))
    }

    /// Parity: AF-trust-manager
    @Test func rejectsHostsWithoutAnEvaluator() throws {
        let error = #expect(throws: ApusError.self) { try manager().serverTrustEvaluator(forHost: "example.org") }
        #expect(error?.code == .certificateRejected)
        #expect(error?.underlying as? CertificateRejection == .noEvaluator)
        #expect(error?.hint != nil)
        #expect(try manager(requiresAll: false).serverTrustEvaluator(forHost: "example.org") == nil)
    }

    @Test func rejectsEveryHostIfAPatternIsMalformed() {
        let manager = ServerTrustManager(
            allHostsMustBeEvaluated: false,
            evaluators: ["*": Named(name: "a"), "b.example": Named(name: "b")]
        )
        for host in ["b.example", "c.example"] {
            let error = #expect(throws: ApusError.self) { try manager.serverTrustEvaluator(forHost: host) }
            #expect(error?.code == .invalidConfiguration)
        }
    }

    @Test func appliesToTrustWithoutAnEvaluator() throws {
        var configuration = SessionConfiguration()
        #expect(configuration.serverTrustManager == nil)
        configuration.trust.verification = .chainOnly
        #expect(try configuration.trust(for: https, option: nil) == configuration.trust)
        configuration.serverTrustManager = manager()
        let chosen = try configuration.trust(for: https, option: nil)
        #expect(chosen.evaluator as? Named == Named(name: "api"))
        #expect(chosen.verification == .chainOnly)
        var own = ServerTrust()
        own.roots = .pem("x")
        #expect(try configuration.trust(for: https, option: own).evaluator as? Named == Named(name: "api"))
        own.evaluator = Named(name: "own")
        #expect(try configuration.trust(for: https, option: own) == own)
    }

    @Test func ignoresConnectionsWithoutTLS() throws {
        var configuration = SessionConfiguration()
        configuration.serverTrustManager = manager()
        let plain = Origin(scheme: .http, host: "nowhere.example")
        #expect(try configuration.trust(for: plain, option: nil) == ServerTrust())
    }
}

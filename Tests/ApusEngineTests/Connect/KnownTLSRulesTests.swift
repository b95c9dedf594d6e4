internal import ApusCore
internal import NIOEmbedded
internal import Testing

@testable internal import ApusEngine

@Suite struct KnownTLSRulesTests {
    private struct Evaluator: ServerTrustEvaluating {
        let number: Int

        func evaluate(_ presented: PresentedChain, forHost host: String) async throws {}
    }

    private static func context(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> EngineContext {
        var configuration = SessionConfiguration()
        change(&configuration)
        return EngineContext(
            configuration: configuration,
            counters: LiveCounters(),
            resolver: SystemResolver.shared,
            engineLoops: [EngineLoop(loop: EmbeddedEventLoop())]
        )
    }

    private static func origin(_ host: String) -> Origin { Origin(scheme: .https, host: host) }

    private static func trust(_ number: Int) -> ServerTrust {
        var trust = ServerTrust()
        trust.evaluator = Evaluator(number: number)
        return trust
    }

    @Test func areThoseOfTheSessionWithoutOptions() throws {
        let context = Self.context()
        var known = KnownTLSRules()
        let first = try known.rules(for: Self.origin("a.example"), .none, in: context)
        let second = try known.rules(for: Self.origin("b.example"), .none, in: context)
        #expect(first != nil)
        #expect(first === second)
        let cleartext = try known.rules(for: Origin(scheme: .http, host: "a.example"), .none, in: context)
        #expect(cleartext == nil)
    }

    @Test func areMadeOnceForAHost() throws {
        let context = Self.context {
            $0.serverTrustManager = ServerTrustManager(evaluators: [
                "a.example": Evaluator(number: 1), "b.example": Evaluator(number: 2),
            ])
        }
        var known = KnownTLSRules()
        let first = try known.rules(for: Self.origin("a.example"), .none, in: context)
        let other = try known.rules(for: Self.origin("b.example"), .none, in: context)
        let second = try known.rules(for: Self.origin("a.example"), .none, in: context)
        #expect(first?.trust.evaluator as? Evaluator == Evaluator(number: 1))
        #expect(other?.trust.evaluator as? Evaluator == Evaluator(number: 2))
        #expect(first === second)
        for _ in 0..<2 {
            do throws(ApusError) {
                _ = try known.rules(for: Self.origin("c.example"), .none, in: context)
                Issue.record("a host without an evaluator has rules")
            } catch {
                #expect(error.code == .certificateRejected)
            }
        }
    }

    @Test func differByTheOptions() throws {
        let context = Self.context()
        var known = KnownTLSRules()
        var tls = TLSSettings()
        tls.minimumVersion = .v13
        let options: [RequestOptions] = [.none, [Self.trust(1)], [Self.trust(2)], [tls], [Self.trust(1), tls]]
        var rules: [TLSRules] = []
        for _ in 0..<2 {
            for option in options {
                let made = try known.rules(for: Self.origin("a.example"), option, in: context)
                rules.append(try #require(made))
            }
        }
        for index in options.indices {
            #expect(rules[index] === rules[index + options.count])
            #expect(rules[index].trust == (options[index][ServerTrust.self] ?? ServerTrust()))
            #expect(rules[index].tls == (options[index][TLSSettings.self] ?? TLSSettings()))
        }
        #expect(Set(rules.map { ObjectIdentifier($0) }).count == options.count)
    }

    @Test func haveTheNewIdentity() throws {
        let identities = ClientIdentities()
        let context = Self.context { $0.clientIdentities = identities }
        var known = KnownTLSRules()
        for certificate in ["one", "two"] {
            let identity = ClientIdentity.pem(certificate)
            try identities.set(identity, for: "a.example")
            let first = try known.rules(for: Self.origin("a.example"), .none, in: context)
            let second = try known.rules(for: Self.origin("a.example"), .none, in: context)
            #expect(first?.tls.identity == identity)
            #expect(first === second)
        }
        try identities.set(nil, for: "a.example")
        let last = try known.rules(for: Self.origin("a.example"), .none, in: context)
        #expect(last != nil)
        #expect(last?.tls.identity == nil)
    }

    @Test func areLimited() throws {
        let context = Self.context()
        var known = KnownTLSRules()
        let origin = Self.origin("a.example")
        let first = try known.rules(for: origin, [Self.trust(0)], in: context)
        for number in 1..<KnownTLSRules.maximumRules {
            _ = try known.rules(for: origin, [Self.trust(number)], in: context)
        }
        var again = try known.rules(for: origin, [Self.trust(0)], in: context)
        #expect(first === again)
        _ = try known.rules(for: origin, [Self.trust(KnownTLSRules.maximumRules)], in: context)
        again = try known.rules(for: origin, [Self.trust(0)], in: context)
        #expect(first !== again)
        #expect(first == again)

        let latest = again
        for number in 1..<KnownTLSRules.maximumHosts {
            _ = try known.rules(for: Self.origin("h\(number).example"), [Self.trust(0)], in: context)
        }
        again = try known.rules(for: origin, [Self.trust(0)], in: context)
        #expect(latest === again)
        _ = try known.rules(for: Self.origin("last.example"), [Self.trust(0)], in: context)
        again = try known.rules(for: origin, [Self.trust(0)], in: context)
        #expect(latest !== again)
    }
}

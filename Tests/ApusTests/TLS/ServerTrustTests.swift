import Apus
import ApusTestServer
import ApusTestSupport
import Testing

/// The trust of hosts and of single requests.
@Suite(.timeLimit(.minutes(5))) struct ServerTrustTests {
    /// An evaluator that counts its calls.
    private func counting(_ identity: String, _ calls: LockedValue<Int>) -> ClosureTrustEvaluator {
        ClosureTrustEvaluator(identity: identity) { presented, host in
            calls.change { $0 += 1 }
            try await presented.validated()
        }
    }

    /// Parity: AF-trust-manager
    @Test func asksTheEvaluatorOfTheHostOnceForEachConnection() async throws {
        let calls = LockedValue(0)
        let evaluators = ["localhost": counting("a", calls), "127.0.0.1": counting("a", calls)]
        let manager = ServerTrustManager(evaluators: evaluators)
        try await Wire.tls.with(configure: { $0.serverTrustManager = manager }) { server, session in
            for _ in 0..<3 { try await session.get(server.url("/get")).validate() }
            #expect(calls.value == 1)
        }
    }

    /// Parity: AF-trust-manager
    @Test func refusesHostsWithoutAnEvaluator() async throws {
        let manager = ServerTrustManager(evaluators: ["example.org": DefaultTrustEvaluator()])
        try await Wire.tls.with(configure: { $0.serverTrustManager = manager }) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/get")) }
            #expect(error?.code == .certificateRejected)
            #expect(error?.underlying as? CertificateRejection == .noEvaluator)
            #expect(server.requestCount == 0)
            let prepared = await #expect(throws: ApusError.self) { try await session.prepare(server.url("/get")) }
            #expect(prepared?.code == .certificateRejected)
        }
    }

    @Test func refusesServersWithoutAPinnedKey() async throws {
        let pin = try PublicKeyPin("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        let pinned = PublicKeysTrustEvaluator(keys: [pin])
        try await Wire.tls.with(configure: { $0.trust.evaluator = pinned }) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/get")) }
            #expect(error?.code == .certificateRejected)
            guard case .notPinned(let hashes)? = error?.underlying as? CertificateRejection else {
                Issue.record("the reason is \(String(describing: error?.underlying))")
                return
            }
            #expect(hashes.count == 2)
            // The pins of the error are those that would match.
            var trust = session.configuration.trust
            trust.evaluator = PublicKeysTrustEvaluator(keys: try hashes.suffix(1).map { try PublicKeyPin($0) })
            try await session.get(server.url("/get"), options: [trust]).validate()
            #expect(server.requestCount == 1)
        }
    }

    @Test func sharesNoConnectionBetweenUnequalTrust() async throws {
        let calls = LockedValue(0)
        try await Wire.tls.with { server, session in
            var one = session.configuration.trust
            one.evaluator = counting("one", calls)
            var other = one
            other.evaluator = counting("other", calls)
            for trust in [one, other, one, other] {
                try await session.get(server.url("/get"), options: [trust]).validate()
            }
            #expect(calls.value == 2)
            try await session.get(server.url("/get")).validate()
            #expect(calls.value == 2)
        }
    }
}

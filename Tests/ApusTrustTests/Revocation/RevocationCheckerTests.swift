internal import ApusCore
internal import ApusTestSupport
internal import Foundation
internal import Testing

@testable internal import ApusTrust

/// The requests for answers, and the answers that are kept.
@Suite(.timeLimit(.minutes(5))) struct RevocationCheckerTests {
    private let chain: RevocationChain
    private let time = LockedValue(TestAuthority.moment)

    init() throws { chain = try RevocationChain() }

    private func checker(_ fetcher: StubFetcher) -> RevocationChecker {
        let time = time
        return RevocationChecker(fetcher: fetcher, now: { time.value })
    }

    private func status(
        _ checker: RevocationChecker,
        of chain: RevocationChain? = nil,
        addressGuard: AddressGuard? = nil,
        usesNetwork: Bool = true
    ) async -> RevocationStatus {
        let chain = chain ?? self.chain
        return await checker.status(
            of: chain.server,
            issuer: chain.middleCertificate,
            addressGuard: addressGuard,
            usesNetwork: usesNetwork
        )
    }

    private func pass(_ seconds: TimeInterval) { time.change { $0 += seconds } }

    /// Its authority has signed it, so a guard that refuses the responder does not hide it.
    @Test func keepsASignedAnswerForAllGuards() async throws {
        let fetcher = chain.fetcher(server: try chain.serverResponse(), middle: nil)
        let checker = checker(fetcher)
        #expect(await status(checker, addressGuard: .publicOnly, usesNetwork: false) != .good)
        #expect(await status(checker) == .good)
        #expect(await status(checker, addressGuard: .publicOnly, usesNetwork: false) == .good)
        #expect(await status(checker, addressGuard: .publicOnly) == .good)
        #expect(fetcher.requests.count == 1)
    }

    @Test func keepsAnAnswerUntilItsEnd() async throws {
        let fetcher = chain.fetcher(server: try chain.serverResponse(), middle: nil)
        let checker = checker(fetcher)
        #expect(await status(checker) == .good)
        pass(3599)
        #expect(await status(checker) == .good)
        #expect(await status(checker, usesNetwork: false) == .good)
        #expect(fetcher.requests.count == 1)
        // The responder repeats its answer, which is still valid within the skew, but is not kept.
        pass(2)
        #expect(await status(checker) == .good)
        #expect(await status(checker) == .good)
        #expect(fetcher.requests.count == 3)
        pass(300)
        guard case .unknown(let text) = await status(checker) else {
            Issue.record("the answer is not outdated")
            return
        }
        #expect(text.contains("outdated"))
    }

    @Test func keepsRevocations() async throws {
        var response = TestOCSPResponse()
        response.status = .revoked(-500)
        let fetcher = chain.fetcher(server: try chain.serverResponse(response), middle: nil)
        let checker = checker(fetcher)
        let revoked = RevocationStatus.revoked(on: TestAuthority.moment.addingTimeInterval(-500))
        #expect(await status(checker) == revoked)
        #expect(await status(checker) == revoked)
        #expect(fetcher.requests.count == 1)
    }

    @Test(arguments: [true, false]) func keepsFailuresForAShortTime(isReached: Bool) async throws {
        let fetcher = chain.fetcher(server: isReached ? Array("no".utf8) : nil, middle: nil)
        let checker = checker(fetcher)
        guard case .unknown(let text) = await status(checker) else {
            Issue.record("a failure is no status")
            return
        }
        #expect(text.contains("server.responder.example"))
        #expect(text.contains(isReached ? "can't be read" : "no server listens"))
        pass(29)
        #expect(await status(checker) == .unknown(text))
        #expect(fetcher.requests.count == 1)
        // Another guard may allow the responder.
        #expect(await status(checker, addressGuard: .publicOnly) == .unknown(text))
        #expect(fetcher.requests.count == 2)
        pass(1)
        #expect(await status(checker) == .unknown(text))
        #expect(fetcher.requests.count == 3)
    }

    @Test func refusesLargeResponses() async {
        let large = [UInt8](repeating: 0x30, count: RevocationLimits.responseBytes + 1)
        let status = await status(checker(chain.fetcher(server: large, middle: nil)))
        #expect(status == .unknown("the response of server.responder.example is too large"))
    }

    @Test func sharesARequestUnderWay() async throws {
        let response = try chain.serverResponse()
        let barrier = Barrier()
        let fetcher = StubFetcher { _ in
            await barrier.pass()
            return response
        }
        let checker = checker(fetcher)
        await withTaskGroup(of: RevocationStatus.self) { group in
            for _ in 0..<10 { group.addTask { await status(checker) } }
            await barrier.reached()
            barrier.open()
            for await status in group { #expect(status == .good) }
        }
        #expect(fetcher.requests.count == 1)
    }

    @Test func doesNotWaitForACancelledCaller() async throws {
        let response = try chain.serverResponse()
        let barrier = Barrier()
        let fetcher = StubFetcher { _ in
            await barrier.pass()
            return response
        }
        let checker = checker(fetcher)
        let waiting = Task { await status(checker) }
        await barrier.reached()
        waiting.cancel()
        #expect(await waiting.value == .unknown("the request was cancelled"))
        // The request goes on, and its answer is kept.
        let other = Task { await status(checker) }
        barrier.open()
        #expect(await other.value == .good)
        #expect(fetcher.requests.count == 1)
    }

    @Test func sendsNothingWithoutTheNetwork() async throws {
        let fetcher = chain.fetcher(server: try chain.serverResponse(), middle: nil)
        guard case .unknown(let text) = await status(checker(fetcher), usesNetwork: false) else {
            Issue.record("there is no answer")
            return
        }
        #expect(text.contains("the network is not used"))
        #expect(fetcher.requests.count == 0)
    }

    @Test(arguments: [
        nil, "https://responder.example/", "ldap://responder.example/", "http://a:b@responder.example/", "http://",
        "file:///etc/passwd", "http://responder.example/\(String(repeating: "a", count: 2048))",
    ])
    func asksOnlyPlainResponders(url: String?) async throws {
        let other = try RevocationChain(responder: url)
        let fetcher = StubFetcher { _ in nil }
        #expect(await status(checker(fetcher), of: other) == .noResponder)
        #expect(fetcher.requests.count == 0)
    }
}

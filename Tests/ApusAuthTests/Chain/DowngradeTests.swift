internal import Apus
internal import ApusCore
internal import ApusTesting
internal import Testing

@testable internal import ApusAuth

/// Once Digest has proved a password to an origin, no request of the session sends it there by a weaker scheme.
/// Otherwise an attacker on the path would only have to refuse one request.
@Suite(.timeLimit(.minutes(5))) struct DowngradeTests {
    /// Where the password of a request is set.
    enum Holder: CaseIterable, Sendable {
        case session, option, handle

        func status(of url: String, in session: Session) async throws -> HTTPResponse.Status? {
            let ada = Credential.user("ada", password: "secret")
            switch self {
            case .session:
                return try await session.get(url).status
            case .option:
                return try await session.get(url, options: [RequestCredential(ada)]).status
            case .handle:
                let request = session.request(url).authenticate(with: ada)
                return await request.serializingData().response.response?.status
            }
        }
    }

    private static let digest = "Digest realm=a, nonce=n, qop=auth"

    @Test(arguments: Holder.allCases, Holder.allCases)
    func sendsNoBasicPasswordThatDigestProvedForAnotherRequest(first: Holder, second: Holder) async throws {
        let isAttacked = Lock(false)
        let test = GuardedSession(.ada) { request in
            guard !isAttacked.withLock({ $0 }) else { return .challenge("Basic realm=x") }
            return request.knows("secret") ? MockResponse() : .challenge(Self.digest)
        }
        #expect(try await first.status(of: "http://h/", in: test.session) == .ok)
        isAttacked.withLock { $0 = true }
        #expect(try await second.status(of: "http://h/", in: test.session) == .unauthorized)
        #expect(test.transport.requests.allSatisfy { !$0.isBasic })
        // The password was not proved to the other origin.
        #expect(try await second.status(of: "http://other/", in: test.session) == .unauthorized)
        #expect(test.transport.requests.last?.isBasic == true)
        // Nor was it proved in another session.
        let other = GuardedSession(.ada) { _ in .challenge("Basic realm=x") }
        #expect(try await second.status(of: "http://h/", in: other.session) == .unauthorized)
        #expect(other.transport.requests.last?.isBasic == true)
    }

    /// The connection is lost or the server is unavailable after the Digest answer. An attacker responds to the retry.
    @Test(arguments: Holder.allCases, [true, false])
    func sendsNoBasicPasswordThatDigestProvedInAnEarlierAttempt(
        holder: Holder,
        isLost: Bool
    ) async throws {
        let isAttacked = Lock(false)
        let test = GuardedSession(
            .ada,
            configuring: { $0.interceptor = RetryPolicy(retryLimit: 1, scale: .zero) },
            respondingWith: { request in
                guard !isAttacked.withLock({ $0 }) else { return .challenge("Basic realm=x") }
                guard request.knows("secret") else { return .challenge(Self.digest) }
                isAttacked.withLock { $0 = true }
                guard !isLost else { throw ApusError(.connectionClosed, "the connection was lost") }
                return MockResponse(status: .serviceUnavailable)
            }
        )
        #expect(try await holder.status(of: "http://h/", in: test.session) == .unauthorized)
        // The challenge, the answer to it, and the retry.
        #expect(test.transport.requests.count == 3)
        #expect(test.transport.requests.prefix(2).map { $0.digestValue("nonce") } == [nil, "n"])
        #expect(test.transport.requests.allSatisfy { !$0.isBasic })
    }

    /// The session uses Basic. After a handle has proved the password by Digest, the session may not send Basic again.
    @Test func stopsSendingBasicOnceAHandleHasUsedDigest() async throws {
        let wantsDigest = Lock(false)
        let test = GuardedSession(.ada) { request in
            guard wantsDigest.withLock({ $0 }) else {
                return request.isBasic ? MockResponse() : .challenge("Basic realm=a")
            }
            return request.knows("secret") ? MockResponse() : .challenge(Self.digest)
        }
        for _ in 0..<2 { #expect(try await Holder.session.status(of: "http://h/", in: test.session) == .ok) }
        wantsDigest.withLock { $0 = true }
        #expect(try await Holder.handle.status(of: "http://h/", in: test.session) == .ok)
        #expect(try await Holder.session.status(of: "http://h/", in: test.session) == .ok)
        #expect(test.transport.requests.map(\.isBasic) == [false, true, true, false, false, false, false])
    }

    /// The nonce and the path of a request are discarded with it. Only the proof is kept.
    @Test(arguments: [Holder.option, .handle]) func keepsOnlyTheProofOfARequest(holder: Holder) async throws {
        let test = GuardedSession(nil) { request in
            request.knows("secret") ? MockResponse() : .challenge(Self.digest)
        }
        for _ in 0..<2 { #expect(try await holder.status(of: "http://h/", in: test.session) == .ok) }
        #expect(test.transport.requests.map { $0.digestValue("nc") } == [nil, "00000001", nil, "00000001"])
        #expect(try await Holder.session.status(of: "http://h/", in: test.session) == .unauthorized)
    }
}

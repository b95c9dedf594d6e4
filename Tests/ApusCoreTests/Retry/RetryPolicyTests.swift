internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RetryPolicyTests {
    /// The context of a session without a retry budget, so that each attempt is decided on its own.
    private let context: RequestContext = {
        var configuration = SessionConfiguration()
        configuration.retryBudget = nil
        return RequestContext(environment: SessionEnvironment(configuration: configuration))
    }()

    private func attempt(
        _ method: HTTPRequest.Method = .get,
        status: Int? = nil,
        fields: HTTPFields = [:],
        body: RequestBody = .none,
        retryCount: Int = 0
    ) throws -> RequestAttempt {
        RequestAttempt(
            request: try RequestMessage("http://h/", method: method, body: body),
            head: status.map { ResponseHead(status: .init(code: $0), fields: fields) },
            data: nil,
            fileURL: nil,
            retryCount: retryCount,
            context: context
        )
    }

    private func withoutJitter(_ policy: RetryPolicy = RetryPolicy()) -> RetryPolicy {
        var policy = policy
        policy.chance = { 1 }
        return policy
    }

    private func delay(_ result: RetryResult) -> Duration? {
        if case .retryWithDelay(let delay) = result { delay } else { nil }
    }

    private let lost = ApusError(.connectionClosed, "it went away")

    // MARK: Retryable requests

    /// Parity: AF-retry-policy
    @Test(arguments: ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "QUERY"])
    func retriesIdempotentMethods(_ name: String) throws {
        let method = try #require(HTTPRequest.Method(name))
        #expect(delay(withoutJitter().decide(try attempt(method), dueTo: lost)) != nil)
    }

    @Test(arguments: ["POST", "PATCH", "MKCOL"]) func leavesOtherMethodsAlone(_ name: String) throws {
        let method = try #require(HTTPRequest.Method(name))
        #expect(withoutJitter().decide(try attempt(method), dueTo: lost).leavesItToOthers)
    }

    /// Parity: AF-retry-policy
    @Test(arguments: [408, 429, 500, 502, 503, 504]) func retriesAfterATransientStatus(_ status: Int) throws {
        let refusal = ApusError(.unacceptableStatus, "no")
        #expect(delay(withoutJitter().decide(try attempt(status: status), dueTo: refusal)) != nil)
        #expect(delay(withoutJitter().decide(try attempt(status: status), dueTo: nil)) != nil)
        let misread = ApusError(.decodingFailed, "that is HTML")
        #expect(delay(withoutJitter().decide(try attempt(status: status), dueTo: misread)) != nil)
    }

    @Test(arguments: [200, 304, 400, 401, 404, 501, 505]) func doesNotRetryAfterOtherStatuses(_ status: Int) throws {
        let refusal = ApusError(.unacceptableStatus, "no")
        #expect(withoutJitter().decide(try attempt(status: status), dueTo: refusal).leavesItToOthers)
        #expect(withoutJitter().decide(try attempt(status: status), dueTo: nil).leavesItToOthers)
    }

    /// Error codes, each with the name of the corresponding code of `URLError`.
    static let transientErrors: [(known: String, code: ApusError.Code)] = [
        ("cannotFindHost", .hostNotFound), ("dnsLookupFailed", .resolveFailed), ("cannotConnectToHost", .connectFailed),
        ("notConnectedToInternet", .connectFailed), ("secureConnectionFailed", .tlsFailed),
        ("networkConnectionLost", .connectionClosed), ("networkConnectionLost", .sendFailed),
        ("timedOut", .connectTimeout), ("timedOut", .tlsTimeout), ("timedOut", .readTimeout),
        ("timedOut", .writeTimeout),
    ]

    /// Parity: AF-retry-policy-errors
    @Test(arguments: transientErrors) func retriesAfterTransientErrors(known: String, code: ApusError.Code) throws {
        #expect(delay(withoutJitter().decide(try attempt(), dueTo: ApusError(code, "no"))) != nil)
    }

    /// Parity: AF-retry-policy
    @Test func retriesTwiceByDefault() throws {
        let delays = try (0..<3).map { delay(withoutJitter().decide(try attempt(retryCount: $0), dueTo: lost)) }
        #expect(delays == [.milliseconds(500), .seconds(1), nil])
    }

    /// Parity: AF-retry-policy-errors
    @Test(arguments: [
        ApusError.Code.certificateRejected, .invalidURL, .cancelled, .bodyTooLarge, .malformedResponse, .poolTimeout,
        .adaptationFailed, .resumeDataInvalid, .decodingFailed, .digestMismatch,
    ])
    func doesNotRetryAfterOtherErrors(_ code: ApusError.Code) throws {
        #expect(withoutJitter().decide(try attempt(), dueTo: ApusError(code, "no")).leavesItToOthers)
    }

    /// Parity: AF-retry-policy
    @Test func respectsItsRetryLimit() throws {
        let policy = withoutJitter(RetryPolicy(retryLimit: 3))
        #expect(delay(policy.decide(try attempt(retryCount: 2), dueTo: lost)) != nil)
        #expect(policy.decide(try attempt(retryCount: 3), dueTo: lost).leavesItToOthers)
    }

    @Test func leavesConsumedOneShotBodiesAlone() throws {
        let stream = AsyncStream<BodyChunk> { $0.finish() }
        let body = RequestBody.once(stream)
        #expect(delay(withoutJitter().decide(try attempt(.put, body: body), dueTo: lost)) != nil)
        guard case .once(let once) = body.storage else { return }
        _ = try once.open()
        #expect(withoutJitter().decide(try attempt(.put, body: body), dueTo: lost).leavesItToOthers)
    }

    /// Parity: AF-retry-connection-lost
    @Test func connectionLostPolicyRetriesNothingElse() throws {
        let policy = ConnectionLostRetryPolicy()
        #expect(delay(policy.decide(try attempt(), dueTo: lost)) != nil)
        #expect(policy.decide(try attempt(), dueTo: ApusError(.connectFailed, "no")).leavesItToOthers)
        #expect(policy.decide(try attempt(status: 503), dueTo: nil).leavesItToOthers)
    }

    // MARK: Delays

    /// Parity: AF-retry-policy-delay
    @Test func growsTheDelayUpToItsMaximum() throws {
        let policy = withoutJitter(RetryPolicy(retryLimit: 9, base: 3, scale: .seconds(1), maximumDelay: .seconds(20)))
        let delays = try (0..<5).map { delay(policy.decide(try attempt(retryCount: $0), dueTo: lost)) }
        #expect(delays == [.seconds(1), .seconds(3), .seconds(9), .seconds(20), .seconds(20)])
    }

    @Test(arguments: [Double.infinity, 1e300, .greatestFiniteMagnitude, .nan, -.infinity, -1e300, 0])
    func boundsTheDelayForAnyBase(_ base: Double) throws {
        var policy = withoutJitter(RetryPolicy(retryLimit: 1000, base: base, scale: .seconds(1)))
        for limit in [Duration.seconds(30), .seconds(Int64.max), .zero] {
            policy.maximumDelay = limit
            // The property accepts values that the initializer would correct.
            for base in [policy.base, base] {
                policy.base = base
                for count in [0, 1, 2, 900] {
                    let delay = try #require(delay(policy.decide(try attempt(retryCount: count), dueTo: lost)))
                    #expect(delay >= .zero && delay <= max(limit, .seconds(1)))
                }
            }
        }
        policy.maximumDelay = .seconds(30)
        policy.base = base
        let second = delay(policy.decide(try attempt(retryCount: 1), dueTo: lost))
        if base > 1 { #expect(second == .seconds(30)) }
    }

    /// Parity: AF-retry-policy-delay
    @Test func spreadsTheDelayByRandomJitter() throws {
        var policy = RetryPolicy(scale: .seconds(8))
        policy.chance = { 0.25 }
        #expect(delay(policy.decide(try attempt(), dueTo: lost)) == .seconds(2))
        policy.chance = { 0 }
        #expect(delay(policy.decide(try attempt(), dueTo: lost)) == .zero)
        let drawn = try (0..<100).compactMap { _ in
            delay(RetryPolicy(scale: .seconds(8)).decide(try attempt(), dueTo: lost))
        }
        #expect(drawn.count == 100)
        #expect(drawn.allSatisfy { $0 >= .zero && $0 < .seconds(8) } && Set(drawn).count > 1)
    }

    /// Parity: AF-retry-policy-delay
    @Test func followsRetryAfter() throws {
        let fields: HTTPFields = [.retryAfter: "7"]
        #expect(delay(RetryPolicy().decide(try attempt(status: 503, fields: fields), dueTo: nil)) == .seconds(7))
    }

    @Test func doesNotRetryAfterALongRetryAfter() throws {
        let fields: HTTPFields = [.retryAfter: "61"]
        #expect(RetryPolicy().decide(try attempt(status: 503, fields: fields), dueTo: nil).leavesItToOthers)
        let patient = RetryPolicy(retryAfterCeiling: .seconds(61))
        #expect(delay(patient.decide(try attempt(status: 503, fields: fields), dueTo: nil)) == .seconds(61))
    }

    // MARK: Retry budget

    @Test func respectsTheRetryBudgetOfItsSession() async throws {
        let test = TestSession(
            configuring: {
                $0.retryBudget = RetryBudget(share: 0.25, minimum: 3)
                $0.interceptor = RetryPolicy(retryLimit: 1, scale: .zero)
            },
            responding: { _ in throw ApusError(.connectionClosed, "it went away") }
        )
        var retries = 0
        for _ in 0..<20 {
            let before = test.transport.requests.count
            _ = await failure { try await test.session.get("http://h/") }
            retries += test.transport.requests.count - before - 1
        }
        // At first 3 regardless of the traffic, later a quarter of all attempts, including retries.
        #expect(retries == 7)
        try await assertNothingLeft(test.session)
    }

    @Test func retriesUnsuccessfulResponses() async throws {
        let count = Counter()
        let test = TestSession(configuring: { $0.interceptor = RetryPolicy(scale: .zero) }) { _ in
            MockResponse(status: count.next() < 2 ? .serviceUnavailable : .ok, body: "ok")
        }
        #expect(try await test.session.get("http://h/").status == .ok)
        let handle = test.session.request("http://h/").validate()
        #expect(try await handle.serializingString().value == "ok")
        #expect(test.transport.requests.count == 4)
        try await assertNothingLeft(test.session)
    }
}

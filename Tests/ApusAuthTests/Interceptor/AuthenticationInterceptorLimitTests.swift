internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusAuth
@testable internal import ApusCore

/// Gives out token after token, and may be mistaken about what a request was sent with.
private final class EagerAuthenticator: Authenticator {
    private let count = Lock(0)
    private let comparison: Bool?

    init(comparison: Bool? = nil) {
        self.comparison = comparison
    }

    var refreshCount: Int { count.withLock { $0 } }

    func apply(_ credential: Token, to request: inout RequestMessage) throws {
        try request.fields.set(checking: "Authorization", "Bearer \(credential.text)")
    }

    func refresh(_ credential: Token) async throws -> Token {
        count.withLock { count in
            count += 1
            return Token("\(count)")
        }
    }

    func isRequest(_ request: RequestMessage, authenticatedWith credential: Token) -> Bool {
        comparison ?? (request.token == credential.text)
    }
}

@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterceptorLimitTests {
    /// Sends a request, to a service that refuses all it gets, as often as the interceptor wants it.
    ///
    /// - Returns: The tokens that it was sent with, and what the interceptor said in the end.
    private func sendToNoAvail(_ bench: InterceptorBench<EagerAuthenticator>) async throws -> ([String?], String) {
        let context = bench.context()
        var tokens: [String?] = []
        while tokens.count < 10 {
            let request = try await bench.adapt(context: context)
            tokens.append(request.token)
            let result = await bench.retry(request, context: context)
            if result != "retry" { return (tokens, result) }
        }
        return (tokens, "endless")
    }

    // MARK: One request

    @Test(arguments: [nil, true, false] as [Bool?])
    func aRequestEndsWithTheRefusalOfWhoeverRefusesEverything(comparison: Bool?) async throws {
        let bench = InterceptorBench(EagerAuthenticator(comparison: comparison), Token("0"), window: nil)
        let (tokens, result) = try await sendToNoAvail(bench)
        #expect(result == "doNotRetry")
        // Mistaken, it sends one more with what was refused already.
        #expect(tokens == (comparison == false ? ["0", "0", "1"] : ["0", "1"]))
        #expect(bench.authenticator.refreshCount == 1)
    }

    @Test func aRequestMayGetTheNewerCredentialAndThenAFreshOne() async throws {
        let bench = InterceptorBench(EagerAuthenticator(), Token("new"), window: nil)
        let context = bench.context()
        var old = try RequestMessage("https://api.example.org/")
        try bench.authenticator.apply(Token("old"), to: &old)
        #expect(await bench.retry(old, context: context) == "retry")
        let newer = try await bench.adapt(context: context)
        #expect(await bench.retry(newer, context: context) == "retry")
        let fresh = try await bench.adapt(context: context)
        #expect(await bench.retry(fresh, context: context) == "doNotRetry")
        #expect([newer.token, fresh.token] == ["new", "1"])
    }

    @Test(arguments: [true, false])
    func startsAfreshAfterAnAnswerThatIsNoRefusal(succeeds: Bool) async throws {
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: nil)
        let context = bench.context()
        for number in 1...10 {
            let request = try await bench.adapt(context: context)
            #expect(await bench.retry(request, context: context) == "retry")
            let again = try await bench.adapt(context: context)
            let attempt = bench.attempt(again, succeeds ? .accepted : .serviceUnavailable, context: context)
            let result =
                succeeds
                ? await bench.interceptor.reconsider(attempt)
                : await bench.interceptor.retry(attempt, dueTo: ApusError(.unacceptableStatus, "it is 503"))
            #expect(result.name == "doNotRetry")
            #expect(bench.authenticator.refreshCount == number)
        }
    }

    @Test func goesAgainNoMoreThanThreeTimesForCredentialsFromOutside() async throws {
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: nil)
        let context = bench.context()
        var results: [String] = []
        for number in 1...4 {
            let request = try await bench.adapt(context: context)
            bench.interceptor.credential = Token("outside \(number)")
            results.append(await bench.retry(request, context: context))
        }
        #expect(results == ["retry", "retry", "retry", "doNotRetry"])
    }

    // MARK: All requests

    /// Parity: AF-refresh-window
    @Test func allRequestsTogetherAreBoundedByTheWindow() async throws {
        let window = RefreshWindow(interval: .seconds(30), maximumAttempts: 5)
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: window)
        for _ in 0..<5 {
            #expect(try await sendToNoAvail(bench).1 == "doNotRetry")
            bench.clock.advance(by: .seconds(1))
        }
        let (tokens, result) = try await sendToNoAvail(bench)
        #expect(tokens == ["5"])
        #expect(result == "\(AuthenticationError.excessiveRefresh)")
        // The first began 30 seconds before now, the second 29.
        bench.clock.advance(by: .seconds(25))
        #expect(try await sendToNoAvail(bench).1 == "doNotRetry")
        #expect(try await sendToNoAvail(bench).1 == "\(AuthenticationError.excessiveRefresh)")
        #expect(bench.authenticator.refreshCount == 6)
    }

    /// Parity: AF-refresh-window
    @Test func withoutAWindowThereIsNoBound() async throws {
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: nil)
        for _ in 0..<100 { #expect(try await sendToNoAvail(bench).1 == "doNotRetry") }
        #expect(bench.authenticator.refreshCount == 100)
    }

    @Test(arguments: [0, -1])
    func aWindowOfNothingAllowsNoRefresh(attempts: Int) async throws {
        let window = RefreshWindow(maximumAttempts: attempts)
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: window)
        #expect(try await sendToNoAvail(bench).1 == "\(AuthenticationError.excessiveRefresh)")
    }

    /// Parity: AF-refresh-window
    @Test func theWindowIsFiveRefreshesInThirtySeconds() {
        #expect(RefreshWindow() == RefreshWindow(interval: .seconds(30), maximumAttempts: 5))
    }
}

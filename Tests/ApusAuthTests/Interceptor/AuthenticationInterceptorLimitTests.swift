internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusAuth
@testable internal import ApusCore

/// Issues a new token for each refresh. May misjudge which credential a request carries.
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

    func refresh(_ credential: Token, for session: Session) async throws -> Token {
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
    /// Sends a request to a service that refuses everything until the interceptor stops retrying.
    ///
    /// - Returns: The tokens of all attempts, and the final decision of the interceptor.
    private func sendUntilRefused(_ bench: InterceptorBench<EagerAuthenticator>) async throws -> ([String?], String) {
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
    func stopsIfTheServiceRefusesEverything(comparison: Bool?) async throws {
        let bench = InterceptorBench(EagerAuthenticator(comparison: comparison), Token("0"), window: nil)
        let (tokens, result) = try await sendUntilRefused(bench)
        #expect(result == "doNotRetry")
        // A wrong comparison costs one more attempt with the refused token.
        #expect(tokens == (comparison == false ? ["0", "0", "1"] : ["0", "1"]))
        #expect(bench.authenticator.refreshCount == 1)
    }

    @Test func retriesWithTheNewerCredentialAndThenWithAFreshOne() async throws {
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
    func resetsTheLimitAfterAResponseThatIsNoRefusal(succeeds: Bool) async throws {
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: nil)
        let context = bench.context()
        for number in 1...10 {
            let request = try await bench.adapt(context: context)
            #expect(await bench.retry(request, context: context) == "retry")
            let retried = try await bench.adapt(context: context)
            let attempt = bench.attempt(retried, succeeds ? .accepted : .serviceUnavailable, context: context)
            let result =
                succeeds
                ? await bench.interceptor.reconsider(attempt)
                : await bench.interceptor.retry(attempt, dueTo: ApusError(.unacceptableStatus, "it is 503"))
            #expect(result.name == "doNotRetry")
            #expect(bench.authenticator.refreshCount == number)
        }
    }

    @Test func retriesAtMostThreeTimesForReplacedCredentials() async throws {
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
    @Test func limitsTheRefreshesOfAllRequestsByTheWindow() async throws {
        let window = RefreshWindow(interval: .seconds(30), maximumAttempts: 5)
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: window)
        for _ in 0..<5 {
            #expect(try await sendUntilRefused(bench).1 == "doNotRetry")
            bench.clock.advance(by: .seconds(1))
        }
        let (tokens, result) = try await sendUntilRefused(bench)
        #expect(tokens == ["5"])
        #expect(result == "\(AuthenticationError.excessiveRefresh)")
        // Now the first refresh began 30 seconds ago, the second 29.
        bench.clock.advance(by: .seconds(25))
        #expect(try await sendUntilRefused(bench).1 == "doNotRetry")
        #expect(try await sendUntilRefused(bench).1 == "\(AuthenticationError.excessiveRefresh)")
        #expect(bench.authenticator.refreshCount == 6)
    }

    /// Parity: AF-refresh-window
    @Test func doesNotLimitRefreshesWithoutAWindow() async throws {
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: nil)
        for _ in 0..<100 { #expect(try await sendUntilRefused(bench).1 == "doNotRetry") }
        #expect(bench.authenticator.refreshCount == 100)
    }

    @Test(arguments: [0, -1])
    func allowsNoRefreshWithAWindowOfNoAttempts(attempts: Int) async throws {
        let window = RefreshWindow(maximumAttempts: attempts)
        let bench = InterceptorBench(EagerAuthenticator(), Token("0"), window: window)
        #expect(try await sendUntilRefused(bench).1 == "\(AuthenticationError.excessiveRefresh)")
    }

    /// Parity: AF-refresh-window
    @Test func defaultsToFiveRefreshesInThirtySeconds() {
        #expect(RefreshWindow() == RefreshWindow(interval: .seconds(30), maximumAttempts: 5))
    }
}

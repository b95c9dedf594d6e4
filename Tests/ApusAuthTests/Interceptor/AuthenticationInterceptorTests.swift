internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusAuth
@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterceptorTests {
    private typealias Bench = InterceptorBench<GatedAuthenticator>

    // MARK: Adaptation

    @Test func appliesTheCredentialToEachRequest() async throws {
        let bench = Bench()
        #expect(try await bench.adapt().token == "first")
        bench.interceptor.credential = Token("second")
        #expect(try await bench.adapt().token == "second")
        #expect(bench.interceptor.credential == Token("second"))
        #expect(bench.authenticator.refreshed.isEmpty)
    }

    /// Parity: AF-refresh-protocols
    @Test func leavesRequestsWithoutAuthenticationAlone() async throws {
        let bench = Bench(nil)
        let request = try await bench.adapt("https://open.example.org/")
        #expect(request.fields[.authorization] == nil)
        #expect(await bench.retry(request) == "doNotRetry")
    }

    /// Parity: AF-refresh-missing
    @Test func failsWithoutACredential() async throws {
        let bench = Bench(nil)
        await #expect(throws: AuthenticationError.missingCredential) { try await bench.adapt() }
        #expect(await bench.retry(try bench.sent("gone")) == "\(AuthenticationError.missingCredential)")
        bench.interceptor.credential = Token("first")
        #expect(try await bench.adapt().token == "first")
    }

    @Test func rejectsATokenThatNoFieldCanHold() async throws {
        let bench = Bench(Token("a\r\nCookie: b"))
        await #expect { try await bench.adapt() } throws: { ($0 as? ApusError)?.code == .invalidField }
    }

    /// Parity: AF-refresh-adapt
    @Test func refreshesATokenExpiredByTheClockOfTheSession() async throws {
        let bench = Bench(Token("first", until: Date(timeIntervalSinceReferenceDate: 60)))
        #expect(try await bench.adapt().token == "first")
        bench.clock.advance(by: .seconds(60))
        async let adapted = bench.adapt()
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second", until: Date(timeIntervalSinceReferenceDate: 120)))
        #expect(try await adapted.token == "second")
        #expect(try await bench.adapt().token == "second")
        #expect(bench.authenticator.refreshed.map(\.text) == ["first"])
    }

    @Test func usesARefreshedTokenEvenIfItHasExpired() async throws {
        let past = Date(timeIntervalSinceReferenceDate: -1)
        let bench = Bench(Token("first", until: past), window: RefreshWindow(maximumAttempts: 1))
        async let adapted = bench.adapt()
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second", until: past))
        #expect(try await adapted.token == "second")
        await #expect(throws: AuthenticationError.excessiveRefresh) { try await bench.adapt() }
    }

    // MARK: Retries

    /// Parity: AF-refresh-retry
    @Test(arguments: [nil, .ok, .forbidden, .serviceUnavailable] as [HTTPResponse.Status?])
    func ignoresResponsesThatAreNoRefusal(status: HTTPResponse.Status?) async throws {
        let bench = Bench()
        #expect(await bench.retry(try bench.sent("first"), status) == "doNotRetry")
        if let status { #expect(await bench.reconsider(try bench.sent("first"), status) == "doNotRetry") }
        #expect(bench.authenticator.refreshed.isEmpty)
    }

    /// Parity: AF-refresh-retry
    @Test func retriesARefusedRequestAfterARefresh() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        async let result = bench.retry(request)
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second"))
        #expect(await result == "retry")
        #expect(try await bench.adapt().token == "second")
    }

    /// Parity: AF-refresh-retry
    @Test func checksUnvalidatedResponses() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        async let result = bench.reconsider(request)
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second"))
        #expect(await result == "retry")
        #expect(await bench.reconsider(try bench.sent("second"), .ok) == "doNotRetry")
    }

    /// Parity: AF-refresh-retry
    @Test func retriesARequestWithAnOlderCredentialAtOnce() async throws {
        let bench = Bench(Token("second"))
        #expect(await bench.retry(try bench.sent("first")) == "retry")
        #expect(bench.authenticator.refreshed.isEmpty)
    }

    @Test func refreshesForOthersIfTheBodyCannotBeResent() async throws {
        let bench = Bench()
        let body = RequestBody.once(AsyncStream<BodyChunk>.of("a"))
        guard case .once(let content) = body.storage else { throw RefreshFailure(reason: "it can be read again") }
        _ = try content.open()
        let request = try bench.sent("first", body: body)
        #expect(await bench.retry(request) == "doNotRetry")
        await bench.authenticator.hasBegun()
        async let adapted = bench.adapt()
        bench.authenticator.succeed(Token("second"))
        #expect(try await adapted.token == "second")
        // The request carries an older credential, so no refresh begins.
        #expect(await bench.retry(request) == "doNotRetry")
        #expect(bench.authenticator.refreshed.count == 1)
    }

    @Test func retriesIfTheBodyWasNotRead() async throws {
        let bench = Bench(Token("second"))
        let request = try bench.sent("first", body: .once(AsyncStream<BodyChunk>.of("a")))
        #expect(await bench.retry(request) == "retry")
    }

    // MARK: Secrets

    @Test func revealsNoToken() async throws {
        let bench = Bench(Token("s3cret"))
        var dumped = ""
        dump(bench.interceptor, to: &dumped)
        dump(Token("s3cret"), to: &dumped)
        let token = Token("s3cret")
        let texts = [
            "\(bench.interceptor)", String(reflecting: bench.interceptor), "\(token)", String(reflecting: token),
            "\([token])", dumped,
        ]
        for text in texts { #expect(!text.contains("s3cret")) }
        #expect("\(Bench(nil).interceptor)" == "no credential")
    }

    @Test(arguments: [AuthenticationError.missingCredential, .excessiveRefresh, .refreshCancelled])
    func describesItsErrors(error: AuthenticationError) {
        #expect("\(error)".contains("credential") && !"\(error)".hasSuffix("."))
    }
}

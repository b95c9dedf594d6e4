internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusAuth
@testable internal import ApusCore

/// A task-local value that names the caller of a refresh.
private enum RefreshOrigin {
    @TaskLocal static var name = "nobody"
}

@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterceptorRefreshTests {
    private typealias Bench = InterceptorBench<GatedAuthenticator>

    private let past = Date(timeIntervalSinceReferenceDate: -1)

    /// Runs work `count` times concurrently.
    private func atOnce<Result: Sendable>(
        _ count: Int = 200,
        _ work: @escaping @Sendable () async -> Result
    ) -> Task<[Result], Never> {
        Task {
            await withTaskGroup(of: Result.self) { group in
                for _ in 0..<count { group.addTask { await work() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    // MARK: One refresh

    /// Parity: AF-refresh-adapt
    @Test func refreshesOnceForAllRequestsWithAnExpiredCredential() async throws {
        let bench = Bench(Token("first", until: past))
        let adapted = atOnce { try? await bench.adapt().token }
        await bench.authenticator.hasBegun()
        #expect(await eventually { bench.interceptor.waiterCount == 200 })
        bench.authenticator.succeed(Token("second"))
        #expect(await adapted.value == Array(repeating: "second", count: 200))
        #expect(bench.authenticator.refreshed.count == 1)
    }

    /// Parity: AF-refresh-retry, AF-fault-parallel-refresh
    @Test func refreshesOnceForAllRefusedRequests() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        let results = atOnce { await bench.retry(request) }
        await bench.authenticator.hasBegun()
        #expect(await eventually { bench.interceptor.waiterCount == 200 })
        bench.authenticator.succeed(Token("second"))
        #expect(await results.value == Array(repeating: "retry", count: 200))
        // A request refused later is retried at once, because it carries the old token.
        #expect(await bench.retry(request) == "retry")
        #expect(bench.authenticator.refreshed.count == 1)
    }

    /// A refused request begins the refresh. Requests that are not yet sent must wait, or they would get the old token.
    /// Parity: AF-fault-parallel-refresh
    @Test func appliesNoOldCredentialDuringARefresh() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        let results = atOnce { await bench.retry(request) }
        await bench.authenticator.hasBegun()
        let adapted = atOnce { try? await bench.adapt().token }
        #expect(await eventually { bench.interceptor.waiterCount == 400 })
        bench.authenticator.succeed(Token("second"))
        #expect(await adapted.value == Array(repeating: "second", count: 200))
        #expect(await results.value == Array(repeating: "retry", count: 200))
        #expect(bench.authenticator.refreshed.count == 1)
    }

    @Test func refreshesOnceForEachRevokedToken() async throws {
        let service = RevokingService()
        let bench = InterceptorBench(service, Token("0"), window: nil)
        let send: @Sendable () async -> Int = {
            let context = bench.context()
            for retryCount in 0... {
                guard let request = try? await bench.adapt(context: context) else { break }
                if service.accepts(request) { return retryCount }
                guard await bench.retry(request, context: context) == "retry" else { break }
            }
            return -1
        }
        for round in 1...20 {
            let retryCounts = atOnce(50, send)
            service.revoke()
            #expect(await retryCounts.value.allSatisfy { $0 == 0 || $0 == 1 })
            // All requests may have been sent before the token was revoked. Then this one refreshes.
            #expect(await send() >= 0)
            #expect(service.refreshCount == round)
        }
        #expect(bench.interceptor.waiterCount == 0)
    }

    // MARK: Failure

    /// Parity: AF-refresh-failure, AF-refresh-kept
    @Test func failsAllWaitingRequestsAndRefreshesAgainLater() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        let results = atOnce { await bench.retry(request) }
        await bench.authenticator.hasBegun()
        let adapted = atOnce { () async -> RefreshFailure? in
            do {
                _ = try await bench.adapt()
                return nil
            } catch {
                return error as? RefreshFailure
            }
        }
        #expect(await eventually { bench.interceptor.waiterCount == 400 })
        bench.authenticator.fail(RefreshFailure())
        #expect(await results.value == Array(repeating: "\(RefreshFailure())", count: 200))
        #expect(await adapted.value == Array(repeating: RefreshFailure(), count: 200))
        // The credential is unchanged, and the next refused request refreshes it.
        #expect(try await bench.adapt().token == "first")
        async let result = bench.retry(request)
        await bench.authenticator.hasBegun(2)
        bench.authenticator.succeed(Token("second"))
        #expect(await result == "retry")
    }

    @Test func refreshesAgainBeforeTheNextRequestIsSent() async throws {
        let bench = Bench(Token("first", until: past))
        let failed = Task { try await bench.adapt() }
        await bench.authenticator.hasBegun()
        bench.authenticator.fail(RefreshFailure())
        await #expect(throws: RefreshFailure()) { try await failed.value }
        async let adapted = bench.adapt()
        await bench.authenticator.hasBegun(2)
        bench.authenticator.succeed(Token("second"))
        #expect(try await adapted.token == "second")
    }

    @Test func reportsTheErrorOfTheRefreshAsACause() async throws {
        let bench = Bench(Token("first", until: past))
        let adapted = Task { try await bench.adapt() }
        await bench.authenticator.hasBegun()
        let response = HTTPResponse(status: .badRequest)
        bench.authenticator.fail(ApusError(.unacceptableStatus, "it is 400").with(response: response))
        await #expect {
            try await adapted.value
        } throws: {
            let error = $0 as? ApusError
            let cause = error?.underlying as? ApusError
            return error?.code == .adaptationFailed && error?.response == nil && cause?.responseCode == 400
        }
    }

    @Test(arguments: [true, false])
    func reportsACancelledRefreshAsItsOwnError(byTask: Bool) async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        async let result = bench.retry(request)
        await bench.authenticator.hasBegun()
        let error: any Error = byTask ? CancellationError() : ApusError(.cancelled, "somebody did")
        bench.authenticator.fail(error)
        #expect(await result == "\(AuthenticationError.refreshCancelled)")
    }

    // MARK: Cancellation

    @Test func releasesOnlyCancelledRequests() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        let patient = atOnce(10) { await bench.retry(request) }
        await bench.authenticator.hasBegun()
        let adapting = atOnce(10) { (try? await bench.adapt())?.token ?? "gave up" }
        let refused = atOnce(10) { await bench.retry(request) }
        #expect(await eventually { bench.interceptor.waiterCount == 30 })
        adapting.cancel()
        refused.cancel()
        #expect(await adapting.value == Array(repeating: "gave up", count: 10))
        #expect(await refused.value == Array(repeating: "doNotRetry", count: 10))
        #expect(bench.interceptor.waiterCount == 10)
        bench.authenticator.succeed(Token("second"))
        #expect(await patient.value == Array(repeating: "retry", count: 10))
    }

    @Test func keepsTheRefreshedTokenIfAllRequestsAreCancelled() async throws {
        let bench = Bench(Token("first", until: past))
        let adapting = Task { try await bench.adapt() }
        await bench.authenticator.hasBegun()
        adapting.cancel()
        await #expect(throws: CancellationError.self) { try await adapting.value }
        bench.authenticator.succeed(Token("second"))
        #expect(await eventually { bench.interceptor.credential == Token("second") })
        #expect(try await bench.adapt().token == "second")
    }

    @Test func beginsNoRefreshForACancelledTask() async throws {
        let bench = Bench(Token("first", until: past))
        let request = try bench.sent("first")
        let work = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try? await bench.adapt()
            return await bench.retry(request)
        }
        #expect(await work.value == "doNotRetry")
        #expect(bench.authenticator.refreshed.isEmpty)
    }

    // MARK: Credentials set by the caller

    /// Parity: AF-refresh-outside
    @Test func prefersACredentialSetDuringARefresh() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        let results = atOnce(10) { await bench.retry(request) }
        await bench.authenticator.hasBegun()
        let adapted = atOnce(10) { try? await bench.adapt().token }
        #expect(await eventually { bench.interceptor.waiterCount == 20 })
        let overtaken = try #require(bench.interceptor.running.first)
        bench.interceptor.credential = Token("outside")
        // The requests do not wait for the refresh to end.
        #expect(await adapted.value == Array(repeating: "outside", count: 10))
        #expect(await results.value == Array(repeating: "retry", count: 10))
        bench.authenticator.succeed(Token("second"))
        await overtaken.end.value
        #expect(try await bench.adapt().token == "outside")
    }

    @Test func ignoresARefreshAfterSigningOut() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        async let result = bench.retry(request)
        await bench.authenticator.hasBegun()
        let adapted = Task { try await bench.adapt() }
        #expect(await eventually { bench.interceptor.waiterCount == 2 })
        let overtaken = try #require(bench.interceptor.running.first)
        bench.interceptor.credential = nil
        #expect(await result == "\(AuthenticationError.missingCredential)")
        await #expect(throws: AuthenticationError.missingCredential) { try await adapted.value }
        bench.authenticator.succeed(Token("second"))
        await overtaken.end.value
        #expect(bench.interceptor.credential == nil)
    }

    @Test func refreshesACredentialThatWasSetDuringARefresh() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        async let first = bench.retry(request)
        await bench.authenticator.hasBegun()
        let overtaken = try #require(bench.interceptor.running.first)
        bench.interceptor.credential = Token("outside")
        #expect(await first == "retry")
        let other = try bench.sent("outside")
        async let second = bench.retry(other)
        await bench.authenticator.hasBegun(2)
        bench.authenticator.succeed(Token("of the first refresh"))
        await overtaken.end.value
        bench.authenticator.succeed(Token("third"))
        #expect(await second == "retry")
        #expect(bench.interceptor.credential == Token("third"))
        #expect(bench.authenticator.refreshed.map(\.text) == ["first", "outside"])
    }

    // MARK: Task of a refresh

    @Test func refreshesWithTheTaskLocalValuesOfTheCaller() async throws {
        let names = Lock<[String]>([])
        let authenticator = GatedAuthenticator { names.withLock { $0.append(RefreshOrigin.name) } }
        let bench = InterceptorBench(authenticator, Token("first", until: past))
        async let adapted = RefreshOrigin.$name.withValue("the adapted") { try await bench.adapt() }
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second"))
        _ = try await adapted
        let request = try bench.sent("second")
        async let result = RefreshOrigin.$name.withValue("the refused") { await bench.retry(request) }
        await bench.authenticator.hasBegun(2)
        bench.authenticator.succeed(Token("third"))
        #expect(await result == "retry")
        #expect(names.withLock { $0 } == ["the adapted", "the refused"])
    }

    /// Otherwise the refresh would wait for itself.
    /// Parity: AF-refresh-own
    @Test func leavesRequestsOfARefreshUnchanged() async throws {
        let own = Lock<(tokens: [String?], results: [String])>(([], []))
        let bench = Bench.refreshing { bench in
            let request = try await Task { try await bench.adapt() }.value
            let result = await bench.retry(request)
            own.withLock {
                $0.tokens.append(request.token)
                $0.results.append(result)
            }
        }
        let request = try bench.sent("first")
        async let result = bench.retry(request)
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second"))
        #expect(await result == "retry")
        #expect(own.withLock { $0.tokens } == [nil])
        #expect(own.withLock { $0.results } == ["doNotRetry"])
    }

    /// The credential is replaced or removed during the refresh.
    @Test(arguments: [Token("outside"), nil])
    func leavesRequestsOfASupersededRefreshUnchanged(outside: Token?) async throws {
        let own = Lock<(tokens: [String?], results: [String])>(([], []))
        let bench = Bench.refreshing { bench in
            bench.interceptor.credential = outside
            let request = try await bench.adapt()
            var atOnce = request
            let isAdapted = try bench.interceptor.adaptNow(&atOnce, context: bench.context())
            let result = await bench.retry(request)
            own.withLock {
                $0.tokens += [request.token, isAdapted ? atOnce.token ?? "none" : nil]
                $0.results.append(result)
            }
        }
        let request = try bench.sent("first")
        let result = await bench.retry(request)
        #expect(result == (outside == nil ? "\(AuthenticationError.missingCredential)" : "retry"))
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second"))
        #expect(own.withLock { $0.tokens } == [nil, "none"])
        #expect(own.withLock { $0.results } == ["doNotRetry"])
    }

    @Test func authenticatesRequestsOfTasksThatOutliveARefresh() async throws {
        let own = Lock<Task<String?, any Error>?>(nil)
        let isOver = Deferred<Void>()
        let bench = Bench.refreshing { bench in
            let left = Task {
                await isOver.value
                return try await bench.adapt().token
            }
            own.withLock { $0 = left }
        }
        let request = try bench.sent("first")
        async let result = bench.retry(request)
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second"))
        #expect(await result == "retry")
        isOver.fulfill(())
        #expect(try await own.withLock { $0 }?.value == "second")
    }
}

/// A service that accepts one token at a time and refreshes without waiting for the test.
private final class RevokingService: Authenticator {
    private let state = Lock((valid: 0, refreshes: 0))

    var refreshCount: Int { state.withLock { $0.refreshes } }

    /// Invalidates the current token.
    func revoke() { state.withLock { $0.valid += 1 } }

    func accepts(_ request: RequestMessage) -> Bool {
        state.withLock { $0.valid == request.token.flatMap { Int($0) } }
    }

    func apply(_ credential: Token, to request: inout RequestMessage) throws {
        try request.fields.set(checking: "Authorization", "Bearer \(credential.text)")
    }

    func refresh(_ credential: Token, for session: Session) async throws -> Token {
        await Task.yield()
        return state.withLock { state in
            state.refreshes += 1
            return Token("\(state.valid)")
        }
    }
}

extension InterceptorBench<GatedAuthenticator> {
    /// Returns a bench with the token `first`. Its first refresh calls `prelude` before it waits for the test.
    fileprivate static func refreshing(_ prelude: @escaping @Sendable (Self) async throws -> Void) -> Self {
        let own = Lock<Self?>(nil)
        let authenticator = GatedAuthenticator {
            // Removed to avoid a reference cycle.
            guard let bench = own.withLock({ $0.take() }) else { return }
            try await prelude(bench)
        }
        let bench = Self(authenticator, Token("first"))
        own.withLock { $0 = bench }
        return bench
    }
}

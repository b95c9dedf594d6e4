internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusAuth
@testable internal import ApusCore

/// Where a test's refreshes come from.
private enum Origins {
    @TaskLocal static var name = "nobody"
}

@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterceptorRefreshTests {
    private typealias Bench = InterceptorBench<GatedAuthenticator>

    private let past = Date(timeIntervalSinceReferenceDate: -1)

    /// Runs something so often at once.
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
    @Test func refreshesOnceForAllThatFindTheirCredentialExpired() async throws {
        let bench = Bench(Token("first", until: past))
        let adapted = atOnce { try? await bench.adapt().token }
        await bench.authenticator.hasBegun()
        #expect(await eventually { bench.interceptor.waiterCount == 200 })
        bench.authenticator.succeed(Token("second"))
        #expect(await adapted.value == Array(repeating: "second", count: 200))
        #expect(bench.authenticator.refreshed.count == 1)
    }

    /// Parity: AF-refresh-retry, AF-fault-parallel-refresh
    @Test func refreshesOnceForAllThatAreRefused() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        let results = atOnce { await bench.retry(request) }
        await bench.authenticator.hasBegun()
        #expect(await eventually { bench.interceptor.waiterCount == 200 })
        bench.authenticator.succeed(Token("second"))
        #expect(await results.value == Array(repeating: "retry", count: 200))
        // Those whose refusal came late know it by their token.
        #expect(await bench.retry(request) == "retry")
        #expect(bench.authenticator.refreshed.count == 1)
    }

    /// Those that were refused began the refresh, so those that are not sent yet would get the old token if nobody held them.
    /// Parity: AF-fault-parallel-refresh
    @Test func givesNoOldCredentialWhileARefreshIsUnderWay() async throws {
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

    @Test func refreshesOnceForEachTokenThatGoesBad() async throws {
        let service = RevokingService()
        let bench = InterceptorBench(service, Token("0"), window: nil)
        let send: @Sendable () async -> Int = {
            let context = bench.context()
            for turn in 0... {
                guard let request = try? await bench.adapt(context: context) else { break }
                if service.accepts(request) { return turn }
                guard await bench.retry(request, context: context) == "retry" else { break }
            }
            return -1
        }
        for round in 1...20 {
            let turns = atOnce(50, send)
            service.revoke()
            #expect(await turns.value.allSatisfy { $0 == 0 || $0 == 1 })
            // Where all of them were in time.
            #expect(await send() >= 0)
            #expect(service.refreshCount == round)
        }
        #expect(bench.interceptor.waiterCount == 0)
    }

    // MARK: Failure

    /// Parity: AF-refresh-failure, AF-refresh-kept
    @Test func failsAllWhoWaitAndThenTriesAnew() async throws {
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
        // The credential stays what it was, and is refreshed anew by whoever is refused next.
        #expect(try await bench.adapt().token == "first")
        async let result = bench.retry(request)
        await bench.authenticator.hasBegun(2)
        bench.authenticator.succeed(Token("second"))
        #expect(await result == "retry")
    }

    @Test func triesAnewBeforeTheNextRequestIsSent() async throws {
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

    @Test func tellsTheErrorOfAnotherRequestAsACause() async throws {
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
    func saysThatTheRefreshWasCancelledAndNotTheRequest(byTask: Bool) async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        async let result = bench.retry(request)
        await bench.authenticator.hasBegun()
        let error: any Error = byTask ? CancellationError() : ApusError(.cancelled, "somebody did")
        bench.authenticator.fail(error)
        #expect(await result == "\(AuthenticationError.refreshCancelled)")
    }

    // MARK: Giving up

    @Test func whoIsCancelledWaitsNoLongerAndTheOthersDo() async throws {
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

    @Test func keepsWhatARefreshGaveThoughAllHaveGivenUp() async throws {
        let bench = Bench(Token("first", until: past))
        let adapting = Task { try await bench.adapt() }
        await bench.authenticator.hasBegun()
        adapting.cancel()
        await #expect(throws: CancellationError.self) { try await adapting.value }
        bench.authenticator.succeed(Token("second"))
        #expect(await eventually { bench.interceptor.credential == Token("second") })
        #expect(try await bench.adapt().token == "second")
    }

    @Test func beginsNothingForWhoIsCancelledAlready() async throws {
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

    // MARK: A credential from outside

    /// Parity: AF-refresh-outside
    @Test func aCredentialFromOutsideCountsInsteadOfTheRefreshed() async throws {
        let bench = Bench()
        let request = try bench.sent("first")
        let results = atOnce(10) { await bench.retry(request) }
        await bench.authenticator.hasBegun()
        let adapted = atOnce(10) { try? await bench.adapt().token }
        #expect(await eventually { bench.interceptor.waiterCount == 20 })
        let overtaken = try #require(bench.interceptor.running.first)
        bench.interceptor.credential = Token("outside")
        // Nobody waits for the refresh to end.
        #expect(await adapted.value == Array(repeating: "outside", count: 10))
        #expect(await results.value == Array(repeating: "retry", count: 10))
        bench.authenticator.succeed(Token("second"))
        await overtaken.end.value
        #expect(try await bench.adapt().token == "outside")
    }

    @Test func whoSignsOutIsNotSignedInAgainByARefresh() async throws {
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

    @Test func aCredentialFromOutsideIsRefreshedInItsTurn() async throws {
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

    // MARK: The task of a refresh

    @Test func refreshesWithTheTaskLocalValuesOfWhoNeededIt() async throws {
        let names = Lock<[String]>([])
        let authenticator = GatedAuthenticator { names.withLock { $0.append(Origins.name) } }
        let bench = InterceptorBench(authenticator, Token("first", until: past))
        async let adapted = Origins.$name.withValue("the adapted") { try await bench.adapt() }
        await bench.authenticator.hasBegun()
        bench.authenticator.succeed(Token("second"))
        _ = try await adapted
        let request = try bench.sent("second")
        async let result = Origins.$name.withValue("the refused") { await bench.retry(request) }
        await bench.authenticator.hasBegun(2)
        bench.authenticator.succeed(Token("third"))
        #expect(await result == "retry")
        #expect(names.withLock { $0 } == ["the adapted", "the refused"])
    }

    /// Else it would wait for itself.
    /// Parity: AF-refresh-own
    @Test func sendsTheRequestsOfARefreshAsTheyAre() async throws {
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

    /// Somebody signs in, or out, while it runs.
    @Test(arguments: [Token("outside"), nil])
    func sendsTheRequestsOfAnOvertakenRefreshAsTheyAre(outside: Token?) async throws {
        let own = Lock<(tokens: [String?], results: [String])>(([], []))
        let bench = Bench.refreshing { bench in
            bench.interceptor.credential = outside
            let request = try await bench.adapt()
            var atOnce = request
            let isAdapted = try bench.interceptor.adaptAtOnce(&atOnce, context: bench.context())
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

    @Test func whatARefreshLeavesBehindIsNoPartOfItAnyMore() async throws {
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

/// A service that lets one token in, and refreshes by itself.
private final class RevokingService: Authenticator {
    private let state = Lock((valid: 0, refreshes: 0))

    var refreshCount: Int { state.withLock { $0.refreshes } }

    /// The token that was given out last is no good any more.
    func revoke() { state.withLock { $0.valid += 1 } }

    func accepts(_ request: RequestMessage) -> Bool {
        state.withLock { $0.valid == request.token.flatMap { Int($0) } }
    }

    func apply(_ credential: Token, to request: inout RequestMessage) throws {
        try request.fields.set(checking: "Authorization", "Bearer \(credential.text)")
    }

    func refresh(_ credential: Token) async throws -> Token {
        await Task.yield()
        return state.withLock { state in
            state.refreshes += 1
            return Token("\(state.valid)")
        }
    }
}

extension InterceptorBench<GatedAuthenticator> {
    /// A bench with the token `first`, whose refresh asks the interceptor itself before it stops.
    fileprivate static func refreshing(_ prelude: @escaping @Sendable (Self) async throws -> Void) -> Self {
        let own = Lock<Self?>(nil)
        let authenticator = GatedAuthenticator {
            // Taken out, or it would keep itself alive.
            guard let bench = own.withLock({ $0.take() }) else { return }
            try await prelude(bench)
        }
        let bench = Self(authenticator, Token("first"))
        own.withLock { $0 = bench }
        return bench
    }
}

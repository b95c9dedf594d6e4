internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Requests that code of the program builds for each attempt, and that cannot always be built.
@Suite(.timeLimit(.minutes(5))) struct RequestTaskBuildingTests {
    private struct NoToken: Error {}

    /// A request that fails to be built in some attempts to build it.
    private final class Router: RequestConvertible {
        private let failing: Set<Int>
        private let calls = Lock(0)

        init(failing: Set<Int>) { self.failing = failing }

        var count: Int { calls.withLock { $0 } }

        func asRequest() throws -> RequestMessage {
            let number = calls.withLock { calls in
                defer { calls += 1 }
                return calls
            }
            if failing.contains(number) { throw NoToken() }
            return try RequestMessage("http://h/\(number)")
        }
    }

    private struct Rebuilding: RequestRetrier {
        let result: RetryResult
        var limit = 5
        let offered = LockedList<ApusError>()

        func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult { .doNotRetry }

        func retryCreation(dueTo error: ApusError, context: RequestContext) async -> RetryResult {
            offered.append(error)
            return context.retryCount < limit ? result : .doNotRetry
        }
    }

    private func session(
        _ retriers: [any RequestRetrier],
        status: HTTPResponse.Status = .ok,
        _ configure: (inout Session.Configuration) -> Void = { _ in }
    ) -> TestSession {
        TestSession(configuring: {
            $0.interceptor = Interceptor(retriers: retriers)
            configure(&$0)
        }) { request in
            MockResponse(status: request.target.path == "/0" ? status : .ok, body: request.target.path)
        }
    }

    /// Parity: AF-stage-retriers
    @Test func buildsARequestAgainIfARetrierAsksForIt() async throws {
        let (router, retrier) = (Router(failing: [0, 1, 2]), Rebuilding(result: .retry))
        let test = session([retrier])
        let request = test.session.request(router)
        #expect(try await request.serializingString().value == "/3")
        #expect(
            retrier.offered.all.map(\.code) == [.requestBuildingFailed, .requestBuildingFailed, .requestBuildingFailed]
        )
        #expect(retrier.offered.all.allSatisfy { $0.underlying is NoToken })
        #expect(request.retryCount == 3)
        let names = test.names(of: request).filter { ["created", "creationFailed", "retrying"].contains($0) }
        #expect(names == Array(repeating: ["creationFailed", "retrying"], count: 3).flatMap { $0 } + ["created"])
        try await assertNothingLeft(test.session)
    }

    @Test func endsWithTheErrorIfNoRetrierAsks() async throws {
        let (router, retrier) = (Router(failing: [0, 1, 2, 3]), Rebuilding(result: .retry, limit: 2))
        let test = session([RetryPolicy(), retrier])
        let request = test.session.request(router)
        let error = await request.serializingString().response.error
        #expect(error?.code == .requestBuildingFailed)
        #expect(router.count == 3)
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func asksNoRetrierForARequestThatIsBuiltInAdvance() async throws {
        let retrier = Rebuilding(result: .retry)
        let test = session([retrier])
        #expect(await test.session.request("no URL").serializingString().response.error?.code == .invalidURL)
        let direct = await failure { try await test.session.send(Router(failing: [0])) }
        #expect(direct?.code == .requestBuildingFailed)
        #expect(retrier.offered.all.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func asksTheRetriersOfTheHandle() async throws {
        let test = session([])
        let request = test.session.request(Router(failing: [0])).retry(using: Rebuilding(result: .retry))
        #expect(try await request.serializingString().value == "/1")
        try await assertNothingLeft(test.session)
    }

    @Test func buildsALaterAttemptAgain() async throws {
        let retrier = Rebuilding(result: .retry)
        let test = session([RetryPolicy(), retrier], status: .serviceUnavailable)
        let request = test.session.request(Router(failing: [1, 2])).validate()
        let task = Task { try await request.serializingString().value }
        #expect(await eventually { test.clock.sleeperCount > 0 })
        test.clock.advance(by: .seconds(60))
        #expect(try await task.value == "/3")
        #expect(retrier.offered.all.count == 2)
        #expect(request.retryCount == 3)
        try await assertNothingLeft(test.session)
    }

    @Test func endsWithTheErrorOfTheRetrier() async throws {
        struct Stop: Error {}
        let test = session([Rebuilding(result: .doNotRetryWithError(Stop()))])
        let error = await test.session.request(Router(failing: [0])).serializingString().response.error
        #expect(error?.code == .retryFailed)
        let cause = error?.underlying as? RetryFailure
        #expect(cause?.retryError is Stop)
        #expect(cause?.originalError?.code == .requestBuildingFailed)
        try await assertNothingLeft(test.session)
    }

    @Test func holdsNoSlotDuringTheDelay() async throws {
        let test = session([Rebuilding(result: .retryWithDelay(.seconds(10)))]) { $0.requestsInFlight = 1 }
        let request = test.session.request(Router(failing: [0]))
        let task = Task { try await request.serializingString().value }
        #expect(await eventually { test.clock.sleeperCount > 0 })
        #expect(try await test.get("http://h/other").string() == "/other")
        test.clock.advance(by: .seconds(10))
        #expect(try await task.value == "/1")
        try await assertNothingLeft(test.session)
    }

    private enum End: CaseIterable { case cancel, shutdown }

    @Test(arguments: End.allCases) private func endsDuringTheDelay(by end: End) async throws {
        let test = session([Rebuilding(result: .retryWithDelay(.seconds(10)))])
        let request = test.session.request(Router(failing: [0]))
        let task = Task { await request.serializingString().response.error }
        #expect(await eventually { test.clock.sleeperCount > 0 })
        switch end {
        case .cancel: request.cancel()
        case .shutdown: await test.session.shutdown(within: .zero)
        }
        let error = await task.value
        #expect(error?.code == (end == .cancel ? .cancelled : .sessionShutDown))
        #expect((error?.underlying as? ApusError)?.code == .requestBuildingFailed)
        try await assertNothingLeft(test.session)
    }

    @Test func doesNotWaitBeyondTheDeadline() async throws {
        let test = session([Rebuilding(result: .retryWithDelay(.seconds(10)))]) { $0.timeouts.request = .seconds(5) }
        let error = await test.session.request(Router(failing: [0])).serializingString().response.error
        #expect(error?.code == .requestBuildingFailed)
        try await assertNothingLeft(test.session)
    }

    @Test func completesEachOfManyRequests() async throws {
        let retrier = Rebuilding(result: .retry)
        let test = session([retrier]) { $0.requestsInFlight = 4 }
        let session = test.session
        let failures = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let router = Router(failing: Set(0..<(number % 5)))
                    return (try? await session.request(router).serializingString().value) != "/\(number % 5)"
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 0)
        try await assertNothingLeft(session)
    }
}

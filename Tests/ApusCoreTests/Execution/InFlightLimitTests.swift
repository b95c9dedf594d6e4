internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct InFlightLimitTests {
    @Test func sends256RequestsAtOnceByDefault() async throws {
        #expect(Session.Configuration().requestsInFlight == 256)
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        var tasks = (0..<256).map { test.session.request("http://h/\($0)").serializingString() }
        #expect(test.session.requestCounts == (256, 0))
        tasks.append(test.session.request("http://h/256").serializingString())
        #expect(test.session.requestCounts == (256, 1))
        #expect(await eventually { test.transport.requests.count == 256 })
        barrier.open()
        for task in tasks { #expect(try await task.value == "ok") }
        #expect(test.transport.requests.last?.target.path == "/256")
        try await assertNothingLeft(test.session)
    }

    @Test func admitsRequestsInStartOrder() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
        let tasks = (0..<50).map { test.session.request("http://h/\($0)").serializingString() }
        await barrier.reached()
        #expect(test.session.requestCounts == (1, 49))
        barrier.open()
        for task in tasks { #expect(try await task.value == "ok") }
        #expect(test.transport.requests.map(\.target.path) == (0..<50).map { "/\($0)" })
        try await assertNothingLeft(test.session)
    }

    @Test func queuesHandlesDirectCallsAndStreams() async throws {
        let barrier = Barrier()
        let test = TestSession {
            $0.requestsInFlight = 1
        } responding: { _ in
            await barrier.pass()
            return MockResponse(chunks: [BodyChunk("o"), BodyChunk("k")])
        }
        let handle = test.session.request("http://h/1").serializingString()
        await barrier.reached()
        async let direct = test.session.get("http://h/2")
        #expect(await eventually { test.session.requestCounts == (1, 1) })
        async let streamed = test.session.stream("http://h/3")
        #expect(await eventually { test.session.requestCounts == (1, 2) })
        barrier.open()
        #expect(try await handle.value == "ok")
        #expect(try await direct.string() == "ok")
        let response = try await streamed
        #expect(test.session.requestCounts == (1, 0))
        for try await _ in response.body {}
        #expect(test.session.requestCounts == (0, 0))
        #expect(test.transport.requests.map(\.target.path) == ["/1", "/2", "/3"])
        try await assertNothingLeft(test.session)
    }

    @Test func doesNoWorkForAQueuedRequest() async throws {
        let barrier = Barrier()
        let seen = LockedList<String>()
        let test = TestSession {
            $0.requestsInFlight = 1
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    seen.append(request.target.path)
                    return try await next(request, context: context)
                }
            ]
        } responding: { _ in
            await barrier.pass()
            return MockResponse(body: "ok")
        }
        let first = test.session.request("http://h/1").serializingString()
        await barrier.reached()
        let second = test.session.request("http://h/2")
        let queued = second.serializingString()
        #expect(test.names(of: second) == ["resumed"])
        #expect(seen.all == ["/1"])
        #expect(test.session.liveCounts["tasks"] == 1)
        barrier.open()
        #expect(try await first.value == "ok")
        #expect(try await queued.value == "ok")
        try await assertNothingLeft(test.session)
    }

    // MARK: Requests without a slot

    /// A middleware's requests on its own session need no slot: the outer request holds one and waits for them.
    @Test(arguments: [HandlerExecution.concurrent, .eventLoop])
    func admitsRequestsOfAMiddlewareAboveTheLimit(handlerExecution: HandlerExecution) async throws {
        let sessionBox = LockedValue<Session?>(nil)
        let middleware = ClosureMiddleware { request, context, next in
            if request.target.path == "/" { _ = try await sessionBox.value?.get("http://h/token") }
            return try await next(request, context: context)
        }
        let test = TestSession.configured {
            $0.requestsInFlight = 1
            $0.handlerExecution = handlerExecution
            $0.middleware = [middleware]
        }
        let session = test.session
        sessionBox.value = session
        #expect(try await session.get("http://h/").status == .ok)
        #expect(try await session.request("http://h/").serializingString().value == "ok")
        #expect(test.transport.requests.map(\.target.path) == ["/token", "/", "/token", "/"])
        sessionBox.value = nil
        try await assertNothingLeft(session)
    }

    /// Returns a session whose adapter runs `work` before each request for `/`.
    private func adaptingSession(
        limit: Int,
        _ barrier: Barrier,
        _ work: @escaping @Sendable () async throws -> Void
    ) -> TestSession {
        TestSession(
            configuring: {
                $0.requestsInFlight = limit
                $0.interceptor = Interceptor(adapters: [
                    Adapter { request, _ in
                        if request.target.path == "/" { try await work() }
                        return request
                    }
                ])
            },
            responding: { request in
                if request.target.path == "/held" { try await barrier.passUnlessCancelled() }
                return MockResponse(body: "ok")
            }
        )
    }

    @Test func queuesRequestsMadeByAnotherSessionsAdapter() async throws {
        let barrier = Barrier()
        let other = adaptingSession(limit: 1, barrier) {}
        let held = other.session.request("http://h/held").serializingString()
        await barrier.reached()
        let waiting = LockedValue<DataTask<String>?>(nil)
        let test = adaptingSession(limit: 1, barrier) {
            waiting.value = other.session.request("http://h/second").serializingString()
        }
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(other.session.requestCounts == (1, 1))
        barrier.open()
        #expect(try await held.value == "ok")
        #expect(try await waiting.value?.value == "ok")
        try await assertNothingLeft(test.session)
        try await assertNothingLeft(other.session)
    }

    /// A request of the first session waits for one of the second, which waits for another one of the first.
    @Test func admitsReentrantRequestsMadeThroughAnotherSession() async throws {
        let first = LockedValue<Session?>(nil)
        let other = adaptingSession(limit: 1, Barrier()) { _ = try await first.value?.get("http://h/token") }
        let test = adaptingSession(limit: 1, Barrier()) { _ = try await other.session.get("http://h/") }
        first.value = test.session
        #expect(try await test.session.get("http://h/").status == .ok)
        #expect(test.transport.requests.map(\.target.path) == ["/token", "/"])
        first.value = nil
        try await assertNothingLeft(test.session)
        try await assertNothingLeft(other.session)
    }
}

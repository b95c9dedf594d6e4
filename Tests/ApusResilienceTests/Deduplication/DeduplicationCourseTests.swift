internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

/// Shared exchanges beside unsafe requests, redirects, hedges and middleware that sends requests.
@Suite(.timeLimit(.minutes(5))) struct DeduplicationCourseTests {
    @Test func joinsNoExchangeFromBeforeAnUnsafeRequest() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let isChanged = LockedValue(false)
        let test = TestSession(deduplication) { request in
            guard request.method == .get else {
                isChanged.value = true
                return MockResponse()
            }
            let body = isChanged.value ? "new" : "old"
            if body == "old" { try await barrier.passUnlessCancelled() }
            return MockResponse(body: body)
        }
        let early = test.startGet("http://h/a")
        await barrier.reached()
        let joined = test.startGet("http://h/a")
        #expect(await eventually { deduplication.counts == (1, 2) })
        _ = try await test.session.post("http://h/b")
        #expect(try await test.get("http://h/a").string() == "new")
        barrier.open()
        #expect(try await early.value.string() == "old")
        #expect(try await joined.value.string() == "old")
        #expect(test.paths == ["/a", "/b", "/a"])
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [("http://i/b", HTTPRequest.Method.post), ("http://h/b", .options)])
    func joinsAnExchangeAfterAnUnrelatedRequest(url: String, method: HTTPRequest.Method) async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = TestSession(deduplication) { request in
            if request.method == .get { try await barrier.passUnlessCancelled() }
            return MockResponse(body: "ok")
        }
        let early = test.startGet("http://h/a")
        #expect(await eventually { test.requestCount == 1 })
        _ = try await test.session.send(RequestMessage(url, method: method))
        let late = test.startGet("http://h/a")
        #expect(await eventually { deduplication.counts == (1, 2) })
        barrier.open()
        #expect(try await early.value.string() == "ok")
        #expect(try await late.value.string() == "ok")
        #expect(test.requestCount == 2)
    }

    // MARK: Redirects

    /// Returns a session that redirects `/` to `/x`, which responds once the barrier is open.
    private func redirecting(_ barrier: Barrier, configure: (inout Session.Configuration) -> Void) -> TestSession {
        let transport = MockTransport { request in
            guard request.target.path != "/" else {
                return MockResponse(status: .found, fields: [.location: "/x"])
            }
            try await barrier.passUnlessCancelled()
            return MockResponse(body: "there")
        }
        return TestSession(over: transport, configuring: configure)
    }

    @Test func sharesWholeRequestsWithTheirRedirects() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = redirecting(barrier) { $0.middleware = [deduplication] }
        let first = test.startGet("http://h/")
        #expect(await eventually { test.requestCount == 2 })
        let second = test.startGet("http://h/")
        #expect(await eventually { deduplication.counts == (1, 2) })
        barrier.open()
        for request in [first, second] {
            let response = try await request.value
            #expect(try response.string() == "there")
            #expect(response.target.path == "/x")
            #expect(response.redirects.map { $0.fields[.location] } == ["/x"])
        }
        #expect(test.paths == ["/", "/x"])
        try await assertNothingLeft(test.session)
    }

    @Test func sharesTheExchangeThatARedirectLeadsTo() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = redirecting(barrier) { $0.networkMiddleware = [deduplication] }
        let direct = test.startGet("http://h/x")
        #expect(await eventually { test.requestCount == 1 })
        let redirected = test.startGet("http://h/")
        #expect(await eventually { deduplication.counts == (1, 2) })
        barrier.open()
        #expect(try await direct.value.redirects.isEmpty)
        let response = try await redirected.value
        #expect(try response.string() == "there")
        #expect(response.target.path == "/x")
        #expect(response.redirects.count == 1)
        #expect(response.metrics.exchanges.map(\.target.path) == ["/"])
        #expect(test.paths == ["/x", "/"])
        try await assertNothingLeft(test.session)
    }

    // MARK: Other middleware

    @Test func joinsNoHedge() async throws {
        let hedging = Hedging(share: 1, fallbackDelay: .milliseconds(500))
        let deduplication = Deduplication()
        let count = LockedValue(0)
        let transport = MockTransport { _ in
            if count.increased(by: 1) == 1 { try await Barrier().passUnlessCancelled() }
            return MockResponse(body: "ok")
        }
        let test = TestSession(over: transport) {
            $0.middleware = [hedging]
            $0.networkMiddleware = [deduplication]
        }
        let request = test.startGet("http://h/")
        await test.clock.waitForSleepers(1)
        #expect(await eventually { test.requestCount == 1 })
        test.clock.advance(by: .milliseconds(500))
        let response = try await request.value
        #expect(try response.string() == "ok")
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .hedge])
        #expect(deduplication.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    @Test func takesOnePermitForAllRequests() async throws {
        let deduplication = Deduplication()
        let limiter = ConcurrencyLimiter(1)
        let barrier = Barrier()
        let test = TestSession(deduplication, limiter) { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse(chunks: [BodyChunk("o"), BodyChunk("k")])
        }
        let requests = (0..<5).map { _ in test.startGet("http://h/") }
        #expect(await eventually { deduplication.counts == (1, 5) })
        #expect(await eventually { limiter.counts == (1, 0) })
        barrier.open()
        for request in requests { #expect(try await request.value.string() == "ok") }
        #expect(limiter.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    /// A request that an inner middleware sends can't wait for the exchange that waits for it.
    @Test func joinsNoExchangeThatWaitsForTheRequest() async throws {
        let session = LockedValue<Session?>(nil)
        let isFirst = LockedValue(true)
        let asking = ClosureMiddleware { request, context, next in
            let asks = isFirst.change { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if asks { _ = try await session.value?.get("http://h/") }
            return try await next(request, context: context)
        }
        let test = TestSession(Deduplication(), asking) { _ in MockResponse(body: "ok") }
        session.value = test.session
        #expect(try await test.get("http://h/").string() == "ok")
        #expect(test.requestCount == 2)
        session.value = nil
        try await assertNothingLeft(test.session)
    }

    /// Sends a request while the one that it belongs to holds a permit.
    private struct Asker: ResponseRetrier {
        let session: LockedValue<Session?>

        func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult { .doNotRetry }

        func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
            if attempt.request.target.path == "/" { _ = try? await session.value?.get("http://h/asked") }
            return .doNotRetry
        }
    }

    /// The exchange of an identical request may wait for the permit that the asking request holds.
    @Test func joinsNoQueuedExchangeFromUserCode() async throws {
        let session = LockedValue<Session?>(nil)
        let (deduplication, limiter) = (Deduplication(), ConcurrencyLimiter(1))
        let barrier = Barrier()
        let transport = MockTransport { request in
            if request.target.path == "/" { try await barrier.passUnlessCancelled() }
            return MockResponse(chunks: [BodyChunk("o"), BodyChunk("k")])
        }
        let test = TestSession(over: transport) {
            $0.networkMiddleware = [deduplication, limiter]
            $0.interceptor = Interceptor(retriers: [Asker(session: session)])
        }
        session.value = test.session
        let asking = Task { try await test.session.stream("http://h/") }
        await barrier.reached()
        let queued = test.startGet("http://h/asked")
        #expect(await eventually { limiter.counts == (1, 1) })
        barrier.open()
        let response = try await asking.value
        #expect(test.paths == ["/", "/asked"])
        response.body.discard()
        #expect(try await queued.value.string() == "ok")
        #expect(test.paths == ["/", "/asked", "/asked"])
        session.value = nil
        try await assertNothingLeft(test.session)
    }

    @Test func sharesARetriedRequest() async throws {
        let deduplication = Deduplication()
        let barriers = [Barrier(), Barrier()]
        let count = LockedValue(0)
        let transport = MockTransport { _ in
            let number = count.increased(by: 1)
            try await barriers[min(number, 2) - 1].passUnlessCancelled()
            if number == 1 { throw ApusError(.connectionClosed, "injected failure") }
            return MockResponse(body: "ok")
        }
        let test = TestSession(over: transport) {
            $0.networkMiddleware = [deduplication]
            $0.interceptor = RetryPolicy(retryLimit: 1, scale: .zero)
        }
        let requests = [test.startGet("http://h/"), test.startGet("http://h/")]
        #expect(await eventually { deduplication.counts == (1, 2) })
        barriers[0].open()
        #expect(await eventually { count.value == 2 && deduplication.counts == (1, 2) })
        barriers[1].open()
        for request in requests { #expect(try await request.value.string() == "ok") }
        #expect(test.requestCount == 2)
        try await assertNothingLeft(test.session)
    }
}

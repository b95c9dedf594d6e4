internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct ConcurrencyLimiterTests {
    /// Returns a session whose server responds once the barrier is open.
    private func test(_ limiter: ConcurrencyLimiter, _ barrier: Barrier) -> TestSession {
        TestSession(limiter) { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse()
        }
    }

    /// Returns a session whose server responds with a body in chunks.
    private func streaming(_ limiter: ConcurrencyLimiter, failure: ApusError? = nil) -> TestSession {
        TestSession(limiter) { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")], failure: failure) }
    }

    @Test func admitsRequestsUpToItsLimitAndQueuesTheRest() async throws {
        let limiter = ConcurrencyLimiter(2)
        let barrier = Barrier()
        let test = test(limiter, barrier)
        var requests: [Task<Response, any Error>] = []
        for number in 0..<5 {
            requests.append(test.startGet("http://h/\(number)"))
            #expect(await eventually { limiter.counts == (min(number + 1, 2), max(number - 1, 0)) })
        }
        #expect(await eventually { test.requestCount == 2 })
        barrier.open()
        for request in requests { #expect(try await request.value.status == .ok) }
        #expect(Set(test.paths.prefix(2)) == ["/0", "/1"])
        #expect(limiter.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    @Test func servesQueuedRequestsInOrder() async throws {
        let limiter = ConcurrencyLimiter(1)
        let barrier = Barrier()
        let test = test(limiter, barrier)
        var requests: [Task<Response, any Error>] = []
        for number in 0..<4 {
            requests.append(test.startGet("http://h/\(number)"))
            #expect(await eventually { limiter.counts == (1, number) })
        }
        barrier.open()
        for request in requests { _ = try await request.value }
        #expect(test.paths == ["/0", "/1", "/2", "/3"])
    }

    @Test func holdsThePermitUntilTheBodyIsRead() async throws {
        let limiter = ConcurrencyLimiter(1)
        let test = streaming(limiter)
        let response = try await test.session.stream("http://h/")
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == BodyChunk("a"))
        #expect(limiter.counts.inFlight == 1)
        let second = test.startGet("http://h/second")
        #expect(await eventually { limiter.counts.queued == 1 })
        #expect(try await iterator.next() == BodyChunk("b"))
        #expect(limiter.counts == (1, 1))
        #expect(try await iterator.next() == nil)
        #expect(try await second.value.string() == "ab")
        #expect(limiter.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    @Test func returnsThePermitOnceIfTheBodyIsReleased() async throws {
        let limiter = ConcurrencyLimiter(1)
        let test = streaming(limiter)
        var response: StreamedResponse? = try await test.session.stream("http://h/")
        #expect(response?.status == .ok)
        #expect(limiter.counts == (1, 0))
        response = nil
        #expect(limiter.counts == (0, 0))
        let other = try await test.session.stream("http://h/")
        other.body.discard()
        other.body.discard()
        #expect(limiter.counts == (0, 0))
        let third = try await test.session.stream("http://h/")
        #expect(limiter.counts == (1, 0))
        third.body.discard()
        try await assertNothingLeft(test.session)
    }

    @Test func returnsThePermitIfTheBodyFails() async throws {
        let limiter = ConcurrencyLimiter(1)
        let test = streaming(limiter, failure: ApusError(.connectionClosed, "gone"))
        #expect(await failure { try await test.get("http://h/") }?.code == .connectionClosed)
        #expect(limiter.counts == (0, 0))
    }

    @Test func returnsThePermitIfTheExchangeFails() async throws {
        let limiter = ConcurrencyLimiter(1)
        let test = TestSession(limiter) { _ in throw ApusError(.connectFailed, "down") }
        for _ in 0..<3 { #expect(await failure { try await test.get("http://h/") }?.code == .connectFailed) }
        #expect(limiter.counts == (0, 0))
    }

    @Test func returnsThePermitOfARedirect() async throws {
        let limiter = ConcurrencyLimiter(1)
        let test = TestSession(limiter) { request in
            guard request.target.path == "/" else { return MockResponse(body: "there") }
            return MockResponse(status: .found, fields: [.location: "/x"], chunks: [BodyChunk("a"), BodyChunk("b")])
        }
        #expect(try await test.get("http://h/").string() == "there")
        #expect(limiter.counts == (0, 0))
    }

    @Test func removesCancelledRequestsFromTheQueue() async throws {
        let limiter = ConcurrencyLimiter(1)
        let barrier = Barrier()
        let test = test(limiter, barrier)
        let first = test.startGet("http://h/0")
        #expect(await eventually { limiter.counts == (1, 0) })
        let second = test.startGet("http://h/1")
        #expect(await eventually { limiter.counts == (1, 1) })
        let third = test.startGet("http://h/2")
        #expect(await eventually { limiter.counts == (1, 2) })
        second.cancel()
        #expect(await failure { try await second.value }?.isCancelled == true)
        #expect(limiter.counts == (1, 1))
        #expect(await eventually { test.requestCount == 1 })
        first.cancel()
        #expect(await failure { try await first.value }?.isCancelled == true)
        barrier.open()
        _ = try await third.value
        #expect(test.paths == ["/0", "/2"])
        #expect(limiter.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    @Test func limitsItsQueue() async throws {
        let limiter = ConcurrencyLimiter(1, maximumWaiting: 1)
        let barrier = Barrier()
        let test = test(limiter, barrier)
        let first = test.startGet("http://h/0")
        #expect(await eventually { limiter.counts == (1, 0) })
        let second = test.startGet("http://h/1")
        #expect(await eventually { limiter.counts == (1, 1) })
        let error = await failure { try await test.get("http://h/2") }
        #expect(error?.code == .middlewareFailed)
        #expect(error?.detail == "requests to http://h are limited to 1 at once, and 1 are waiting")
        let refusal = error?.underlying as? LimitExceeded
        #expect(refusal?.origin == Origin(scheme: .http, host: "h"))
        #expect(refusal?.wait == nil)
        barrier.open()
        _ = try await first.value
        _ = try await second.value
    }

    @Test(arguments: [LimitScope.eachOrigin, .all])
    func limitsEachOriginOrAllTogether(scope: LimitScope) async throws {
        let limiter = ConcurrencyLimiter(1, scope: scope)
        let barrier = Barrier()
        let test = test(limiter, barrier)
        let first = test.startGet("http://h/")
        #expect(await eventually { limiter.counts == (1, 0) })
        let second = test.startGet("http://i/")
        #expect(await eventually { limiter.counts == (scope == .all ? (1, 1) : (2, 0)) })
        barrier.open()
        _ = try await first.value
        _ = try await second.value
        #expect(limiter.counts == (0, 0))
    }

    @Test func neverExceedsItsLimit() async throws {
        let limiter = ConcurrencyLimiter(3)
        let inside = LockedValue((now: 0, most: 0))
        let test = TestSession(limiter) { _ in
            inside.change { inside in
                inside.now += 1
                inside.most = max(inside.most, inside.now)
            }
            for _ in 0..<10 { await Task.yield() }
            inside.change { $0.now -= 1 }
            return MockResponse()
        }
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let request = test.startGet("http://h/\(number)")
                    if number % 7 == 0 { request.cancel() }
                    _ = await failure { try await request.value }
                }
            }
        }
        #expect((1...3).contains(inside.value.most))
        #expect(limiter.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    // MARK: Re-entrant requests

    /// Retries after it has fetched a token through the session whose request waits for it.
    private struct Refresher: ResponseRetrier {
        let session: LockedValue<Session?>

        func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult { .doNotRetry }

        func reconsider(_ attempt: RequestAttempt) async -> RetryResult {
            guard attempt.response?.status == .unauthorized, attempt.retryCount == 0 else { return .doNotRetry }
            _ = try? await session.value?.get("http://h/token")
            return .retry
        }
    }

    @Test func letsARetrierSendRequestsWhileItsOwnHoldsThePermit() async throws {
        let limiter = ConcurrencyLimiter(1)
        let session = LockedValue<Session?>(nil)
        let hasToken = LockedValue(false)
        let transport = MockTransport { request in
            if request.target.path == "/token" { hasToken.change { $0 = true } }
            let chunks = [BodyChunk("a"), BodyChunk("b")]
            return MockResponse(status: hasToken.value ? .ok : .unauthorized, chunks: chunks)
        }
        let test = TestSession(over: transport) {
            $0.networkMiddleware = [limiter]
            $0.interceptor = Interceptor(retriers: [Refresher(session: session)])
        }
        session.change { $0 = test.session }
        let response = try await test.session.stream("http://h/")
        #expect(response.status == .ok)
        #expect(test.paths == ["/", "/token", "/"])
        response.body.discard()
        #expect(limiter.counts == (0, 0))
        session.change { $0 = nil }
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [true, false])
    func letsARedirectHandlerSendRequestsWhileTheRedirectHoldsThePermit(isHandle: Bool) async throws {
        let limiter = ConcurrencyLimiter(1)
        let session = LockedValue<Session?>(nil)
        let transport = MockTransport { request in
            guard request.target.path == "/" else { return MockResponse(body: "there") }
            return MockResponse(status: .found, fields: [.location: "/x"], chunks: [BodyChunk("a"), BodyChunk("b")])
        }
        let test = TestSession(over: transport) {
            $0.networkMiddleware = [limiter]
            $0.redirectHandler = .modify { request, _, _ in
                if isHandle {
                    _ = await session.value?.request("http://h/asked").serializingData().response
                } else {
                    _ = try await session.value?.get("http://h/asked")
                }
                return request
            }
        }
        session.change { $0 = test.session }
        #expect(try await test.get("http://h/").string() == "there")
        #expect(test.paths == ["/", "/asked", "/x"])
        #expect(limiter.counts == (0, 0))
        session.change { $0 = nil }
        try await assertNothingLeft(test.session)
    }
}

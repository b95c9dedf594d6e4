internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct RateLimiterTests {
    private func test(_ limiter: RateLimiter) -> TestSession {
        TestSession(limiter) { _ in MockResponse() }
    }

    /// Starts requests for paths in order, each once the previous one waits.
    private func queue(
        _ paths: [String],
        _ test: TestSession,
        _ limiter: RateLimiter
    ) async -> [Task<Response, any Error>] {
        var requests: [Task<Response, any Error>] = []
        for path in paths {
            let count = limiter.waitingCount
            requests.append(test.startGet("http://h\(path)"))
            #expect(await eventually { limiter.waitingCount == count + 1 })
        }
        return requests
    }

    @Test func sendsRequestsWhileItHasTokens() async throws {
        let limiter = RateLimiter(3)
        let test = test(limiter)
        for _ in 0..<3 { try await test.get("http://h/") }
        #expect(test.requestCount == 3)
        #expect(limiter.waitingCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func queuesFurtherRequestsInOrder() async throws {
        let limiter = RateLimiter(2, per: .seconds(1), burst: 1)
        let test = test(limiter)
        try await test.get("http://h/0")
        let requests = await queue(["/1", "/2", "/3"], test, limiter)
        for count in 1...3 {
            await test.clock.waitForSleepers(1)
            #expect(test.clock.sleeperCount == 1)
            test.clock.advance(by: .milliseconds(499))
            #expect(test.requestCount == count)
            test.clock.advance(by: .milliseconds(1))
            _ = try await requests[count - 1].value
        }
        #expect(test.paths == ["/0", "/1", "/2", "/3"])
        #expect(limiter.waitingCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func servesQueuedRequestsWhenTheClockJumps() async throws {
        let limiter = RateLimiter(1, per: .seconds(1))
        let test = test(limiter)
        try await test.get("http://h/0")
        let requests = await queue(["/1", "/2"], test, limiter)
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .seconds(1))
        _ = try await requests[0].value
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .seconds(60))
        _ = try await requests[1].value
        #expect(test.paths == ["/0", "/1", "/2"])
    }

    @Test func failsImmediatelyIfTheWaitWouldBeTooLong() async throws {
        let limiter = RateLimiter(1, per: .seconds(4), maximumWait: .seconds(5))
        let test = test(limiter)
        try await test.get("http://h/0")
        let requests = await queue(["/1"], test, limiter)
        let error = try #require(await failure { try await test.get("http://h/2") })
        #expect(error.code == .middlewareFailed)
        let wait = "this one would have to wait 8 s, but at most 5 s is allowed"
        #expect(error.detail == "requests to http://h are limited to 1 in 4 s; \(wait)")
        let refusal = try #require(error.underlying as? LimitExceeded)
        #expect(refusal.wait == .seconds(8))
        #expect(refusal.origin == Origin(scheme: .http, host: "h"))
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .seconds(4))
        _ = try await requests[0].value
        try await assertNothingLeft(test.session)
    }

    @Test func failsInsteadOfWaitingIfConfigured() async throws {
        let test = test(RateLimiter(1, maximumWait: .zero))
        try await test.get("http://h/")
        let error = await failure { try await test.get("http://h/") }
        #expect((error?.underlying as? LimitExceeded)?.wait == .seconds(1))
        test.clock.advance(by: .seconds(1))
        try await test.get("http://h/")
    }

    @Test func limitsItsQueue() async throws {
        let limiter = RateLimiter(1, maximumWaiting: 2)
        let test = test(limiter)
        try await test.get("http://h/0")
        let requests = await queue(["/1", "/2"], test, limiter)
        let error = await failure { try await test.get("http://h/3") }
        #expect((error?.underlying as? LimitExceeded)?.wait == .seconds(3))
        #expect(error?.detail.hasSuffix("this one would have to wait 3 s, and 2 are already waiting") == true)
        for request in requests { request.cancel() }
        for request in requests { #expect(await failure { try await request.value }?.isCancelled == true) }
        #expect(limiter.waitingCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [0, 1, 2]) func spendsNoTokenOnACancelledRequest(index: Int) async throws {
        let limiter = RateLimiter(1)
        let test = test(limiter)
        try await test.get("http://h/0")
        let requests = await queue(["/1", "/2", "/3"], test, limiter)
        requests[index].cancel()
        #expect(await failure { try await requests[index].value }?.isCancelled == true)
        #expect(limiter.waitingCount == 2)
        for other in [0, 1, 2] where other != index {
            await test.clock.waitForSleepers(1)
            test.clock.advance(by: .seconds(1))
            _ = try await requests[other].value
        }
        #expect(test.paths == ["/0", "/1", "/2", "/3"].filter { $0 != "/\(index + 1)" })
        #expect(limiter.waitingCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [3, 7]) func waitsForWholeNanoseconds(count: Int) async throws {
        let test = test(RateLimiter(count))
        for _ in 0..<count { try await test.get("http://h/") }
        let late = test.startGet("http://h/late")
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .nanoseconds(1_000_000_000 / count - 1))
        #expect(test.requestCount == count)
        #expect(test.clock.sleeperCount == 1)
        test.clock.advance(by: .nanoseconds(1))
        _ = try await late.value
        #expect(test.requestCount == count + 1)
    }

    @Test func keepsOriginsApart() async throws {
        let test = test(RateLimiter(1, maximumWait: .zero))
        try await test.get("http://h/")
        try await test.get("http://i/")
        try await test.get("https://h/")
        #expect(await failure { try await test.get("http://i/") }?.code == .middlewareFailed)
    }

    @Test func canBeSharedByAllOrigins() async throws {
        let test = test(RateLimiter(1, scope: .all, maximumWait: .zero))
        try await test.get("http://h/")
        let error = await failure { try await test.get("http://i/") }
        #expect(error?.detail.hasPrefix("requests are limited to 1 in 1 s; ") == true)
        #expect((error?.underlying as? LimitExceeded)?.origin == nil)
    }
}

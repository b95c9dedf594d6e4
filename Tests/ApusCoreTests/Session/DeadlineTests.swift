internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    private let limit = Duration.seconds(10)

    /// Returns a session whose transport responds once the barrier opens, and whose requests have a deadline.
    private func hanging(_ barrier: Barrier, requestsInFlight: Int = 256) -> TestSession {
        TestSession.hanging(barrier) {
            $0.timeouts.request = limit
            $0.requestsInFlight = requestsInFlight
        }
    }

    @Test func letsARequestEndJustInTime() async throws {
        let barrier = Barrier()
        let test = hanging(barrier)
        let task = test.session.request("http://h/").serializingString()
        await barrier.reached()
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: limit - .nanoseconds(1))
        barrier.open()
        #expect(try await task.value == "ok")
        test.clock.advance(by: limit)
        try await assertNothingLeft(test.session)
    }

    @Test func endsARequestThatTakesTooLong() async throws {
        let barrier = Barrier()
        let test = hanging(barrier)
        let request = test.session.request("http://h/")
        let task = request.serializingString()
        await barrier.reached()
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: limit - .nanoseconds(1))
        #expect(request.state == .resumed)
        test.clock.advance(by: .nanoseconds(1))
        let error = try #require(await task.response.error)
        #expect(error.code == .deadlineExceeded)
        #expect(error.isTimeout && !error.isCancelled)
        #expect(error.detail == "it did not finish within 10 s")
        #expect(error.hint == "raise timeouts.request, or the RequestDeadline of the request")
        #expect("\(error)" == "GET http://h/ took too long: \(error.detail); \(error.hint ?? "")")
        #expect(error.exchanges.count == 1)
        try await assertNothingLeft(test.session)
    }

    @Test func countsTheTimeInTheQueue() async throws {
        let barrier = Barrier()
        let test = hanging(barrier, requestsInFlight: 1)
        let first = test.session.request("http://h/", options: [RequestDeadline(nil)]).serializingString()
        await barrier.reached()
        let second = test.session.request("http://h/").serializingString()
        #expect(test.session.requestCounts == (1, 1))
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: limit)
        #expect(await second.response.error?.code == .deadlineExceeded)
        #expect(test.session.requestCounts == (1, 0))
        barrier.open()
        #expect(try await first.value == "ok")
        try await assertNothingLeft(test.session)
    }

    @Test func goesOnCountingWhileARequestIsSuspended() async throws {
        let barrier = Barrier()
        let slow = hanging(barrier)
        let request = slow.session.request("http://h/")
        let task = request.serializingString()
        await barrier.reached()
        request.suspend()
        await slow.clock.waitForSleepers(1)
        slow.clock.advance(by: limit)
        #expect(await task.response.error?.code == .deadlineExceeded)
        try await assertNothingLeft(slow.session)
    }

    @Test func endsADirectCallThatTakesTooLong() async throws {
        let barrier = Barrier()
        let test = hanging(barrier)
        let call = Task { await failure { try await test.session.get("http://h/") } }
        await barrier.reached()
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: limit - .nanoseconds(1))
        #expect(test.session.requestCounts == (1, 0))
        test.clock.advance(by: .nanoseconds(1))
        let error = await call.value
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.method == .get)
        #expect(error?.url == "http://h/")
        try await assertNothingLeft(test.session)
    }

    @Test func letsADirectCallEndJustInTime() async throws {
        let barrier = Barrier()
        let test = hanging(barrier)
        let call = Task { try await test.session.get("http://h/").string() }
        await barrier.reached()
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: limit - .nanoseconds(1))
        barrier.open()
        #expect(try await call.value == "ok")
        try await assertNothingLeft(test.session)
    }

    @Test func returnsInTimeFromMiddlewareThatDoesNotReturn() async throws {
        let barrier = Barrier()
        let test = TestSession.configured {
            $0.timeouts.request = limit
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    let response = try await next(request, context: context)
                    await barrier.pass()
                    return response
                }
            ]
        }
        let direct = Task { await failure { try await test.session.get("http://h/") } }
        let streamed = Task { await failure { try await test.session.stream("http://h/") } }
        await test.clock.waitForSleepers(2)
        await barrier.reached()
        test.clock.advance(by: limit)
        #expect(await direct.value?.code == .deadlineExceeded)
        #expect(await streamed.value?.code == .deadlineExceeded)
        barrier.open()
        #expect(await eventually { test.session.requestCounts == (0, 0) })
        try await assertNothingLeft(test.session)
    }

    @Test func endsAStreamWhileItIsRead() async throws {
        let test = TestSession {
            $0.timeouts.request = limit
        } responding: { _ in
            MockResponse(chunks: [BodyChunk("a"), BodyChunk("b"), BodyChunk("c")])
        }
        let response = try await test.session.stream("http://h/")
        var iterator = response.body.makeAsyncIterator()
        #expect(try await iterator.next() == BodyChunk("a"))
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: limit - .nanoseconds(1))
        #expect(try await iterator.next() == BodyChunk("b"))
        test.clock.advance(by: .nanoseconds(1))
        // The clock's sleeper wakes in a separate task.
        #expect(await eventually { test.session.requestCounts == (0, 0) })
        let error = await failure { try await iterator.next() }
        #expect(error?.code == .deadlineExceeded)
        try await assertNothingLeft(test.session)
    }

    @Test func isOverriddenByARequest() async throws {
        let barrier = Barrier()
        let test = hanging(barrier)
        let short = test.session.request("http://h/", options: [RequestDeadline(.seconds(1))]).serializingString()
        let none = test.session.request("http://h/", options: [RequestDeadline(nil)]).serializingString()
        let timeouts = RequestTimeouts(idleRead: .unlimited)
        let other = test.session.request("http://h/", options: [timeouts, RequestDeadline(.seconds(2))])
            .serializingString()
        await test.clock.waitForSleepers(2)
        test.clock.advance(by: .seconds(1))
        #expect(await short.response.error?.detail.contains("1 s") == true)
        test.clock.advance(by: .seconds(1))
        #expect(await other.response.error?.detail.contains("2 s") == true)
        test.clock.advance(by: .seconds(1_000))
        barrier.open()
        #expect(try await none.value == "ok")
        try await assertNothingLeft(test.session)
    }

    @Test func hasNoneByDefault() async throws {
        #expect(Session.Configuration().timeouts.request == nil)
        let test = TestSession()
        #expect(try await test.session.request("http://h/").serializingString().value == "ok")
        #expect(test.clock.sleeperCount == 0)
    }
}

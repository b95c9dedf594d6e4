internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct ShutdownTests {
    private func hanging(_ barrier: Barrier, requestsInFlight: Int = 256) -> TestSession {
        TestSession.hanging(barrier) { $0.requestsInFlight = requestsInFlight }
    }

    @Test func rejectsLateRequests() async throws {
        let test = TestSession()
        await test.session.shutdown()
        #expect(await failure { try await test.session.get("http://h/") }?.code == .sessionShutDown)
        #expect(await failure { try await test.session.stream("http://h/") }?.code == .sessionShutDown)
        let request = test.session.request("http://h/")
        #expect(await request.serializingData().response.error?.code == .sessionShutDown)
        #expect(await eventually { request.state == .finished })
        #expect(test.transport.requests.isEmpty)
        await test.session.shutdown()
        try await assertNothingLeft(test.session)
    }

    @Test func waitsForRequestsInFlightAndQueuedOnes() async throws {
        let barrier = Barrier()
        let test = hanging(barrier, requestsInFlight: 1)
        let first = test.session.request("http://h/1").serializingString()
        await barrier.reached()
        let second = test.session.request("http://h/2").serializingString()
        let isOver = LockedList<Int>()
        let shutdown = Task {
            await test.session.shutdown()
            isOver.append(1)
        }
        await test.clock.waitForSleepers(1)
        #expect(await failure { try await test.session.get("http://h/3") }?.code == .sessionShutDown)
        #expect(isOver.count == 0)
        barrier.open()
        #expect(try await first.value == "ok")
        #expect(try await second.value == "ok")
        await shutdown.value
        #expect(test.session.liveCounts.isEmpty)
        #expect(await eventually { test.clock.sleeperCount == 0 })
    }

    /// Parity: AF-session-invalidated
    @Test func cancelsRequestsThatHaveNotEndedInTime() async throws {
        let barrier = Barrier()
        let test = hanging(barrier, requestsInFlight: 1)
        let first = test.session.request("http://h/1").serializingString()
        await barrier.reached()
        let second = test.session.request("http://h/2").serializingString()
        let shutdown = Task { await test.session.shutdown(within: .seconds(5)) }
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(test.session.requestCounts == (1, 1))
        test.clock.advance(by: .nanoseconds(1))
        #expect(await first.response.error?.code == .sessionShutDown)
        #expect(await second.response.error?.code == .sessionShutDown)
        await shutdown.value
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-invalidated
    @Test func cancelsAllRequestsAtOnceWithoutAGracePeriod() async throws {
        let barrier = Barrier()
        let test = hanging(barrier, requestsInFlight: 2)
        let tasks = (0..<5).map { test.session.request("http://h/\($0)").serializingString() }
        await barrier.reached()
        await test.session.shutdown(within: .zero)
        for task in tasks { #expect(await task.response.error?.code == .sessionShutDown) }
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-left
    @Test func returnsAfterAllCompletionHandlersAreScheduled() async throws {
        let test = TestSession { _ in MockResponse(body: "ok") }
        let queue = DispatchQueue(label: "apus.tests.callbacks")
        let notes = LockedList<Int>()
        for number in 0..<50 { test.session.request("http://h/").response(queue: queue) { _ in notes.append(number) } }
        await test.session.shutdown()
        queue.sync {}
        #expect(notes.count == 50)
    }

    /// The middleware ignores cancellation, so cancelling its task does not end it.
    @Test func doesNotWaitForCodeThatDoesNotReturn() async throws {
        let barrier = Barrier()
        let test = TestSession {
            $0.middleware = [ClosureMiddleware.waiting(at: barrier)]
        } responding: { _ in
            MockResponse()
        }
        let call = Task { await failure { try await test.session.get("http://h/") } }
        await barrier.reached()
        let shutdown = Task { await test.session.shutdown(within: .zero) }
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .seconds(1) - .nanoseconds(1))
        #expect(test.clock.sleeperCount == 1)
        test.clock.advance(by: .nanoseconds(1))
        await shutdown.value
        #expect(test.session.requestCounts == (1, 0))
        barrier.open()
        _ = await call.value
        try await assertNothingLeft(test.session)
    }

    /// Each request that can't be built hands its slot to the next, which can't be built either.
    @Test func failsManyQueuedRequestsThatCannotBeBuilt() async throws {
        let barrier = Barrier()
        let test = hanging(barrier, requestsInFlight: 1)
        let first = test.session.request("http://h/").serializingString()
        await barrier.reached()
        let others = (0..<20_000).map { _ in test.session.request("no url").serializingString() }
        #expect(test.session.requestCounts == (1, 20_000))
        barrier.open()
        #expect(try await first.value == "ok")
        for other in others { #expect(await other.response.error != nil) }
        try await assertNothingLeft(test.session)
    }

    @Test func endsTheGracePeriodWhenItsTaskIsCancelled() async throws {
        let barrier = Barrier()
        let test = hanging(barrier)
        let task = test.session.request("http://h/").serializingString()
        await barrier.reached()
        let shutdown = Task { await test.session.shutdown() }
        await test.clock.waitForSleepers(1)
        shutdown.cancel()
        #expect(await task.response.error?.code == .sessionShutDown)
        await shutdown.value
        try await assertNothingLeft(test.session)
    }

    /// The caller that shuts the session down may itself hold a response that was not read.
    @Test func cancelsResponsesThatAreNotRead() async throws {
        let source = ScriptedBody(["a", "b"])
        let session = Session(transport: BodyTransport { _ in .stream(source) })
        let response = try await session.stream("http://h/")
        await session.shutdown(within: .zero)
        #expect(session.requestCounts == (0, 0))
        #expect(source.cancels >= 1)
        let error = await failure { for try await _ in response.body {} }
        #expect(error?.code == .sessionShutDown)
        try await assertNothingLeft(session)
    }

    @Test func failsUnstartedRequestsOnlyOnceTheyStart() async throws {
        let test = TestSession()
        let request = test.session.request("http://h/")
        await test.session.shutdown()
        #expect(request.state == .initialized)
        #expect(await request.serializingData().response.error?.code == .sessionShutDown)
    }

    // MARK: Release of the session

    /// Parity: AF-fault-session-gone, AF-session-gone
    @Test func failsItsRequestsWhenTheSessionIsReleased() async throws {
        let barrier = Barrier()
        var test: TestSession? = hanging(barrier, requestsInFlight: 1)
        let first = try #require(test).session.request("http://h/1").serializingString()
        await barrier.reached()
        let second = try #require(test).session.request("http://h/2").serializingString()
        let third = try #require(test).session.request("http://h/3")
        test = nil
        #expect(await first.response.error?.code == .sessionGone)
        #expect(await second.response.error?.code == .sessionGone)
        #expect(await third.serializingData().response.error?.code == .sessionGone)
    }

    @Test func isRetainedByADirectCall() async throws {
        let response = try await Session(
            transport: MockTransport { _ in
                for _ in 0..<100 { await Task.yield() }
                return MockResponse(body: "ok")
            }
        ).get("http://h/")
        #expect(try response.string() == "ok")
    }

    @Test func isRetainedByAStreamedResponse() async throws {
        let response = try await Session(
            transport: MockTransport { _ in MockResponse(chunks: [BodyChunk("o"), BodyChunk("k")]) }
        ).stream("http://h/")
        var text = ""
        for try await chunk in response.body { text += String(chunk) }
        #expect(text == "ok")
    }

    /// Parity: AF-fault-session-gone
    @Test func keepsAResponseReceivedBeforeTheSessionIsReleased() async throws {
        var session: Session? = Session(transport: MockTransport { _ in MockResponse(body: "ok") })
        let request = try #require(session).request("http://h/")
        #expect(try await request.serializingString().value == "ok")
        session = nil
        #expect(try await request.serializingString().value == "ok")
    }
}

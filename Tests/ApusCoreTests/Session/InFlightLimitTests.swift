internal import Apus
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(1))) struct InFlightLimitTests {
    @Test func letsTwoHundredAndFiftySixOnTheirWay() async throws {
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

    @Test func admitsInTheOrderOfStarting() async throws {
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

    @Test func holdsBackHandlesDirectCallsAndStreamsAlike() async throws {
        let barrier = Barrier()
        let test = TestSession {
            $0.requestsInFlight = 1
        } answering: { _ in
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

    @Test func doesNothingForARequestThatWaits() async throws {
        let barrier = Barrier()
        let seen = Notes<String>()
        let test = TestSession {
            $0.requestsInFlight = 1
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    seen.append(request.target.path)
                    return try await next(request, context: context)
                }
            ]
        } answering: { _ in
            await barrier.pass()
            return MockResponse(body: "ok")
        }
        let first = test.session.request("http://h/1").serializingString()
        await barrier.reached()
        let second = test.session.request("http://h/2")
        let answer = second.serializingString()
        #expect(test.names(of: second) == ["resumed"])
        #expect(seen.all == ["/1"])
        #expect(test.session.liveCounts["tasks"] == 1)
        barrier.open()
        #expect(try await first.value == "ok")
        #expect(try await answer.value == "ok")
        try await assertNothingLeft(test.session)
    }
}

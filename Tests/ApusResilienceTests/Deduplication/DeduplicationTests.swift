internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct DeduplicationTests {
    private let url = "http://h/a?b"

    /// Returns a session whose server responds once the barrier is open.
    private func held(
        _ deduplication: Deduplication,
        _ barrier: Barrier,
        _ response: MockResponse = MockResponse(fields: [.eTag: "x"], body: "ok")
    ) -> TestSession {
        TestSession(deduplication) { _ in
            try await barrier.passUnlessCancelled()
            return response
        }
    }

    /// Starts a GET request, and returns it once `count` requests share exchanges.
    private func startGet(
        _ test: TestSession,
        _ deduplication: Deduplication,
        waiting count: Int,
        options: RequestOptions = .none
    ) async -> Task<Response, any Error> {
        let task = Task { try await test.session.get(url, options: options) }
        #expect(await eventually { deduplication.counts.requests == count })
        return task
    }

    // MARK: Sharing

    @Test func sharesOneExchange() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = held(deduplication, barrier)
        let first = await startGet(test, deduplication, waiting: 1)
        let second = await startGet(test, deduplication, waiting: 2)
        let third = await startGet(test, deduplication, waiting: 3)
        #expect(deduplication.counts == (1, 3))
        barrier.open()
        for request in [first, second, third] {
            let response = try await request.value
            #expect(response.status == .ok)
            #expect(response.fields[.eTag] == "x")
            #expect(try response.string() == "ok")
            #expect(response.target.uri == url)
        }
        #expect(test.requestCount == 1)
        #expect(try await first.value.metrics.exchanges.count == 1)
        #expect(try await second.value.metrics.exchanges.isEmpty)
        #expect(deduplication.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    @Test func sharesOneExchangeAmongAHundred() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = held(deduplication, barrier)
        let requests = (0..<100).map { _ in test.startGet(url) }
        #expect(await eventually { deduplication.counts == (1, 100) })
        barrier.open()
        for request in requests { #expect(try await request.value.string() == "ok") }
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    @Test func beginsANewExchangeAfterTheEnd() async throws {
        let test = TestSession(Deduplication()) { _ in MockResponse(body: "ok") }
        for _ in 0..<3 { #expect(try await test.get(url).string() == "ok") }
        #expect(test.requestCount == 3)
        try await assertNothingLeft(test.session)
    }

    @Test func sharesABodyInChunksWithItsTrailers() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let chunks = [BodyChunk("ab"), BodyChunk("c"), BodyChunk("d")]
        let test = held(deduplication, barrier, MockResponse(chunks: chunks, trailers: [.eTag: "y"]))
        let first = await startGet(test, deduplication, waiting: 1)
        let second = await startGet(test, deduplication, waiting: 2)
        barrier.open()
        for request in [first, second] {
            let response = try await request.value
            #expect(try response.string() == "abcd")
            #expect(response.trailers?[.eTag] == "y")
        }
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [HTTPResponse.Status.notFound, .internalServerError, .noContent])
    func sharesAnyStatus(status: HTTPResponse.Status) async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = held(deduplication, barrier, MockResponse(status: status))
        let first = await startGet(test, deduplication, waiting: 1)
        let second = await startGet(test, deduplication, waiting: 2)
        barrier.open()
        #expect(try await first.value.status == status)
        #expect(try await second.value.status == status)
        #expect(test.requestCount == 1)
    }

    @Test func sharesTheExchangeOfHandles() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = held(deduplication, barrier)
        let first = test.session.request(url).resume()
        #expect(await eventually { deduplication.counts.requests == 1 })
        let second = test.session.request(url).resume()
        #expect(await eventually { deduplication.counts.requests == 2 })
        barrier.open()
        #expect(await first.serializingString().response.value == "ok")
        #expect(await second.serializingString().response.value == "ok")
        #expect(test.requestCount == 1)
        #expect(test.names(of: first).contains("exchangeBegan"))
        #expect(!test.names(of: second).contains("exchangeBegan"))
        #expect(await eventually { test.names(of: second).last == "finished" })
        try await assertNothingLeft(test.session)
    }

    // MARK: Failures

    @Test func failsAllWithTheErrorOfTheExchange() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = TestSession(deduplication) { _ in
            try await barrier.passUnlessCancelled()
            throw ApusError(.connectFailed, "down")
        }
        let first = await startGet(test, deduplication, waiting: 1)
        let second = await startGet(test, deduplication, waiting: 2)
        barrier.open()
        for request in [first, second] {
            let error = await failure { try await request.value }
            #expect(error?.code == .connectFailed)
            #expect(error?.detail == "down")
            #expect(error?.url == "http://h/a?b")
        }
        #expect(test.requestCount == 1)
        #expect(deduplication.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    @Test func failsAllIfTheBodyFails() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let error = ApusError(.connectionClosed, "gone")
        let test = held(deduplication, barrier, MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")], failure: error))
        let first = await startGet(test, deduplication, waiting: 1)
        let second = await startGet(test, deduplication, waiting: 2)
        barrier.open()
        for request in [first, second] {
            let error = await failure { try await request.value }
            #expect(error?.code == .connectionClosed)
            #expect(error?.responseCode == 200)
        }
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    // MARK: Cancellation

    @Test(arguments: [0, 1, 2]) func continuesForTheOthersIfOneIsCancelled(index: Int) async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = held(deduplication, barrier)
        var requests: [Task<Response, any Error>] = []
        for count in 1...3 { requests.append(await startGet(test, deduplication, waiting: count)) }
        await barrier.reached()
        requests[index].cancel()
        #expect(await failure { try await requests[index].value }?.isCancelled == true)
        #expect(deduplication.counts == (1, 2))
        barrier.open()
        for other in [0, 1, 2] where other != index { #expect(try await requests[other].value.string() == "ok") }
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    @Test func cancelsTheExchangeWithTheLastRequest() async throws {
        let deduplication = Deduplication()
        let test = held(deduplication, Barrier())
        let first = await startGet(test, deduplication, waiting: 1)
        let second = await startGet(test, deduplication, waiting: 2)
        #expect(await eventually { test.requestCount == 1 })
        first.cancel()
        second.cancel()
        for request in [first, second] { #expect(await failure { try await request.value }?.isCancelled == true) }
        #expect(deduplication.counts == (0, 0))
        // The transport waits until its exchange is cancelled.
        try await assertNothingLeft(test.session)
    }

    @Test func joinsNoCancelledExchange() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        // The first exchange ignores its cancellation.
        let test = TestSession(deduplication) { _ in
            await barrier.pass()
            return MockResponse(chunks: [BodyChunk("o"), BodyChunk("k")])
        }
        let first = await startGet(test, deduplication, waiting: 1)
        #expect(await eventually { test.requestCount == 1 })
        first.cancel()
        #expect(await failure { try await first.value }?.isCancelled == true)
        let second = await startGet(test, deduplication, waiting: 1)
        #expect(await eventually { test.requestCount == 2 })
        barrier.open()
        #expect(try await second.value.string() == "ok")
        try await assertNothingLeft(test.session)
    }

    @Test func keepsTheDeadlineOfEachRequest() async throws {
        let deduplication = Deduplication()
        let barrier = Barrier()
        let test = held(deduplication, barrier)
        let hasty = await startGet(test, deduplication, waiting: 1, options: [RequestDeadline(.seconds(1))])
        let patient = await startGet(test, deduplication, waiting: 2)
        let hastier = await startGet(test, deduplication, waiting: 3, options: [RequestDeadline(.milliseconds(1))])
        await test.clock.waitForSleepers(2)
        test.clock.advance(by: .milliseconds(1))
        #expect(await failure { try await hastier.value }?.code == .deadlineExceeded)
        test.clock.advance(by: .seconds(1))
        #expect(await failure { try await hasty.value }?.code == .deadlineExceeded)
        #expect(await eventually { deduplication.counts == (1, 1) })
        barrier.open()
        #expect(try await patient.value.string() == "ok")
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    // MARK: Bodies that are too long

    @Test(arguments: [true, false]) func sendsTheOthersAloneIfTheBodyIsTooLong(isDeclared: Bool) async throws {
        let deduplication = Deduplication(limitBytes: 5)
        let barrier = Barrier()
        var response = MockResponse(chunks: [BodyChunk("aaa"), BodyChunk("bb"), BodyChunk("c")])
        if isDeclared { response.fields[.contentLength] = "6" }
        let test = held(deduplication, barrier, response)
        var requests: [Task<Response, any Error>] = []
        for count in 1...3 { requests.append(await startGet(test, deduplication, waiting: count)) }
        barrier.open()
        for request in requests {
            let response = try await request.value
            #expect(try response.string() == "aaabbc")
            #expect(response.metrics.exchanges.count == 1)
        }
        #expect(test.requestCount == 3)
        #expect(deduplication.counts == (0, 0))
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [(5, 1), (4, 2)]) func sharesABodyUpToItsLimit(limitBytes: Int, exchanges: Int) async throws {
        for response in [MockResponse(body: "aaaaa"), MockResponse(chunks: [BodyChunk("aaa"), BodyChunk("aa")])] {
            let deduplication = Deduplication(limitBytes: limitBytes)
            let barrier = Barrier()
            let test = held(deduplication, barrier, response)
            let first = await startGet(test, deduplication, waiting: 1)
            let second = await startGet(test, deduplication, waiting: 2)
            barrier.open()
            #expect(try await first.value.string() == "aaaaa")
            #expect(try await second.value.string() == "aaaaa")
            #expect(test.requestCount == exchanges)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func handsALongBodyToTheFirstThatStillWaits() async throws {
        let deduplication = Deduplication(limitBytes: 1)
        let barrier = Barrier()
        let test = held(deduplication, barrier, MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]))
        let first = await startGet(test, deduplication, waiting: 1)
        let second = await startGet(test, deduplication, waiting: 2)
        first.cancel()
        #expect(await failure { try await first.value }?.isCancelled == true)
        barrier.open()
        #expect(try await second.value.string() == "ab")
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }
}

internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct RequestPriorityTests {
    private let low = RequestPriority.low
    private let normal = RequestPriority.normal
    private let high = RequestPriority.high

    @Test func comparesByItsNumber() {
        #expect(low < normal && normal < high)
        #expect(RequestPriority(rawValue: .min) < low && high < RequestPriority(rawValue: .max))
        #expect(RequestPriority(rawValue: 0) == normal)
        #expect([high, low, normal].sorted() == [low, normal, high])
    }

    @Test func isNormalWithoutTheOption() {
        #expect(RequestOptions.none.priority == normal)
        #expect(([RequestDeadline(nil)] as RequestOptions).priority == normal)
        #expect(([RequestDeadline(nil), high] as RequestOptions).priority == high)
    }

    /// Requests that differ only in it can share an exchange.
    @Test func doesNotAffectExchanges() {
        #expect(([high] as RequestOptions).comparable == RequestOptions.none.comparable)
    }

    @Test func joinsBehindTheSamePriority() {
        var queue: [(RequestPriority, Int)] = []
        let priorities = [normal, normal, low, high, normal, high, low, RequestPriority(rawValue: 1), normal, low]
        for (number, priority) in priorities.enumerated() {
            let place = queue.insertionIndex(for: priority) { $0.0 }
            queue.insert((priority, number), at: place)
        }
        #expect(queue.map { $0.1 } == [3, 5, 7, 0, 1, 4, 8, 2, 6, 9])
        let rest = queue[7...]
        #expect(rest.insertionIndex(for: high, by: { $0.0 }) == 7)
        #expect(rest.insertionIndex(for: low, by: { $0.0 }) == 10)
        #expect(queue[10...].insertionIndex(for: high, by: { $0.0 }) == 10)
    }

    // MARK: Requests

    @Test func admitsQueuedRequestsByPriority() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
        let priorities: [RequestPriority?] = [nil, nil, low, high, normal, high, low, nil, low, high]
        let tasks = priorities.enumerated().map { number, priority in
            var options = RequestOptions.none
            options[RequestPriority.self] = priority
            return test.session.request("http://h/\(number)", options: options).serializingString()
        }
        await barrier.reached()
        #expect(test.session.requestCounts == (1, 9))
        barrier.open()
        for task in tasks { #expect(try await task.value == "ok") }
        #expect(test.paths == [0, 3, 5, 9, 1, 4, 7, 2, 6, 8].map { "/\($0)" })
        try await assertNothingLeft(test.session)
    }

    @Test func keepsTheOrderWhenAQueuedRequestIsCancelled() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
        let requests = [normal, low, high, high, high, low].enumerated().map { number, priority in
            test.session.request("http://h/\(number)", options: [priority])
        }
        let tasks = requests.map { $0.serializingString() }
        await barrier.reached()
        requests[3].cancel()
        #expect(await tasks[3].response.error?.code == .cancelled)
        #expect(test.session.requestCounts == (1, 4))
        barrier.open()
        for task in tasks { _ = await task.response }
        #expect(test.paths == ["/0", "/2", "/4", "/1", "/5"])
        try await assertNothingLeft(test.session)
    }

    @Test func appliesToDirectCallsAndStreams() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
        let (session, low, high) = (test.session, low, high)
        let first = test.startGet("http://h/0")
        await barrier.reached()
        let second = Task { try await session.get("http://h/1", options: [low]).data }
        #expect(await eventually { session.requestCounts == (1, 1) })
        let third = Task { for try await _ in try await session.stream("http://h/2").body {} }
        #expect(await eventually { session.requestCounts == (1, 2) })
        let message = try RequestMessage("http://h/3", options: [high])
        let fourth = Task { try await session.send(message).data }
        #expect(await eventually { session.requestCounts == (1, 3) })
        barrier.open()
        _ = try await (first.value, second.value, third.value, fourth.value)
        #expect(test.paths == ["/0", "/3", "/2", "/1"])
        try await assertNothingLeft(session)
    }

    /// The message of such a request is built after its wait for a slot.
    @Test func isThatOfTheCallIfTheRequestIsBuiltLater() async throws {
        struct Route: RequestConvertible {
            let path: String
            let priority: RequestPriority

            func asRequest() throws -> RequestMessage {
                try RequestMessage("http://h\(path)", options: [priority])
            }
        }
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
        var tasks = [test.session.request("http://h/0").serializingString()]
        await barrier.reached()
        tasks.append(test.session.request(Route(path: "/1", priority: high)).serializingString())
        tasks.append(test.session.request(Route(path: "/2", priority: low), options: [high]).serializingString())
        barrier.open()
        for task in tasks { #expect(try await task.value == "ok") }
        #expect(test.paths == ["/0", "/2", "/1"])
        try await assertNothingLeft(test.session)
    }
}

internal import Apus
internal import ApusResilience
internal import ApusTesting
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct HedgingTests {
    /// How the requests are answered, in the order of their coming; those beyond hang until they are cancelled.
    private enum Answer: Sendable {
        case now(String)
        case held(Barrier, String)
        case fails(Barrier, ApusError.Code)
        case hangs
    }

    private func test(_ hedging: Hedging, _ answers: Answer...) -> TestSession {
        let left = Shared(answers)
        return TestSession(hedging) { _ in
            switch left.change({ $0.isEmpty ? .hangs : $0.removeFirst() }) {
            case .now(let text): return MockResponse(body: text)
            case .held(let barrier, let text):
                try await barrier.pass()
                return MockResponse(body: text)
            case .fails(let barrier, let code):
                try await barrier.pass()
                throw ApusError(code, "as it was told to")
            case .hangs:
                try await Barrier().pass()
                return MockResponse()
            }
        }
    }

    private func hedging(share: Double = 1, methods: Set<HTTPRequest.Method> = Hedging.safeMethods) -> Hedging {
        Hedging(share: share, fallbackDelay: .milliseconds(500), methods: methods)
    }

    /// Has the first request be late.
    private func comeLate(_ test: TestSession) async {
        #expect(await eventually { test.requestCount == 1 })
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(500))
        #expect(await eventually { test.requestCount >= 2 })
    }

    @Test func asksOnceWhereTheAnswerIsInTime() async throws {
        let test = test(hedging(), .now("first"))
        #expect(try await test.get("http://h/").string() == "first")
        #expect(test.requestCount == 1)
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func takesTheSecondAnswerWhereTheFirstIsLate() async throws {
        let test = test(hedging(), .hangs, .now("second"))
        let request = test.ask("http://h/")
        await comeLate(test)
        let answer = try await request.value
        #expect(try answer.string() == "second")
        #expect(answer.metrics.hops.map(\.cause) == [.first, .hedge])
        #expect(answer.metrics.hops.first?.error?.code == .cancelled)
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func takesTheFirstAnswerWhereItIsFirstAllTheSame() async throws {
        let barrier = Barrier()
        let test = test(hedging(), .held(barrier, "first"))
        let request = test.ask("http://h/")
        await comeLate(test)
        barrier.open()
        #expect(try await request.value.string() == "first")
        try await assertNothingLeft(test.session)
    }

    @Test func isNotLateBeforeItsTime() async throws {
        let barrier = Barrier()
        let test = test(hedging(), .held(barrier, "first"), .now("second"))
        let request = test.ask("http://h/")
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(499))
        #expect(test.clock.sleeperCount == 1)
        barrier.open()
        #expect(try await request.value.string() == "first")
        #expect(test.requestCount == 1)
    }

    @Test func failsWhereTheFirstFailsInTime() async throws {
        let barrier = Barrier()
        barrier.open()
        let test = test(hedging(), .fails(barrier, .connectFailed), .now("second"))
        #expect(await failure { try await test.get("http://h/") }?.code == .connectFailed)
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    @Test func waitsForTheSecondWhereTheFirstFailsLate() async throws {
        let (first, second) = (Barrier(), Barrier())
        let test = test(hedging(), .fails(first, .connectionClosed), .held(second, "second"))
        let request = test.ask("http://h/")
        await comeLate(test)
        first.open()
        second.open()
        #expect(try await request.value.string() == "second")
    }

    @Test(arguments: [true, false]) func failsWithTheErrorOfTheFirstWhereBothFail(isHedgeFirst: Bool) async throws {
        let (first, second) = (Barrier(), Barrier())
        let test = test(hedging(), .fails(first, .connectionClosed), .fails(second, .connectFailed))
        let request = test.ask("http://h/")
        await comeLate(test)
        (isHedgeFirst ? second : first).open()
        for _ in 0..<1000 { await Task.yield() }
        (isHedgeFirst ? first : second).open()
        #expect(await failure { try await request.value }?.code == .connectionClosed)
        try await assertNothingLeft(test.session)
    }

    // MARK: What was followed

    /// A session that hedges whole requests: what is asked for at first is led to one place, its hedge to another. Each
    /// answer waits for its barrier.
    private func redirected(_ barriers: [String: Barrier], first: String?, hedge: String?) -> TestSession {
        let roots = Shared(0)
        let transport = MockTransport { request in
            let path = request.target.path
            let root = path == "/" ? roots.increased(by: 1) : 0
            try await barriers[root > 0 ? "\(path)\(root)" : path]?.pass()
            guard root > 0, let place = root == 1 ? first : hedge else { return MockResponse(body: path) }
            return MockResponse(status: .found, fields: [.location: place])
        }
        return TestSession(over: transport) { $0.middleware = [hedging()] }
    }

    @Test func knowsTheRedirectsOfTheHedgeThatHasWon() async throws {
        let barriers = ["/1": Barrier(), "/a": Barrier(), "/b": Barrier()]
        let test = redirected(barriers, first: "/a", hedge: "/b")
        let request = test.ask("http://h/")
        await comeLate(test)
        #expect(await eventually { test.paths.contains("/b") })
        barriers["/1"]?.open()
        #expect(await eventually { test.paths.contains("/a") })
        barriers["/b"]?.open()
        let answer = try await request.value
        #expect(try answer.string() == "/b")
        #expect(answer.history.map { $0.fields[.location] } == ["/b"])
    }

    @Test(arguments: ["/a", nil]) func knowsTheRedirectsOfTheFirstThatHasWon(place: String?) async throws {
        let barriers = ["/1": Barrier(), "/a": Barrier(), "/b": Barrier()]
        let test = redirected(barriers, first: place, hedge: "/b")
        let request = test.ask("http://h/")
        await comeLate(test)
        #expect(await eventually { test.paths.contains("/b") })
        barriers["/a"]?.open()
        barriers["/1"]?.open()
        let answer = try await request.value
        let followed: [String?] = place.map { [$0] } ?? []
        #expect(answer.history.map { $0.fields[.location] } == followed)
    }

    // MARK: With a circuit breaker

    /// A session whose hedges are exchanges like others to the breaker.
    private func guarded(_ breaker: CircuitBreaker, _ handler: @escaping MockTransport.Handler) -> TestSession {
        TestSession(over: MockTransport(handler)) {
            $0.middleware = [hedging()]
            $0.networkMiddleware = [breaker]
        }
    }

    @Test func aHedgeThatIsRefusedLeavesItToTheTrial() async throws {
        let breaker = CircuitBreaker(minimumRequests: 1, openDuration: .seconds(10))
        let barrier = Barrier()
        let count = Shared(0)
        let test = guarded(breaker) { _ in
            if count.increased(by: 1) == 1 { throw ApusError(.connectFailed, "down") }
            try await barrier.pass()
            throw ApusError(.connectionClosed, "still down")
        }
        #expect(await failure { try await test.get("http://h/") }?.code == .connectFailed)
        test.clock.advance(by: .seconds(10))
        let trial = test.ask("http://h/")
        #expect(await eventually { test.requestCount == 2 })
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(500))
        #expect(await eventually { test.clock.sleeperCount == 0 })
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        // The hedge was refused with the code `circuitOpen`, which is not what is wrong.
        #expect(await failure { try await trial.value }?.code == .connectionClosed)
        #expect(test.requestCount == 2)
        try await assertNothingLeft(test.session)
    }

    @Test func aTrialThatLosesMakesRoomForAnother() async throws {
        let origin = Origin(scheme: .http, host: "h")
        let breaker = CircuitBreaker(minimumRequests: 1, openDuration: .milliseconds(100))
        let barrier = Barrier()
        let count = Shared(0)
        let test = guarded(breaker) { request in
            if request.target.path == "/fails" { throw ApusError(.connectFailed, "down") }
            guard count.increased(by: 1) != 2 else {
                try await Barrier().pass()
                return MockResponse()
            }
            try await barrier.pass()
            return MockResponse(body: "there")
        }
        // It has begun before the circuit opened; its hedge is the trial.
        let early = test.ask("http://h/")
        #expect(await eventually { test.requestCount == 1 })
        await test.clock.waitForSleepers(1)
        #expect(await failure { try await test.get("http://h/fails") }?.code == .connectFailed)
        test.clock.advance(by: .milliseconds(500))
        #expect(await eventually { test.requestCount == 3 })
        #expect(breaker.state(of: origin) == .halfOpen)
        barrier.open()
        #expect(try await early.value.string() == "there")
        #expect(breaker.state(of: origin) == .halfOpen)
        #expect(try await test.get("http://h/").string() == "there")
        #expect(breaker.state(of: origin) == .closed)
        try await assertNothingLeft(test.session)
    }

    @Test func discardsAnAnswerThatComesTooLate() async throws {
        // It answers though it was cancelled, with a content that knows what becomes of it.
        let gate = Deferred<Void>()
        let count = Shared(0)
        let source = Source()
        let stubborn = StubbornTransport { _ in
            guard count.increased(by: 1) == 1 else { return .whole(BodyChunk("second")) }
            await gate.value
            return .stream(source)
        }
        let clock = ManualClock()
        var configuration = Session.Configuration()
        configuration.time = clock
        configuration.networkMiddleware = [hedging()]
        let session = Session(configuration: configuration, transport: stubborn)
        let request = Task { try await session.get("http://h/") }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        #expect(await eventually { count.value == 2 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(!source.isDiscarded.value)
        gate.fulfill(())
        #expect(try await request.value.string() == "second")
        #expect(source.isDiscarded.value)
        try await assertNothingLeft(session)
    }

    @Test func cancelsBothWithTheRequest() async throws {
        let test = test(hedging())
        let request = test.ask("http://h/")
        await comeLate(test)
        request.cancel()
        #expect(await failure { try await request.value }?.isCancelled == true)
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func cancelsTheRequestBeforeItIsLate() async throws {
        let test = test(hedging())
        let request = test.ask("http://h/")
        await test.clock.waitForSleepers(1)
        #expect(await eventually { test.requestCount == 1 })
        request.cancel()
        #expect(await failure { try await request.value }?.isCancelled == true)
        #expect(test.clock.sleeperCount == 0)
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .patch, .trace])
    func leavesRequestsAloneThatChangeSomething(method: HTTPRequest.Method) async throws {
        let barrier = Barrier()
        let test = test(hedging(), .held(barrier, "first"))
        let request = Task { try await test.session.send(RequestMessage("http://h/", method: method)) }
        #expect(await eventually { test.requestCount == 1 })
        #expect(test.clock.sleeperCount == 0)
        barrier.open()
        #expect(try await request.value.status == .ok)
    }

    @Test(arguments: [HTTPRequest.Method.head, .options, .query])
    func hedgesRequestsThatOnlyAsk(method: HTTPRequest.Method) async throws {
        let test = test(hedging(), .hangs, .now("second"))
        let content: RequestBody = method == .query ? .string("a") : .none
        let request = Task { try await test.session.send(RequestMessage("http://h/", method: method, body: content)) }
        await comeLate(test)
        #expect(try await request.value.status == .ok)
        #expect(test.transport.requests.map(\.body.length) == [content.length, content.length])
    }

    @Test func leavesAContentAloneThatCanBeReadOnce() async throws {
        let barrier = Barrier()
        let test = test(hedging(), .held(barrier, "first"))
        let content = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        let request = Task { try await test.session.send(RequestMessage("http://h/", method: .query, body: content)) }
        #expect(await eventually { test.requestCount == 1 })
        #expect(test.clock.sleeperCount == 0)
        barrier.open()
        #expect(try await request.value.status == .ok)
    }

    @Test func hedgesNoMoreThanItsShare() async throws {
        let test = test(hedging(share: 0.5), .held(Barrier(), "never"), .hangs, .now("second"))
        let first = test.ask("http://h/")
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(500))
        #expect(await eventually { test.clock.sleeperCount == 0 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(test.requestCount == 1)
        first.cancel()
        _ = await failure { try await first.value }
        let second = test.ask("http://h/")
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(500))
        #expect(try await second.value.string() == "second")
        #expect(test.requestCount == 3)
    }

    @Test func learnsWhatIsLateOriginByOrigin() async throws {
        let origin = Origin(scheme: .http, host: "h")
        let hedging = Hedging(
            percentile: 0.9,
            share: 1,
            minimumSamples: 10,
            fallbackDelay: .seconds(3),
            minimumDelay: .milliseconds(20)
        )
        let clock = Shared<ManualClock?>(nil)
        let milliseconds = Shared(0)
        let test = TestSession(hedging) { _ in
            clock.value?.advance(by: .milliseconds(milliseconds.increased(by: 10)))
            return MockResponse()
        }
        clock.change { $0 = test.clock }
        for _ in 0..<9 { try await test.get("http://h/") }
        #expect(hedging.delay(for: origin) == .seconds(3))
        try await test.get("http://h/")
        #expect(hedging.delay(for: origin) == .milliseconds(90))
        #expect(hedging.delay(for: Origin(scheme: .http, host: "i")) == .seconds(3))
        milliseconds.change { $0 = -10 }
        for _ in 0..<128 {
            try await test.get("http://h/")
            milliseconds.change { $0 = -10 }
        }
        #expect(hedging.delay(for: origin) == .milliseconds(20))
    }
}

/// Answers though it was cancelled.
private struct StubbornTransport: Transport {
    let body: @Sendable (RequestMessage) async -> ResponseBody

    init(_ body: @escaping @Sendable (RequestMessage) async -> ResponseBody) {
        self.body = body
    }

    func send(
        _ request: consuming RequestMessage,
        context: RequestContext,
        record: ExchangeRecord
    ) async throws -> ResponseMessage {
        let body = await body(request)
        record.close(at: context.time.now)
        return ResponseMessage(status: .ok, body: body, record: record)
    }
}

/// A content that knows whether it was discarded.
private final class Source: BodySource {
    let isDiscarded = Shared(false)

    func next() async throws(ApusError) -> BodyChunk? { nil }
    func cancel() {}
    func discard() { isDiscarded.change { $0 = true } }
}

internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct HedgingTests {
    /// The server's behavior for one request, in order of arrival. Further requests hang until they are cancelled.
    private enum Behavior: Sendable {
        case now(String)
        case held(Barrier, String)
        case fails(Barrier, ApusError.Code)
        case hangs
    }

    private func test(_ hedging: Hedging, _ behaviors: Behavior...) -> TestSession {
        let remaining = LockedValue(behaviors)
        return TestSession(hedging) { _ in
            switch remaining.change({ $0.isEmpty ? .hangs : $0.removeFirst() }) {
            case .now(let text): return MockResponse(body: text)
            case .held(let barrier, let text):
                try await barrier.passUnlessCancelled()
                return MockResponse(body: text)
            case .fails(let barrier, let code):
                try await barrier.passUnlessCancelled()
                throw ApusError(code, "injected failure")
            case .hangs:
                try await Barrier().passUnlessCancelled()
                return MockResponse()
            }
        }
    }

    private func hedging(share: Double = 1, methods: Set<HTTPRequest.Method> = Hedging.safeMethods) -> Hedging {
        Hedging(share: share, fallbackDelay: .milliseconds(500), methods: methods)
    }

    /// Waits until the first request is late and its hedge has arrived.
    private func makeFirstLate(_ test: TestSession) async {
        #expect(await eventually { test.requestCount == 1 })
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(500))
        #expect(await eventually { test.requestCount >= 2 })
    }

    @Test func sendsNoHedgeIfTheResponseIsInTime() async throws {
        let test = test(hedging(), .now("first"))
        #expect(try await test.get("http://h/").string() == "first")
        #expect(test.requestCount == 1)
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func returnsTheResponseOfTheHedgeIfTheFirstIsLate() async throws {
        let test = test(hedging(), .hangs, .now("second"))
        let request = test.startGet("http://h/")
        await makeFirstLate(test)
        let response = try await request.value
        #expect(try response.string() == "second")
        #expect(response.metrics.exchanges.map(\.cause) == [.first, .hedge])
        #expect(response.metrics.exchanges.first?.error?.code == .cancelled)
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func returnsTheFirstResponseIfItBeatsTheHedge() async throws {
        let barrier = Barrier()
        let test = test(hedging(), .held(barrier, "first"))
        let request = test.startGet("http://h/")
        await makeFirstLate(test)
        barrier.open()
        #expect(try await request.value.string() == "first")
        try await assertNothingLeft(test.session)
    }

    @Test func sendsNoHedgeBeforeTheDelay() async throws {
        let barrier = Barrier()
        let test = test(hedging(), .held(barrier, "first"), .now("second"))
        let request = test.startGet("http://h/")
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(499))
        #expect(test.clock.sleeperCount == 1)
        barrier.open()
        #expect(try await request.value.string() == "first")
        #expect(test.requestCount == 1)
    }

    @Test func failsIfTheFirstFailsInTime() async throws {
        let barrier = Barrier()
        barrier.open()
        let test = test(hedging(), .fails(barrier, .connectFailed), .now("second"))
        #expect(await failure { try await test.get("http://h/") }?.code == .connectFailed)
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    @Test func waitsForTheHedgeIfTheFirstFailsLate() async throws {
        let (first, second) = (Barrier(), Barrier())
        let test = test(hedging(), .fails(first, .connectionClosed), .held(second, "second"))
        let request = test.startGet("http://h/")
        await makeFirstLate(test)
        first.open()
        second.open()
        #expect(try await request.value.string() == "second")
    }

    @Test(arguments: [true, false]) func failsWithTheErrorOfTheFirstIfBothFail(isHedgeFirst: Bool) async throws {
        let (first, second) = (Barrier(), Barrier())
        let test = test(hedging(), .fails(first, .connectionClosed), .fails(second, .connectFailed))
        let request = test.startGet("http://h/")
        await makeFirstLate(test)
        (isHedgeFirst ? second : first).open()
        for _ in 0..<1000 { await Task.yield() }
        (isHedgeFirst ? first : second).open()
        #expect(await failure { try await request.value }?.code == .connectionClosed)
        try await assertNothingLeft(test.session)
    }

    // MARK: Redirects

    /// Returns a session that hedges whole requests. The first request is redirected to one path, its hedge to another.
    /// Each response waits for its barrier.
    private func redirected(_ barriers: [String: Barrier], first: String?, hedge: String?) -> TestSession {
        let roots = LockedValue(0)
        let transport = MockTransport { request in
            let path = request.target.path
            let root = path == "/" ? roots.increased(by: 1) : 0
            try await barriers[root > 0 ? "\(path)\(root)" : path]?.passUnlessCancelled()
            guard root > 0, let destination = root == 1 ? first : hedge else { return MockResponse(body: path) }
            return MockResponse(status: .found, fields: [.location: destination])
        }
        return TestSession(over: transport) { $0.middleware = [hedging()] }
    }

    @Test func reportsTheRedirectsOfAWinningHedge() async throws {
        let barriers = ["/1": Barrier(), "/a": Barrier(), "/b": Barrier()]
        let test = redirected(barriers, first: "/a", hedge: "/b")
        let request = test.startGet("http://h/")
        await makeFirstLate(test)
        #expect(await eventually { test.paths.contains("/b") })
        barriers["/1"]?.open()
        #expect(await eventually { test.paths.contains("/a") })
        barriers["/b"]?.open()
        let response = try await request.value
        #expect(try response.string() == "/b")
        #expect(response.redirects.map { $0.fields[.location] } == ["/b"])
    }

    @Test(arguments: ["/a", nil]) func reportsTheRedirectsOfAWinningFirstRequest(destination: String?) async throws {
        let barriers = ["/1": Barrier(), "/a": Barrier(), "/b": Barrier()]
        let test = redirected(barriers, first: destination, hedge: "/b")
        let request = test.startGet("http://h/")
        await makeFirstLate(test)
        #expect(await eventually { test.paths.contains("/b") })
        barriers["/a"]?.open()
        barriers["/1"]?.open()
        let response = try await request.value
        let followed: [String?] = destination.map { [$0] } ?? []
        #expect(response.redirects.map { $0.fields[.location] } == followed)
    }

    // MARK: Circuit breaker

    /// Returns a session whose hedges pass through the breaker like other exchanges.
    private func guarded(_ breaker: CircuitBreaker, _ handler: @escaping MockTransport.Handler) -> TestSession {
        TestSession(over: MockTransport(handler)) {
            $0.middleware = [hedging()]
            $0.networkMiddleware = [breaker]
        }
    }

    @Test func waitsForTheTrialIfItsHedgeIsRejected() async throws {
        let breaker = CircuitBreaker(minimumRequests: 1, openDuration: .seconds(10))
        let barrier = Barrier()
        let count = LockedValue(0)
        let test = guarded(breaker) { _ in
            if count.increased(by: 1) == 1 { throw ApusError(.connectFailed, "down") }
            try await barrier.passUnlessCancelled()
            throw ApusError(.connectionClosed, "still down")
        }
        #expect(await failure { try await test.get("http://h/") }?.code == .connectFailed)
        test.clock.advance(by: .seconds(10))
        let trial = test.startGet("http://h/")
        #expect(await eventually { test.requestCount == 2 })
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(500))
        #expect(await eventually { test.clock.sleeperCount == 0 })
        for _ in 0..<1000 { await Task.yield() }
        barrier.open()
        // The hedge failed with `circuitOpen`, but the error of the trial is thrown.
        #expect(await failure { try await trial.value }?.code == .connectionClosed)
        #expect(test.requestCount == 2)
        try await assertNothingLeft(test.session)
    }

    @Test func admitsAnotherTrialAfterOneLosesTheRace() async throws {
        let origin = Origin(scheme: .http, host: "h")
        let breaker = CircuitBreaker(minimumRequests: 1, openDuration: .milliseconds(100))
        let barrier = Barrier()
        let count = LockedValue(0)
        let test = guarded(breaker) { request in
            if request.target.path == "/fails" { throw ApusError(.connectFailed, "down") }
            guard count.increased(by: 1) != 2 else {
                try await Barrier().passUnlessCancelled()
                return MockResponse()
            }
            try await barrier.passUnlessCancelled()
            return MockResponse(body: "there")
        }
        // This request began before the circuit opened, so its hedge is the trial.
        let early = test.startGet("http://h/")
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

    @Test func discardsALateResponse() async throws {
        // Responds although it was cancelled, with a body that records whether it is discarded.
        let gate = Deferred<Void>()
        let count = LockedValue(0)
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
        let request = test.startGet("http://h/")
        await makeFirstLate(test)
        request.cancel()
        #expect(await failure { try await request.value }?.isCancelled == true)
        #expect(test.clock.sleeperCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func cancelsTheRequestBeforeItIsLate() async throws {
        let test = test(hedging())
        let request = test.startGet("http://h/")
        await test.clock.waitForSleepers(1)
        #expect(await eventually { test.requestCount == 1 })
        request.cancel()
        #expect(await failure { try await request.value }?.isCancelled == true)
        #expect(test.clock.sleeperCount == 0)
        #expect(test.requestCount == 1)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .patch, .trace])
    func doesNotHedgeOtherMethods(method: HTTPRequest.Method) async throws {
        let barrier = Barrier()
        let test = test(hedging(), .held(barrier, "first"))
        let request = Task { try await test.session.send(RequestMessage("http://h/", method: method)) }
        #expect(await eventually { test.requestCount == 1 })
        #expect(test.clock.sleeperCount == 0)
        barrier.open()
        #expect(try await request.value.status == .ok)
    }

    @Test(arguments: [HTTPRequest.Method.head, .options, .query])
    func hedgesSafeMethods(method: HTTPRequest.Method) async throws {
        let test = test(hedging(), .hangs, .now("second"))
        let body: RequestBody = method == .query ? .string("a") : .none
        let request = Task { try await test.session.send(RequestMessage("http://h/", method: method, body: body)) }
        await makeFirstLate(test)
        #expect(try await request.value.status == .ok)
        #expect(test.transport.requests.map(\.body.length) == [body.length, body.length])
    }

    @Test func doesNotHedgeABodyThatCanBeReadOnlyOnce() async throws {
        let barrier = Barrier()
        let test = test(hedging(), .held(barrier, "first"))
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        let request = Task { try await test.session.send(RequestMessage("http://h/", method: .query, body: body)) }
        #expect(await eventually { test.requestCount == 1 })
        #expect(test.clock.sleeperCount == 0)
        barrier.open()
        #expect(try await request.value.status == .ok)
    }

    @Test func hedgesNoMoreThanItsShare() async throws {
        let test = test(hedging(share: 0.5), .held(Barrier(), "never"), .hangs, .now("second"))
        let first = test.startGet("http://h/")
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(500))
        #expect(await eventually { test.clock.sleeperCount == 0 })
        for _ in 0..<1000 { await Task.yield() }
        #expect(test.requestCount == 1)
        first.cancel()
        _ = await failure { try await first.value }
        let second = test.startGet("http://h/")
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(500))
        #expect(try await second.value.string() == "second")
        #expect(test.requestCount == 3)
    }

    @Test func learnsTheDelayOfEachOrigin() async throws {
        let origin = Origin(scheme: .http, host: "h")
        let hedging = Hedging(
            percentile: 0.9,
            share: 1,
            minimumSamples: 10,
            fallbackDelay: .seconds(3),
            minimumDelay: .milliseconds(20)
        )
        let clock = LockedValue<ManualClock?>(nil)
        let milliseconds = LockedValue(0)
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

/// A transport that responds although it was cancelled.
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

/// A body source that records whether it was discarded.
private final class Source: BodySource {
    let isDiscarded = LockedValue(false)

    func next() async throws(ApusError) -> BodyChunk? { nil }
    func cancel() {}
    func discard() { isDiscarded.change { $0 = true } }
}

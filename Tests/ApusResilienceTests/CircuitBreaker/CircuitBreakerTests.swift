internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@Suite(.timeLimit(.minutes(5))) struct CircuitBreakerTests {
    private let origin = Origin(scheme: .http, host: "h")
    private let changes = LockedValue<[CircuitChange]>([])

    private func breaker(trials: Int = 1) -> CircuitBreaker {
        CircuitBreaker(
            minimumRequests: 2,
            openDuration: .seconds(10),
            trials: trials,
            onChange: { [changes] change in changes.change { $0.append(change) } }
        )
    }

    /// Returns a session whose requests fail while `isDown` is true.
    private func test(_ breaker: CircuitBreaker, isDown: LockedValue<Bool>) -> TestSession {
        TestSession(breaker) { _ in
            if isDown.value { throw ApusError(.connectFailed, "down") }
            return MockResponse(body: "up")
        }
    }

    private func fail(_ test: TestSession, times: Int = 2, _ url: String = "http://h/") async {
        for _ in 0..<times { _ = await failure { try await test.get(url) } }
    }

    @Test func failsImmediatelyWhileOpen() async throws {
        let breaker = breaker()
        let test = test(breaker, isDown: LockedValue(true))
        await fail(test)
        #expect(breaker.state(of: origin) == .open(until: test.clock.now.advanced(by: .seconds(10))))
        test.clock.advance(by: .seconds(4))
        let error = try #require(await failure { try await test.get("http://h/x") })
        #expect(test.requestCount == 2)
        #expect(error.code == .circuitOpen)
        #expect(error.phase == .middleware)
        #expect(error.blame == .peer)
        #expect(error.url == "http://h/x")
        let reason = "2 of 2 exchanges within 30 s failed, the last with connectFailed"
        #expect(error.detail == "the circuit of http://h is open because \(reason); the next trial is in 6 s")
        let open = try #require(error.underlying as? OpenCircuit)
        #expect(open.origin == origin)
        #expect(open.remaining == .seconds(6))
        #expect(open.reason == reason)
        try await assertNothingLeft(test.session)
    }

    @Test func closesAfterASuccessfulTrial() async throws {
        let breaker = breaker()
        let isDown = LockedValue(true)
        let test = test(breaker, isDown: isDown)
        await fail(test)
        isDown.change { $0 = false }
        test.clock.advance(by: .seconds(10))
        #expect(try await test.get("http://h/").string() == "up")
        #expect(breaker.state(of: origin) == .closed)
        let until = test.clock.now
        #expect(changes.value.map(\.to) == [.open(until: until), .halfOpen, .closed])
        #expect(changes.value.map(\.from) == [.closed, .open(until: until), .halfOpen])
        #expect(changes.value.allSatisfy { $0.origin == origin })
        #expect(changes.value.last?.description == "the circuit of http://h is closed again")
    }

    @Test func reopensAfterAFailedTrial() async throws {
        let breaker = breaker()
        let test = test(breaker, isDown: LockedValue(true))
        await fail(test)
        test.clock.advance(by: .seconds(10))
        await fail(test, times: 3)
        #expect(test.requestCount == 3)
        #expect(breaker.state(of: origin) == .open(until: test.clock.now.advanced(by: .seconds(10))))
    }

    @Test func rejectsRequestsDuringATrial() async throws {
        let breaker = breaker()
        let barrier = Barrier()
        let isDown = LockedValue(true)
        let test = TestSession(breaker) { _ in
            if isDown.value { throw ApusError(.connectFailed, "down") }
            try await barrier.passUnlessCancelled()
            return MockResponse()
        }
        await fail(test)
        isDown.change { $0 = false }
        test.clock.advance(by: .seconds(10))
        let trial = test.startGet("http://h/")
        #expect(await eventually { test.requestCount == 3 })
        let error = await failure { try await test.get("http://h/") }
        #expect(error?.code == .circuitOpen)
        #expect(error?.detail.hasSuffix("a trial is in progress") == true)
        #expect((error?.underlying as? OpenCircuit)?.remaining == .some(nil))
        barrier.open()
        #expect(try await trial.value.status == .ok)
        #expect(breaker.state(of: origin) == .closed)
    }

    @Test func admitsAnotherTrialAfterACancelledOne() async throws {
        let breaker = breaker()
        let barrier = Barrier()
        let isDown = LockedValue(true)
        let test = TestSession(breaker) { _ in
            if isDown.value { throw ApusError(.connectFailed, "down") }
            try await barrier.passUnlessCancelled()
            return MockResponse()
        }
        await fail(test)
        isDown.change { $0 = false }
        test.clock.advance(by: .seconds(10))
        let trial = test.startGet("http://h/")
        #expect(await eventually { test.requestCount == 3 })
        trial.cancel()
        #expect(await failure { try await trial.value }?.isCancelled == true)
        #expect(breaker.state(of: origin) == .halfOpen)
        barrier.open()
        #expect(try await test.get("http://h/").status == .ok)
        #expect(breaker.state(of: origin) == .closed)
        try await assertNothingLeft(test.session)
    }

    @Test func doesNotCountCancelledRequests() async throws {
        let breaker = breaker()
        let test = TestSession(breaker) { _ in
            try await Barrier().passUnlessCancelled()
            return MockResponse()
        }
        for count in 1...4 {
            let request = test.startGet("http://h/")
            #expect(await eventually { test.requestCount == count })
            request.cancel()
            _ = await failure { try await request.value }
        }
        #expect(breaker.state(of: origin) == .closed)
    }

    @Test(arguments: [
        (200, false), (404, false), (429, false), (500, true), (501, false), (502, true), (503, true), (504, true),
    ])
    func countsStatuses(status: Int, isFailure: Bool) async throws {
        let breaker = breaker()
        let test = TestSession(breaker) { _ in MockResponse(status: HTTPResponse.Status(code: status)) }
        await fail(test)
        #expect((breaker.state(of: origin) != .closed) == isFailure)
        if isFailure { #expect(changes.value.first?.reason.hasSuffix("the last with status \(status)") == true) }
    }

    @Test(arguments: [
        (ApusError.Code.hostNotFound, true), (.connectTimeout, true), (.tlsFailed, true), (.sendFailed, true),
        (.readTimeout, true), (.connectionClosed, true), (.malformedResponse, true), (.requestBodyFailed, false),
        (.poolTimeout, false), (.bodyTooLarge, false), (.cancelled, false), (.deadlineExceeded, false),
        (.invalidRequest, false), (.circuitOpen, false),
    ])
    func countsErrors(code: ApusError.Code, isFailure: Bool) async {
        #expect(CircuitBreaker.isFailure(ApusError(code, "x")) == isFailure)
        let breaker = breaker()
        await fail(TestSession(breaker) { _ in throw ApusError(code, "x") })
        #expect((breaker.state(of: origin) != .closed) == isFailure)
    }

    @Test func countsConfiguredFailures() async {
        let breaker = CircuitBreaker(minimumRequests: 1, statuses: [418], isFailure: { $0.code == .poolTimeout })
        await fail(TestSession(breaker) { _ in MockResponse(status: 503) })
        await fail(TestSession(breaker) { _ in throw ApusError(.connectFailed, "x") })
        #expect(breaker.state(of: origin) == .closed)
        await fail(TestSession(breaker) { _ in throw ApusError(.poolTimeout, "x") }, "http://pool/")
        #expect(breaker.state(of: Origin(scheme: .http, host: "pool")) != .closed)
        await fail(TestSession(breaker) { _ in MockResponse(status: 418) }, "http://tea/")
        #expect(breaker.state(of: Origin(scheme: .http, host: "tea")) != .closed)
    }

    @Test func countsABodyThatBreaksOff() async {
        let breaker = CircuitBreaker(minimumRequests: 4)
        let test = TestSession(breaker) { _ in
            MockResponse(chunks: [BodyChunk("a")], failure: ApusError(.connectionClosed, "gone"))
        }
        await fail(test, times: 1)
        #expect(breaker.state(of: origin) == .closed)
        await fail(test, times: 1)
        #expect(breaker.state(of: origin) != .closed)
    }

    @Test func keepsOriginsApart() async throws {
        let breaker = breaker()
        let test = TestSession(breaker) { request in
            if request.target.origin.host == "h" { throw ApusError(.connectFailed, "down") }
            return MockResponse(body: "up")
        }
        await fail(test)
        #expect(try await test.get("http://other/").string() == "up")
        #expect(try await test.get("http://other:81/").string() == "up")
        #expect(breaker.state(of: origin) != .closed)
        #expect(breaker.state(of: Origin(scheme: .http, host: "other")) == .closed)
        #expect(breaker.state(of: Origin(scheme: .http, host: "unknown")) == .closed)
    }

    @Test func forgetsTheLeastRecentlyUsedOrigin() async {
        let breaker = breaker()
        let test = test(breaker, isDown: LockedValue(true))
        await fail(test)
        #expect(breaker.state(of: origin) != .closed)
        for number in 0..<CircuitBreaker.maximumOrigins { await fail(test, times: 1, "http://h\(number)/") }
        #expect(breaker.state(of: origin) == .closed)
    }

    private func chunkCount(of response: StreamedResponse) async throws -> Int {
        var count = 0
        for try await _ in response.body { count += 1 }
        return count
    }

    @Test func reopensIfTheBodyOfATrialBreaksOffDuringOthers() async throws {
        let breaker = breaker(trials: 3)
        let isDown = LockedValue(true)
        let test = TestSession(breaker) { request in
            if isDown.value { throw ApusError(.connectFailed, "down") }
            let isBroken = request.target.path == "/broken"
            let error = isBroken ? ApusError(.connectionClosed, "gone") : nil
            return MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")], failure: error)
        }
        await fail(test)
        isDown.change { $0 = false }
        test.clock.advance(by: .seconds(10))
        let broken = try await test.session.stream("http://h/broken")
        let other = try await test.session.stream("http://h/")
        #expect(breaker.state(of: origin) == .halfOpen)
        #expect(await failure { try await chunkCount(of: broken) }?.code == .connectionClosed)
        #expect(breaker.state(of: origin) == .open(until: test.clock.now.advanced(by: .seconds(10))))
        // Further outcomes of that round are ignored.
        #expect(try await chunkCount(of: other) == 2)
        #expect(breaker.state(of: origin) == .open(until: test.clock.now.advanced(by: .seconds(10))))
        try await assertNothingLeft(test.session)
    }
}

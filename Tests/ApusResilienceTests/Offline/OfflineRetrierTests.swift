internal import Apus
internal import ApusResilience
internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct OfflineRetrierTests {
    /// A network that is there when the test says so, and knows how often it was looked at.
    private final class FakeWatch: NetworkWatch {
        private let isThere: Shared<Bool>
        let lookCount = Shared(0)

        init(_ isThere: Bool) {
            self.isThere = Shared(isThere)
        }

        func isReachable() -> Bool {
            lookCount.change { $0 += 1 }
            return isThere.value
        }

        func comeBack() { isThere.change { $0 = true } }
    }

    private let clock = ManualClock()

    private let monitor = RecordingEventMonitor()

    /// What monitors were told.
    private var told: [String] { monitor.events.map { "\($0.event)" } }

    private func attempt(retryCount: Int = 0, body: RequestBody = .none) throws -> RequestAttempt {
        var configuration = Session.Configuration()
        configuration.time = clock
        configuration.eventMonitors = [monitor]
        return RequestAttempt(
            request: try RequestMessage("http://h/", method: .post, body: body),
            head: nil,
            data: nil,
            fileURL: nil,
            retryCount: retryCount,
            context: RequestContext(environment: SessionEnvironment(configuration: configuration))
        )
    }

    /// Asks the retrier, in a task of its own.
    private func ask(_ retrier: OfflineRetrier, _ code: ApusError.Code = .connectFailed) throws -> Task<String, Never> {
        let attempt = try attempt()
        return Task { "\(await retrier.retry(attempt, dueTo: ApusError(code, "x")))" }
    }

    /// Moves the clock by a time in which it is looked once.
    private func advance(_ duration: Duration, _ watch: FakeWatch) async {
        await clock.waitForSleepers(1)
        let count = watch.lookCount.value
        clock.advance(by: duration)
        #expect(await eventually { watch.lookCount.value == count + 1 })
    }

    /// Parity: AF-retry-offline, AF-retry-offline-interfaces
    @Test(arguments: [ApusError.Code.connectFailed, .hostNotFound, .resolveFailed])
    func goesAgainWhenThereIsANetwork(code: ApusError.Code) async throws {
        let watch = FakeWatch(false)
        let result = try ask(OfflineRetrier(watch: watch), code)
        await advance(.milliseconds(250), watch)
        await advance(.milliseconds(250), watch)
        watch.comeBack()
        await advance(.milliseconds(250), watch)
        #expect(await result.value == "retry")
        #expect(watch.lookCount.value == 4)
        #expect(clock.sleeperCount == 0)
        #expect(told == ["waits for a network"])
    }

    @Test func goesAgainAtOnceWhereThereIsOne() async throws {
        let result = try ask(OfflineRetrier(watch: FakeWatch(true)))
        #expect(await result.value == "retry")
        #expect(told.isEmpty)
    }

    /// Parity: AF-retry-offline
    @Test func givesUpInTime() async throws {
        let watch = FakeWatch(false)
        let result = try ask(OfflineRetrier(maximumWait: .milliseconds(600), watch: watch))
        await advance(.milliseconds(250), watch)
        await advance(.milliseconds(250), watch)
        await advance(.milliseconds(100), watch)
        #expect(await result.value == "doNotRetry")
        #expect(clock.sleeperCount == 0)
    }

    @Test(arguments: [ApusError.Code.connectTimeout, .readTimeout, .unacceptableStatus, .tlsFailed])
    func leavesOtherErrorsAlone(code: ApusError.Code) async throws {
        let watch = FakeWatch(true)
        let result = try ask(OfflineRetrier(watch: watch), code)
        #expect(await result.value == "doNotRetry")
        #expect(watch.lookCount.value == 0)
    }

    /// Parity: AF-retry-offline
    @Test func takesWhatItIsToldForOffline() async throws {
        let retrier = OfflineRetrier(codes: [], watch: FakeWatch(true)) { $0.code == .connectTimeout }
        let results = [try ask(retrier, .connectTimeout), try ask(retrier, .connectFailed)]
        #expect(await results[0].value == "retry")
        #expect(await results[1].value == "doNotRetry")
    }

    @Test(arguments: [(0, "retry"), (1, "retry"), (2, "doNotRetry"), (3, "doNotRetry")])
    func goesAgainNoMoreThanItsLimit(retryCount: Int, result: String) async throws {
        let attempt = try attempt(retryCount: retryCount)
        let answer = await OfflineRetrier(watch: FakeWatch(true)).retry(attempt, dueTo: ApusError(.connectFailed, "x"))
        #expect("\(answer)" == result)
    }

    @Test func leavesAContentAloneThatIsGone() async throws {
        let content = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        if case .once(let once) = content.storage { _ = try once.open() }
        let attempt = try attempt(body: content)
        let answer = await OfflineRetrier(watch: FakeWatch(true)).retry(attempt, dueTo: ApusError(.connectFailed, "x"))
        #expect("\(answer)" == "doNotRetry")
    }

    /// Parity: AF-retry-offline
    @Test func hasOneOfThemWatchForAll() async throws {
        let watch = FakeWatch(false)
        let retrier = OfflineRetrier(watch: watch)
        var results: [Task<String, Never>] = []
        for _ in 0..<20 { results.append(try ask(retrier)) }
        #expect(await eventually { retrier.waitingCount == 20 })
        await advance(.milliseconds(250), watch)
        #expect(watch.lookCount.value == 2)
        #expect(clock.sleeperCount <= 1)
        watch.comeBack()
        await advance(.milliseconds(250), watch)
        for result in results { #expect(await result.value == "retry") }
        #expect(retrier.waitingCount == 0)
        #expect(told == Array(repeating: "waits for a network", count: 20))
    }

    /// Parity: AF-retry-offline
    @Test func eachWaitsItsOwnTime() async throws {
        let watch = FakeWatch(false)
        let retrier = OfflineRetrier(maximumWait: .milliseconds(300), watch: watch)
        let first = try ask(retrier)
        await advance(.milliseconds(250), watch)
        let second = try ask(retrier)
        #expect(await eventually { retrier.waitingCount == 2 })
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        #expect(await first.value == "doNotRetry")
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(249))
        watch.comeBack()
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(1))
        #expect(await second.value == "retry")
        // Who goes on watching for another has said already that it waits.
        #expect(told.count == 2)
    }

    @Test(arguments: [0, 1]) func whoIsCancelledWaitsNoLonger(index: Int) async throws {
        let watch = FakeWatch(false)
        let retrier = OfflineRetrier(watch: watch)
        var results: [Task<String, Never>] = []
        for count in 1...2 {
            results.append(try ask(retrier))
            #expect(await eventually { retrier.waitingCount == count })
        }
        results[index].cancel()
        #expect(await results[index].value == "doNotRetry")
        #expect(retrier.waitingCount == 1)
        await clock.waitForSleepers(1)
        watch.comeBack()
        clock.advance(by: .milliseconds(250))
        #expect(await results[1 - index].value == "retry")
        #expect(retrier.waitingCount == 0)
    }

    /// What was redirected has been carried out.
    @Test(arguments: [(HTTPRequest.Method.post, 1), (.patch, 1), (.put, 3), (.get, 3)])
    func repeatsNothingThatWasFollowedByARedirect(method: HTTPRequest.Method, count: Int) async throws {
        let transport = MockTransport { request in
            guard request.target.path == "/" else { throw ApusError(.hostNotFound, "there is no network") }
            return MockResponse(status: .seeOther, fields: [.location: "/there"])
        }
        let test = TestSession(over: transport) {
            $0.interceptor = Interceptor(retriers: [OfflineRetrier(watch: FakeWatch(true))])
        }
        let error = await failure { try await test.session.send(RequestMessage("http://h/", method: method)) }
        #expect(error?.code == .hostNotFound)
        #expect(test.paths.count { $0 == "/" } == count)
        try await assertNothingLeft(test.session)
    }

    @Test func keepsItsLineBounded() async throws {
        let watch = FakeWatch(false)
        let retrier = OfflineRetrier(maximumWaiting: 2, watch: watch)
        let results = [try ask(retrier), try ask(retrier)]
        #expect(await eventually { retrier.waitingCount == 2 })
        let third = try ask(retrier)
        #expect(await third.value == "doNotRetry")
        #expect(retrier.waitingCount == 2)
        await clock.waitForSleepers(1)
        watch.comeBack()
        clock.advance(by: .milliseconds(250))
        for result in results { #expect(await result.value == "retry") }
        let late = try ask(retrier)
        #expect(await late.value == "retry")
    }

    @Test func bringsARequestThroughASession() async throws {
        let watch = FakeWatch(false)
        let transport = MockTransport { _ in
            guard watch.isReachable() else { throw ApusError(.connectFailed, "there is no network") }
            return MockResponse(body: "there")
        }
        var configuration = Session.Configuration()
        configuration.time = clock
        configuration.interceptor = Interceptor(retriers: [OfflineRetrier(watch: watch)])
        let session = Session(configuration: configuration, transport: transport)
        let answer = session.request("http://h/").serializingString()
        async let text = answer.value
        await clock.waitForSleepers(1)
        watch.comeBack()
        clock.advance(by: .milliseconds(250))
        #expect(try await text == "there")
        #expect(transport.requests.count == 2)
        try await assertNothingLeft(session)
    }

    @Test func letsARequestFailThatFoundNoNetworkInTime() async throws {
        var configuration = Session.Configuration()
        configuration.time = clock
        let retrier = OfflineRetrier(maximumWait: .milliseconds(100), watch: FakeWatch(false))
        configuration.interceptor = Interceptor(retriers: [retrier])
        let transport = MockTransport { _ in throw ApusError(.connectFailed, "there is no network") }
        let session = Session(configuration: configuration, transport: transport)
        let request = Task { try await session.get("http://h/") }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(100))
        #expect(await failure { try await request.value }?.code == .connectFailed)
        #expect(transport.requests.count == 1)
        try await assertNothingLeft(session)
    }
}

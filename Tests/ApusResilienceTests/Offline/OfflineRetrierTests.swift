internal import Apus
internal import ApusResilience
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct OfflineRetrierTests {
    /// A network that is reachable when the test decides so, and that counts the checks.
    private final class FakeWatch: NetworkWatch {
        private let isUp: LockedValue<Bool>
        let checkCount = LockedValue(0)

        init(_ isUp: Bool) {
            self.isUp = LockedValue(isUp)
        }

        func isReachable() -> Bool {
            checkCount.change { $0 += 1 }
            return isUp.value
        }

        func reconnect() { isUp.change { $0 = true } }
    }

    private let clock = ManualClock()

    private let monitor = RecordingEventMonitor()

    /// The events of the monitor.
    private var eventTexts: [String] { monitor.events.map { "\($0.event)" } }

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

    /// Calls the retrier in a new task.
    private func startRetry(
        _ retrier: OfflineRetrier,
        _ code: ApusError.Code = .connectFailed
    ) throws -> Task<String, Never> {
        let attempt = try attempt()
        return Task { "\(await retrier.retry(attempt, dueTo: ApusError(code, "x")))" }
    }

    /// Advances the clock by a duration in which the network is checked once.
    private func advance(_ duration: Duration, _ watch: FakeWatch) async {
        await clock.waitForSleepers(1)
        let count = watch.checkCount.value
        clock.advance(by: duration)
        #expect(await eventually { watch.checkCount.value == count + 1 })
    }

    /// Parity: AF-retry-offline, AF-retry-offline-interfaces
    @Test(arguments: [ApusError.Code.connectFailed, .hostNotFound, .resolveFailed])
    func retriesWhenTheNetworkIsBack(code: ApusError.Code) async throws {
        let watch = FakeWatch(false)
        let result = try startRetry(OfflineRetrier(watch: watch), code)
        await advance(.milliseconds(250), watch)
        await advance(.milliseconds(250), watch)
        watch.reconnect()
        await advance(.milliseconds(250), watch)
        #expect(await result.value == "retry")
        #expect(watch.checkCount.value == 4)
        #expect(clock.sleeperCount == 0)
        #expect(eventTexts == ["waiting for a network"])
    }

    @Test func retriesImmediatelyIfThereIsANetwork() async throws {
        let result = try startRetry(OfflineRetrier(watch: FakeWatch(true)))
        #expect(await result.value == "retry")
        #expect(eventTexts.isEmpty)
    }

    /// Parity: AF-retry-offline
    @Test func stopsAfterTheMaximumWait() async throws {
        let watch = FakeWatch(false)
        let result = try startRetry(OfflineRetrier(maximumWait: .milliseconds(600), watch: watch))
        await advance(.milliseconds(250), watch)
        await advance(.milliseconds(250), watch)
        await advance(.milliseconds(100), watch)
        #expect(await result.value == "doNotRetry")
        #expect(clock.sleeperCount == 0)
    }

    @Test(arguments: [ApusError.Code.connectTimeout, .readTimeout, .unacceptableStatus, .tlsFailed])
    func leavesOtherErrorsAlone(code: ApusError.Code) async throws {
        let watch = FakeWatch(true)
        let result = try startRetry(OfflineRetrier(watch: watch), code)
        #expect(await result.value == "doNotRetry")
        #expect(watch.checkCount.value == 0)
    }

    /// Parity: AF-retry-offline
    @Test func usesThePredicateForOfflineErrors() async throws {
        let retrier = OfflineRetrier(codes: [], watch: FakeWatch(true)) { $0.code == .connectTimeout }
        let results = [try startRetry(retrier, .connectTimeout), try startRetry(retrier, .connectFailed)]
        #expect(await results[0].value == "retry")
        #expect(await results[1].value == "doNotRetry")
    }

    @Test(arguments: [(0, "retry"), (1, "retry"), (2, "doNotRetry"), (3, "doNotRetry")])
    func limitsTheNumberOfRetries(retryCount: Int, result: String) async throws {
        let attempt = try attempt(retryCount: retryCount)
        let retrier = OfflineRetrier(watch: FakeWatch(true))
        let decision = await retrier.retry(attempt, dueTo: ApusError(.connectFailed, "x"))
        #expect("\(decision)" == result)
    }

    @Test func doesNotRetryIfTheBodyWasConsumed() async throws {
        let body = RequestBody.once(AsyncStream<BodyChunk> { $0.finish() })
        if case .once(let once) = body.storage { _ = try once.open() }
        let attempt = try attempt(body: body)
        let retrier = OfflineRetrier(watch: FakeWatch(true))
        let decision = await retrier.retry(attempt, dueTo: ApusError(.connectFailed, "x"))
        #expect("\(decision)" == "doNotRetry")
    }

    /// Parity: AF-retry-offline
    @Test func checksTheNetworkOnceForAllRequests() async throws {
        let watch = FakeWatch(false)
        let retrier = OfflineRetrier(watch: watch)
        var results: [Task<String, Never>] = []
        for _ in 0..<20 { results.append(try startRetry(retrier)) }
        #expect(await eventually { retrier.waitingCount == 20 })
        await advance(.milliseconds(250), watch)
        #expect(watch.checkCount.value == 2)
        #expect(clock.sleeperCount <= 1)
        watch.reconnect()
        await advance(.milliseconds(250), watch)
        for result in results { #expect(await result.value == "retry") }
        #expect(retrier.waitingCount == 0)
        #expect(eventTexts == Array(repeating: "waiting for a network", count: 20))
    }

    /// Parity: AF-retry-offline
    @Test func limitsTheWaitOfEachRequest() async throws {
        let watch = FakeWatch(false)
        let retrier = OfflineRetrier(maximumWait: .milliseconds(300), watch: watch)
        let first = try startRetry(retrier)
        await advance(.milliseconds(250), watch)
        let second = try startRetry(retrier)
        #expect(await eventually { retrier.waitingCount == 2 })
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        #expect(await first.value == "doNotRetry")
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(249))
        watch.reconnect()
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(1))
        #expect(await second.value == "retry")
        // A request that takes over the checks does not report again that it waits.
        #expect(eventTexts.count == 2)
    }

    @Test(arguments: [0, 1]) func releasesCancelledRequests(index: Int) async throws {
        let watch = FakeWatch(false)
        let retrier = OfflineRetrier(watch: watch)
        var results: [Task<String, Never>] = []
        for count in 1...2 {
            results.append(try startRetry(retrier))
            #expect(await eventually { retrier.waitingCount == count })
        }
        results[index].cancel()
        #expect(await results[index].value == "doNotRetry")
        #expect(retrier.waitingCount == 1)
        await clock.waitForSleepers(1)
        watch.reconnect()
        clock.advance(by: .milliseconds(250))
        #expect(await results[1 - index].value == "retry")
        #expect(retrier.waitingCount == 0)
    }

    /// The server has already processed a request that it redirects.
    @Test(arguments: [(HTTPRequest.Method.post, 1), (.patch, 1), (.put, 3), (.get, 3)])
    func repeatsOnlyIdempotentRequestsAfterARedirect(method: HTTPRequest.Method, count: Int) async throws {
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

    @Test func limitsItsQueue() async throws {
        let watch = FakeWatch(false)
        let retrier = OfflineRetrier(maximumWaiting: 2, watch: watch)
        let results = [try startRetry(retrier), try startRetry(retrier)]
        #expect(await eventually { retrier.waitingCount == 2 })
        let third = try startRetry(retrier)
        #expect(await third.value == "doNotRetry")
        #expect(retrier.waitingCount == 2)
        await clock.waitForSleepers(1)
        watch.reconnect()
        clock.advance(by: .milliseconds(250))
        for result in results { #expect(await result.value == "retry") }
        let late = try startRetry(retrier)
        #expect(await late.value == "retry")
    }

    @Test func retriesARequestOfASession() async throws {
        let watch = FakeWatch(false)
        let transport = MockTransport { _ in
            guard watch.isReachable() else { throw ApusError(.connectFailed, "there is no network") }
            return MockResponse(body: "there")
        }
        var configuration = Session.Configuration()
        configuration.time = clock
        configuration.interceptor = Interceptor(retriers: [OfflineRetrier(watch: watch)])
        let session = Session(configuration: configuration, transport: transport)
        let task = session.request("http://h/").serializingString()
        async let text = task.value
        await clock.waitForSleepers(1)
        watch.reconnect()
        clock.advance(by: .milliseconds(250))
        #expect(try await text == "there")
        #expect(transport.requests.count == 2)
        try await assertNothingLeft(session)
    }

    @Test func failsARequestWithoutANetworkInTime() async throws {
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

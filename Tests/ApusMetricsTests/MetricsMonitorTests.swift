internal import Apus
internal import ApusTesting
internal import Dispatch
internal import HTTPTypes
internal import Metrics
internal import MetricsTestKit
internal import Testing

@testable internal import ApusMetrics

@Suite(.timeLimit(.minutes(5))) struct MetricsMonitorTests {
    private let metrics = TestMetrics()

    private func session(
        _ monitor: MetricsMonitor,
        _ handler: @escaping MockTransport.Handler
    ) -> Session {
        var configuration = Session.Configuration()
        configuration.eventMonitors = [monitor]
        return Session(configuration: configuration, transport: MockTransport(handler))
    }

    private func monitor(prefix: String = "", hostLimit: Int = 100) -> MetricsMonitor {
        MetricsMonitor(prefix: prefix, hostLimit: hostLimit, factory: metrics, latency: .zero)
    }

    private func monitorFromScope() -> MetricsMonitor { withMetricsFactory(metrics) { MetricsMonitor(latency: .zero) } }

    private func total(_ counter: String, _ dimensions: [(String, String)]) throws -> Int64 {
        try metrics.expectCounter(counter, dimensions).totalValue
    }

    private static func hostDimensions(_ host: String) -> [(String, String)] { [("server.address", host)] }

    private static func route(_ method: String, _ host: String = "h") -> [(String, String)] {
        hostDimensions(host) + [("http.request.method", method)]
    }

    private static func outcome(_ method: String, _ error: String, _ host: String = "h") -> [(String, String)] {
        route(method, host) + [("error.type", error)]
    }

    private static func exchange(_ method: String, _ status: String, _ error: String) -> [(String, String)] {
        route(method) + [("http.response.status_code", status), ("error.type", error)]
    }

    @Test func countsRequestsAndExchanges() async throws {
        let monitor = monitor()
        let session = session(monitor) { request in
            MockResponse(status: request.target.path == "/missing" ? .notFound : .ok, body: "hello")
        }
        _ = try await session.get("http://h/")
        _ = try await session.get("http://h/")
        _ = try await session.get("http://h/missing")
        _ = try await session.post("http://h/", body: .string("question"))
        monitor.queue.sync {}

        #expect(try total("http.client.requests.begun", Self.route("GET")) == 3)
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "")) == 3)
        #expect(try total("http.client.requests.ended", Self.outcome("POST", "")) == 1)
        #expect(try total("http.client.exchanges", Self.exchange("GET", "2xx", "")) == 2)
        #expect(try total("http.client.exchanges", Self.exchange("GET", "4xx", "")) == 1)
        let durations = try metrics.expectTimer("http.client.request.duration", Self.exchange("GET", "2xx", ""))
        #expect(durations.values.count == 2 && durations.displayUnit == .seconds)
        #expect(try total("http.client.bytes.received", Self.hostDimensions("h")) == 20)
        let sizes = try metrics.expectRecorder("http.client.response.body.size", Self.route("POST"))
        #expect(sizes.values == [5] && sizes.aggregate)
    }

    @Test func countsFailuresByTheirCode() async throws {
        let monitor = monitor()
        let session = session(monitor) { request in
            if request.target.path == "/closed" { throw ApusError(.connectFailed, "refused") }
            return MockResponse(status: .internalServerError, body: "no number")
        }
        _ = try? await session.get("http://h/closed")
        _ = await session.request("http://h/").validate().serializingData().response
        _ = await session.request("http://h/").serializingDecodable(Int.self).response
        _ = await session.request("no URL").serializingData().response
        monitor.queue.sync {}

        #expect(try total("http.client.exchanges", Self.exchange("GET", "", "connectFailed")) == 1)
        #expect(try total("http.client.exchanges", Self.exchange("GET", "5xx", "")) == 2)
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "connectFailed")) == 1)
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "unacceptableStatus")) == 1)
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "decodingFailed")) == 1)
        #expect(try total("http.client.requests.ended", Self.outcome("", "invalidURL", "")) == 1)
        #expect(try total("http.client.requests.begun", Self.route("GET")) == 3)
    }

    @Test func countsActiveRequests() async throws {
        let monitor = monitor()
        let session = session(monitor) { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        let response = try await session.stream("http://h/")
        monitor.queue.sync {}
        let active = try metrics.expectMeter("http.client.active_requests", Self.route("GET"))
        #expect(active.lastValue == 1)
        for try await _ in response.body {}
        monitor.queue.sync {}
        #expect(active.lastValue == 0)
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "")) == 1)
    }

    @Test func doesNotCountALaterSerializationAsARequest() async throws {
        let monitor = monitor()
        let session = session(monitor) { _ in MockResponse(body: "ok") }
        let request = session.request("http://h/")
        _ = await request.serializingData().response
        _ = await request.serializingDecodable(Int.self).response
        monitor.queue.sync {}
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "")) == 1)
        #expect(try metrics.expectMeter("http.client.active_requests", Self.route("GET")).lastValue == 0)
    }

    /// Fails to make one of its requests.
    private final class FlakyConvertible: RequestConvertible {
        private let failing: Int
        private let calls = Lock(0)

        init(failing: Int) { self.failing = failing }

        func asRequest() throws -> RequestMessage {
            let number = calls.withLock { calls in
                defer { calls += 1 }
                return calls
            }
            guard number != failing else { throw ApusError(.invalidURL, "not this time") }
            return try RequestMessage("http://h/")
        }
    }

    private struct Rebuilding: RequestRetrier {
        func retry(_ attempt: RequestAttempt, dueTo error: ApusError) async -> RetryResult { .doNotRetry }

        func retryCreation(dueTo error: ApusError, context: RequestContext) async -> RetryResult { .retry }
    }

    @Test func countsARequestOnceThatIsBuiltAgain() async throws {
        let monitor = monitor()
        var configuration = Session.Configuration()
        configuration.eventMonitors = [monitor]
        let session = Session(configuration: configuration, transport: MockTransport { _ in MockResponse(body: "ok") })
        let request = session.request(FlakyConvertible(failing: 0)).retry(using: Rebuilding())
        #expect(await request.serializingData().response.error == nil)
        monitor.queue.sync {}
        #expect(try total("http.client.requests.begun", Self.route("GET")) == 1)
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "")) == 1)
        #expect(throws: (any Error).self) {
            try total("http.client.requests.ended", Self.outcome("", "invalidURL", ""))
        }
        #expect(try metrics.expectMeter("http.client.active_requests", Self.route("GET")).lastValue == 0)
    }

    @Test func countsARequestOnceIfItsRetryCannotBeCreated() async throws {
        let monitor = monitor()
        var configuration = Session.Configuration()
        configuration.eventMonitors = [monitor]
        let retrier = Retrier { attempt, _ in attempt.retryCount == 0 ? .retry : .doNotRetry }
        configuration.interceptor = Interceptor(retriers: [retrier])
        let transport = MockTransport { _ in throw ApusError(.connectFailed, "refused") }
        let session = Session(configuration: configuration, transport: transport)
        let response = await session.request(FlakyConvertible(failing: 1)).serializingData().response
        #expect(response.error?.code == .invalidURL)
        monitor.queue.sync {}

        #expect(try total("http.client.requests.ended", Self.outcome("GET", "invalidURL")) == 1)
        #expect(throws: (any Error).self) {
            try total("http.client.requests.ended", Self.outcome("", "invalidURL", ""))
        }
        #expect(try metrics.expectMeter("http.client.active_requests", Self.route("GET")).lastValue == 0)
    }

    /// A handle creates its request again for a retry, but the request begins only once.
    @Test func countsARetriedRequestOnce() async throws {
        let monitor = monitor()
        var configuration = Session.Configuration()
        configuration.eventMonitors = [monitor]
        let retrier = Retrier { attempt, _ in attempt.retryCount == 0 ? .retry : .doNotRetry }
        configuration.interceptor = Interceptor(retriers: [retrier])
        let transport = MockTransport { _ in throw ApusError(.connectFailed, "refused") }
        let session = Session(configuration: configuration, transport: transport)
        _ = await session.request("http://h/").serializingData().response
        monitor.queue.sync {}
        #expect(transport.requests.count == 2)
        #expect(try total("http.client.requests.begun", Self.route("GET")) == 1)
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "connectFailed")) == 1)
        let active = try metrics.expectMeter("http.client.active_requests", Self.route("GET"))
        #expect(active.values == [1, 0])
    }

    @Test func countsRedirects() async throws {
        let monitor = monitor()
        let session = session(monitor) { request in
            request.target.path == "/old"
                ? MockResponse(status: .found, fields: [.location: "http://i/new"]) : MockResponse()
        }
        _ = try await session.get("http://h/old")
        monitor.queue.sync {}
        #expect(try total("http.client.redirects", Self.route("GET", "i")) == 1)
        #expect(try total("http.client.redirects", Self.route("GET", "h")) == 0)
        #expect(try total("http.client.requests.begun", Self.route("GET", "h")) == 1)
        #expect(try total("http.client.requests.begun", Self.route("GET", "i")) == 0)
        #expect(try total("http.client.exchanges", Self.exchange("GET", "3xx", "")) == 1)
    }

    @Test func countsRetriesByTheirReason() throws {
        let monitor = monitor()
        let request = RequestSummary(id: RequestID(number: 1))
        monitor.request(request, did: .created(try RequestMessage("http://h/")))
        let failure = ApusError(.readTimeout, "silence")
        monitor.request(request, did: .completed(ResponseSummary(error: failure)))
        monitor.request(request, did: .retrying(after: .zero, dueTo: failure))
        monitor.request(request, did: .completed(ResponseSummary()))
        monitor.request(request, did: .retrying(after: .zero, dueTo: nil))
        monitor.request(request, did: .completed(ResponseSummary()))
        monitor.request(request, did: .finished)
        #expect(try total("http.client.retries", Self.outcome("GET", "readTimeout")) == 1)
        #expect(try total("http.client.retries", Self.outcome("GET", "")) == 1)
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "")) == 1)
        #expect(metrics.counters(label: "http.client.requests.ended").count == 1)
    }

    @Test(arguments: [
        (ExchangeCause.redirect, "redirects"), (.challenge, "challenges"), (.hedge, "hedges"),
    ])
    func countsExchangesByTheirCause(cause: ExchangeCause, name: String) throws {
        let message = RequestMessage(method: .put, target: try TargetURI("http://h/"))
        let request = RequestSummary(id: RequestID(number: 1))
        monitor().request(request, did: .exchangeBegan(message, cause: cause))
        for other in ["redirects", "challenges", "hedges", "resends"] {
            #expect(try total("http.client.\(other)", Self.route("PUT")) == (other == name ? 1 : 0))
        }
    }

    @Test func measuresThePhasesOfAnExchange() throws {
        let record = ExchangeRecord(
            method: .get,
            target: try TargetURI("https://h/"),
            cause: .first,
            begin: MonotonicInstant(nanoseconds: 1000)
        )
        record.close(at: MonotonicInstant(nanoseconds: 2000)) { exchange in
            let at = { MonotonicInstant(nanoseconds: $0) }
            exchange.resolveBegin = at(1010)
            exchange.resolveEnd = at(1030)
            exchange.connectBegin = at(1030)
            exchange.connectEnd = at(1070)
            exchange.tlsBegin = at(1070)
            exchange.tlsEnd = at(1150)
            exchange.connectionReady = at(1150)
            exchange.requestBegin = at(1150)
            exchange.requestEnd = at(1310)
            exchange.responseBegin = at(1630)
            exchange.requestHeadBytes = 100
            exchange.requestBodyBytes = 7
            exchange.responseHeadBytes = 200
            exchange.responseBodyBytes = 9
            exchange.resendCount = 1
            exchange.status = .ok
        }
        monitor().request(RequestSummary(id: RequestID(number: 1)), did: .exchangeEnded(record))
        let phases = ["queue": 10, "dns": 20, "connect": 40, "tls": 80, "send": 160, "wait": 320, "receive": 370]
        for (phase, duration) in phases {
            let dimensions = Self.hostDimensions("h") + [("http.client.phase", phase)]
            #expect(try metrics.expectTimer("http.client.phase.duration", dimensions).values == [Int64(duration)])
        }
        #expect(try total("http.client.bytes.sent", Self.hostDimensions("h")) == 107)
        #expect(try total("http.client.bytes.received", Self.hostDimensions("h")) == 209)
        #expect(try total("http.client.connections.opened", Self.hostDimensions("h")) == 1)
        #expect(try total("http.client.connections.reused", Self.hostDimensions("h")) == 0)
        #expect(try total("http.client.resends", Self.route("GET")) == 1)
        #expect(try metrics.expectRecorder("http.client.request.body.size", Self.route("GET")).values == [7])
    }

    @Test func measuresThePhasesOnAReusedConnection() throws {
        let begin = MonotonicInstant(nanoseconds: 1000)
        let record = ExchangeRecord(method: .get, target: try TargetURI("http://h/"), cause: .first, begin: begin)
        record.close(at: MonotonicInstant(nanoseconds: 1500)) { exchange in
            exchange.isReused = true
            exchange.connectionReady = MonotonicInstant(nanoseconds: 1100)
            exchange.requestBegin = MonotonicInstant(nanoseconds: 1100)
            exchange.requestEnd = MonotonicInstant(nanoseconds: 1400)
            // The response began before the request ended.
            exchange.responseBegin = MonotonicInstant(nanoseconds: 1300)
        }
        monitor().request(RequestSummary(id: RequestID(number: 1)), did: .exchangeEnded(record))
        let values = { (phase: String) in
            let dimensions = Self.hostDimensions("h") + [("http.client.phase", phase)]
            return try metrics.expectTimer("http.client.phase.duration", dimensions).values
        }
        #expect(try values("queue") == [100])
        #expect(try values("wait") == [0])
        #expect(try values("receive") == [200])
        for phase in ["dns", "connect", "tls"] { #expect(try values(phase).isEmpty) }
        #expect(try total("http.client.connections.reused", Self.hostDimensions("h")) == 1)
    }

    @Test func limitsTheNumberOfDistinctHosts() async throws {
        let monitor = monitor(hostLimit: 2)
        let session = session(monitor) { _ in MockResponse() }
        for host in ["a", "b", "c", "a", "d"] { _ = try await session.get("http://\(host)/") }
        monitor.queue.sync {}
        let begun = metrics.counters(label: "http.client.requests.begun")
        let totals = begun.map { "\($0.dimensions[0].1) \($0.totalValue)" }
        #expect(Set(totals) == ["a 2", "b 1", "other 2"])
    }

    @Test func groupsAllHostsIfTheLimitIsZero() async throws {
        let monitor = monitor(hostLimit: 0)
        let session = session(monitor) { _ in MockResponse() }
        _ = try await session.get("http://a/")
        monitor.queue.sync {}
        #expect(try total("http.client.requests.begun", Self.route("GET", "other")) == 1)
    }

    @Test func groupsUnknownMethods() async throws {
        let monitor = monitor()
        let session = session(monitor) { _ in MockResponse() }
        for name in ["BREW", "get", "PROPFIND"] {
            let method = try #require(HTTPRequest.Method(name))
            _ = try await session.send(RequestMessage("http://h/", method: method))
        }
        monitor.queue.sync {}
        #expect(try total("http.client.requests.begun", Self.route("_OTHER")) == 3)
    }

    @Test func createsEachMetricOnceUnderItsPrefix() async throws {
        let monitor = monitor(prefix: "shop.")
        let session = session(monitor) { _ in MockResponse() }
        for _ in 0..<5 { _ = try await session.get("http://h/") }
        monitor.queue.sync {}
        #expect(metrics.counters.allSatisfy { $0.label.hasPrefix("shop.http.client.") })
        #expect(metrics.timers.allSatisfy { $0.label.hasPrefix("shop.http.client.") })
        #expect(metrics.timers(label: "shop.http.client.request.duration").count == 1)
    }

    /// Backends such as Prometheus trap if a metric is created again with different dimensions.
    @Test func usesTheSameDimensionsForEachMetric() async throws {
        let monitor = monitor()
        let session = session(monitor) { request in
            if request.target.path == "/closed" { throw ApusError(.connectFailed, "refused") }
            return MockResponse()
        }
        _ = try? await session.get("http://h/closed")
        _ = try? await session.get("http://h/")
        _ = await session.request("no URL").serializingData().response
        monitor.queue.sync {}
        var seen: [String: [String]] = [:]
        let all =
            metrics.counters.map { ($0.label, $0.dimensions) } + metrics.timers.map { ($0.label, $0.dimensions) }
            + metrics.recorders.map { ($0.label, $0.dimensions) } + metrics.meters.map { ($0.label, $0.dimensions) }
        for (label, dimensions) in all {
            #expect(seen[label, default: dimensions.map(\.0)] == dimensions.map(\.0))
            seen[label] = dimensions.map(\.0)
        }
        #expect(seen.count == 16)
    }

    @Test func readsTheFactoryAtInitialization() async throws {
        let monitor = monitorFromScope()
        let session = session(monitor) { _ in MockResponse() }
        _ = try await session.get("http://h/")
        monitor.queue.sync {}
        #expect(try total("http.client.requests.begun", Self.route("GET")) == 1)
    }

    @Test func servesSeveralSessionsAtOnce() async throws {
        let monitor = monitor()
        let sessions = (0..<4).map { _ in session(monitor) { _ in MockResponse() } }
        await withTaskGroup(of: Void.self) { group in
            for session in sessions {
                group.addTask { for _ in 0..<50 { _ = try? await session.get("http://h/") } }
            }
        }
        monitor.queue.sync {}
        #expect(try total("http.client.requests.ended", Self.outcome("GET", "")) == 200)
        #expect(try metrics.expectMeter("http.client.active_requests", Self.route("GET")).lastValue == 0)
        #expect(metrics.counters(label: "http.client.requests.ended").count == 1)
    }
}

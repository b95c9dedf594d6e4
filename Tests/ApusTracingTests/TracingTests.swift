internal import Apus
internal import ApusTesting
internal import HTTPTypes
internal import InMemoryTracing
internal import Testing
internal import Tracing

@testable internal import ApusTracing

@Suite(.timeLimit(.minutes(5))) struct TracingTests {
    private let tracer = InMemoryTracer()

    private func session(
        propagatingTo propagates: @escaping @Sendable (Origin) -> Bool = { _ in true },
        configuring configure: (inout Session.Configuration) -> Void = { _ in },
        _ handler: @escaping MockTransport.Handler
    ) -> (session: Session, transport: MockTransport) {
        let transport = MockTransport(handler)
        var configuration = Session.Configuration()
        configuration.trace(with: tracer, propagatingTo: propagates)
        configure(&configuration)
        return (Session(configuration: configuration, transport: transport), transport)
    }

    /// The finished spans of exchanges, in the order of their end.
    private var exchanges: [FinishedInMemorySpan] { tracer.finishedSpans.filter { $0.kind == .client } }

    /// The finished spans of attempts.
    private var attempts: [FinishedInMemorySpan] { tracer.finishedSpans.filter { $0.kind == .internal } }

    private static let inMemoryID = HTTPField.Name(InMemoryTracer.spanIDKey)

    private static func propagatedSpan(_ request: RequestMessage) -> String? {
        inMemoryID.flatMap { request.fields[$0] }
    }

    @Test func createsASpanPerRequestAndOnePerExchange() async throws {
        let (session, transport) = session { _ in MockResponse(body: "hello") }
        _ = try await session.get("https://ada:secret@h:8443/path?token=secret")
        #expect(tracer.activeSpans.isEmpty && tracer.finishedSpans.count == 2)
        let attempt = try #require(attempts.first)
        let exchange = try #require(exchanges.first)
        #expect(attempt.parentSpanID == nil && exchange.parentSpanID == attempt.spanID)
        #expect(exchange.traceID == attempt.traceID)
        for span in [attempt, exchange] {
            #expect(span.operationName == "GET")
            #expect(span.attributes.get("http.request.method") == "GET")
            #expect(span.attributes.get("url.full") == "https://h:8443/path?token=…")
            #expect(span.attributes.get("server.address") == "h")
            #expect(span.attributes.get("server.port") == .int64(8443))
            #expect(span.attributes.get("http.response.status_code") == .int64(200))
            #expect(span.attributes.get("error.type") == nil)
            #expect(span.attributes.get("http.request.resend_count") == nil)
            #expect(span.status == nil && span.errors.isEmpty)
        }
        #expect(transport.requests.map(Self.propagatedSpan) == [exchange.spanID])
    }

    @Test func isAChildOfTheCallersSpan() async throws {
        let (session, _) = session { _ in MockResponse() }
        let span = tracer.startSpan("asking")
        try await ServiceContext.withValue(span.context) {
            _ = try await session.get("http://h/")
            _ = try await session.stream("http://h/")
            _ = await session.request("http://h/").serializingData().response
        }
        #expect(attempts.map(\.parentSpanID) == [span.spanID, span.spanID, span.spanID])
    }

    @Test func isAChildOfTheSpanThatCreatedTheHandle() async throws {
        let (session, _) = session(configuring: { $0.startRequestsImmediately = false }) { _ in MockResponse() }
        let (asking, resuming) = (tracer.startSpan("asking"), tracer.startSpan("resuming"))
        let request = below(asking) { session.request("http://h/") }
        await ServiceContext.withValue(resuming.context) {
            request.resume()
            _ = await request.serializingData().response
        }
        #expect(attempts.map(\.parentSpanID) == [asking.spanID])
    }

    /// The request that frees a slot starts the task of the queued one, but is not its parent.
    @Test func isAChildOfTheCallersSpanAfterQueueing() async throws {
        let gate = Gate()
        let (session, _) = session(configuring: { $0.requestsInFlight = 1 }) { request in
            if request.target.path == "/first" { await gate.pass() }
            return MockResponse()
        }
        let (one, two) = (tracer.startSpan("one"), tracer.startSpan("two"))
        let first = below(one) { session.request("http://h/first").resume() }
        let second = below(two) { session.request("http://h/second").resume() }
        gate.open()
        _ = await first.serializingData().response
        _ = await second.serializingData().response
        let parents = attempts.map { "\($0.attributes.get("url.full").map { "\($0)" } ?? "") \($0.parentSpanID ?? "")" }
        #expect(parents.count == 2)
        #expect(parents.contains { $0.contains("first") && $0.hasSuffix(one.spanID) })
        #expect(parents.contains { $0.contains("second") && $0.hasSuffix(two.spanID) })
    }

    @Test func createsAndPropagatesASpanPerExchange() async throws {
        let (session, transport) = session { request in
            request.target.path == "/old"
                ? MockResponse(
                    status: .found,
                    fields: [.location: "http://i/new"],
                    chunks: [BodyChunk("go"), BodyChunk("!")]
                )
                : MockResponse(body: "here")
        }
        _ = try await session.get("http://h/old")
        let attempt = try #require(attempts.first)
        #expect(exchanges.map(\.parentSpanID) == [attempt.spanID, attempt.spanID])
        #expect(exchanges.map { $0.attributes.get("http.response.status_code") } == [.int64(302), .int64(200)])
        #expect(exchanges.map { $0.attributes.get("http.request.resend_count") } == [nil, .int64(1)])
        #expect(exchanges.map { $0.attributes.get("server.address") } == ["h", "i"])
        #expect(attempt.attributes.get("server.address") == "h")
        #expect(attempt.attributes.get("http.response.status_code") == .int64(200))
        #expect(transport.requests.map(Self.propagatedSpan) == exchanges.map(\.spanID))
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test(arguments: [400, 404, 500, 599])
    func reportsAStatusOf400OrMoreAsAnError(code: Int) async throws {
        let (session, _) = session { _ in MockResponse(status: .init(code: code)) }
        _ = try await session.get("http://h/")
        for span in tracer.finishedSpans {
            #expect(span.status?.code == .error)
            #expect(span.attributes.get("error.type") == .string(String(code)))
            #expect(span.errors.isEmpty)
        }
    }

    @Test func reportsAFailureWithItsCode() async throws {
        let (session, _) = session { _ in throw ApusError(.connectFailed, "nobody") }
        await #expect(throws: ApusError.self) { try await session.get("http://h/") }
        #expect(tracer.finishedSpans.count == 2)
        for span in tracer.finishedSpans {
            #expect(span.status?.code == .error)
            #expect(span.attributes.get("error.type") == "connectFailed")
            #expect((span.errors.first?.error as? ApusError)?.code == .connectFailed)
            #expect(span.attributes.get("http.response.status_code") == nil)
        }
    }

    @Test func endsWithTheBody() async throws {
        let (session, _) = session { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        let response = try await session.stream("http://h/")
        #expect(tracer.finishedSpans.isEmpty && tracer.activeSpans.count == 2)
        for try await _ in response.body {}
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.map(\.kind) == [.client, .internal])
        #expect(tracer.finishedSpans.allSatisfy { $0.status == nil })
    }

    @Test func endsWhenTheBodyFails() async throws {
        let failure = ApusError(.connectionClosed, "in the middle")
        let (session, _) = session { _ in MockResponse(chunks: [BodyChunk("a")], failure: failure) }
        let response = try await session.stream("http://h/")
        await #expect(throws: ApusError.self) { for try await _ in response.body {} }
        #expect(tracer.activeSpans.isEmpty && tracer.finishedSpans.count == 2)
        for span in tracer.finishedSpans {
            #expect(span.status?.code == .error)
            #expect(span.attributes.get("error.type") == "connectionClosed")
            #expect(span.errors.count == 1)
        }
    }

    @Test func endsWhenTheBodyIsReleasedOrDiscarded() async throws {
        let (session, _) = session { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        do {
            let response = try await session.stream("http://h/")
            withExtendedLifetime(response) { #expect(tracer.activeSpans.count == 2) }
        }
        #expect(tracer.activeSpans.isEmpty && tracer.finishedSpans.count == 2)
        try await session.stream("http://h/").body.discard()
        #expect(tracer.activeSpans.isEmpty && tracer.finishedSpans.count == 4)
    }

    @Test func keepsTrailers() async throws {
        let (session, _) = session { _ in
            MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")], trailers: [.eTag: "\"1\""])
        }
        let response = try await session.stream("http://h/")
        for try await _ in response.body {}
        #expect(response.body.trailers?[.eTag] == "\"1\"")
    }

    @Test func usesNoUnknownMethodAsASpanName() async throws {
        let (session, _) = session { _ in MockResponse() }
        let method = try #require(HTTPRequest.Method("BREW"))
        _ = try await session.send(RequestMessage("http://h/", method: method))
        for span in tracer.finishedSpans {
            #expect(span.operationName == "HTTP")
            #expect(span.attributes.get("http.request.method") == "_OTHER")
            #expect(span.attributes.get("http.request.method_original") == "BREW")
        }
    }

    @Test(arguments: [("http/1.1", "1.1"), ("http/1.0", "1.0"), ("h2", "2"), ("h3", "3"), ("spdy", "spdy")])
    func recordsTheProtocolVersion(name: String, version: String) throws {
        let request = try RequestMessage("http://h/")
        let span = HTTPSpan(tracer, of: request, kind: .client, below: .topLevel)
        span.setProtocol(name)
        span.end()
        #expect(exchanges.first?.attributes.get("network.protocol.version") == .string(version))
    }

    @Test func propagatesSpansOnlyToAllowedOrigins() async throws {
        let (session, transport) = session(propagatingTo: { $0.host == "ours" }) { _ in MockResponse() }
        _ = try await session.get("http://ours/")
        _ = try await session.get("http://theirs/")
        #expect(transport.requests.map { Self.propagatedSpan($0) == nil } == [false, true])
        #expect(exchanges.count == 2)
    }

    @Test func isTheCurrentSpanOfMiddleware() async throws {
        let tracer = tracer
        let (session, _) = session(
            configuring: {
                $0.middleware = [SpanMiddleware(name: "user", tracer: tracer)]
                $0.networkMiddleware = [SpanMiddleware(name: "network", tracer: tracer)]
            },
            { _ in MockResponse() }
        )
        _ = try await session.get("http://h/")
        let attempt = try #require(attempts.first { $0.operationName == "GET" })
        let user = try #require(attempts.first { $0.operationName == "user" })
        let network = try #require(attempts.first { $0.operationName == "network" })
        #expect(user.parentSpanID == attempt.spanID)
        #expect(network.parentSpanID == user.spanID)
        #expect(exchanges.map(\.parentSpanID) == [network.spanID])
    }

    @Test func addsNothingWithoutATracer() async throws {
        let transport = MockTransport { _ in MockResponse() }
        var configuration = Session.Configuration()
        configuration.trace()
        let recorder = TraceRecorder()
        configuration.networkMiddleware = [recorder]
        _ = try await Session(configuration: configuration, transport: transport).get("http://h/")
        _ = try await Session(transport: transport).get("http://h/")
        #expect(recorder.traces == [false])
        #expect(transport.requests.count == 2 && transport.requests[0].fields == transport.requests[1].fields)
        #expect(CallTrace(NoOpTracer()) == nil)
    }

    @Test func usesTheTracerOfItsScope() async throws {
        let transport = MockTransport { _ in MockResponse() }
        var configuration = Session.Configuration()
        configuration.trace()
        let session = Session(configuration: configuration, transport: transport)
        try await withTracer(tracer) { _ = try await session.get("http://h/") }
        _ = try await session.get("http://h/")
        #expect(tracer.finishedSpans.count == 2)
        #expect(transport.requests.map { Self.propagatedSpan($0) == nil } == [false, true])
    }

    @Test func isInstalledOnlyOnce() async throws {
        let (session, _) = session(configuring: { [tracer] in $0.trace(with: tracer) }) { _ in MockResponse() }
        _ = try await session.get("http://h/")
        #expect(tracer.finishedSpans.count == 2)
    }
}

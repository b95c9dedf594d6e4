internal import Apus
internal import ApusTestServer
internal import ApusTesting

/// Stops about many requests, and about middleware, monitors, transports and metrics.
enum Sessions {
    /// Sends 200 requests over at most eight connections. Every twenty-fifth is drawn.
    static func twoHundred(_ environment: TourEnvironment) async throws -> Finding {
        let session = Session()
        let url = environment.server.url("/bytes/100")
        let requests = try await withThrowingTaskGroup(of: [ExchangeMetrics].self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let response = try await session.get(url).validate()
                    try expect(response.data.count, is: 100, "the length")
                    return response.metrics.exchanges
                }
            }
            return try await group.reduce(into: [[ExchangeMetrics]]()) { $0.append($1) }
        }
        try await assertNothingLeft(session)
        let connections = Set(requests.joined().compactMap(\.connectionNumber))
        try expect(requests.count, is: 200, "the responses")
        try expect((1...8).contains(connections.count), "8 connections at most", found: connections.count)
        let shown = stride(from: 0, to: requests.count, by: 25).map { requests[$0] }
        return Finding("200 responses over \(connections.count) connections", requests: shown)
    }

    /// Opens connections with TLS before they are needed.
    static func prepared(_ environment: TourEnvironment) async throws -> Finding {
        let server = environment.secureServer
        return try await environment.withSession { session in
            let count = try await session.prepare(server.url("/"), count: 2)
            try expect(count, is: 2, "the prepared connections")
            async let one = session.get(server.url("/bytes/100")).validate()
            async let other = session.get(server.url("/bytes/100")).validate()
            let exchanges = try await [one, other].map(\.metrics.exchanges)
            try expect(exchanges.joined().allSatisfy { $0.tlsBegin == nil }, "no handshake", found: exchanges)
            return Finding("\(count) connections opened, 2 requests without a handshake", requests: exchanges)
        }
    }

    /// Adds a field to every request.
    private struct Stamp: Middleware {
        func handle(
            _ request: consuming RequestMessage,
            context: RequestContext,
            next: Next
        ) async throws -> ResponseMessage {
            var request = request
            request.fields[.from] = "swift@example.org"
            return try await next(request, context: context)
        }
    }

    static func middleware(_ environment: TourEnvironment) async throws -> Finding {
        var configuration = Session.Configuration()
        configuration.middleware = [Stamp()]
        let session = Session(configuration: configuration)
        let response = try await session.get(environment.server.url("/get")).validate()
        let stamp = try response.decode(Requests.Echo.self).headers["From"]
        try expect(stamp, is: "swift@example.org", "the field")
        try await assertNothingLeft(session)
        return Finding("the server received From: \(stamp ?? "")", response.metrics.exchanges)
    }

    static func monitor(_ environment: TourEnvironment) async throws -> Finding {
        let monitor = RecordingEventMonitor()
        var configuration = Session.Configuration()
        configuration.eventMonitors = [monitor]
        let session = Session(configuration: configuration)
        let request = session.request(environment.server.url("/get")).validate()
        _ = try await request.serializingData().value
        try await assertNothingLeft(session)
        let names = monitor.names(of: request.id)
        let wanted = [
            "resumed", "created", "exchangeBegan", "exchangeEnded", "responded", "validated", "completed", "serialized",
            "finished",
        ]
        try expect(Set(names), is: Set(wanted), "the events")
        try expect(names.first == "resumed" && names.last == "finished", "the first and last event", found: names)
        return Finding("\(names.count) events, \(names[0]) to \(names[names.count - 1])", request.metrics.exchanges)
    }

    static func mock(_ environment: TourEnvironment) async throws -> Finding {
        let transport = MockTransport { request in
            request.target.path == "/old"
                ? MockResponse(status: .movedPermanently, fields: [.location: "/new"])
                : MockResponse(fields: [.contentType: "text/plain"], body: "made up")
        }
        let session = Session(transport: transport)
        let text = try await session.get("https://api.example.org/old").validate().string()
        try expect(text, is: "made up", "the response")
        try expect(transport.requests.map(\.target.path), is: ["/old", "/new"], "the targets")
        return Finding("a 301 and '\(text)', from a closure")
    }

    /// Uses a new session, so that the connection is new too.
    static func metrics(_ environment: TourEnvironment) async throws -> Finding {
        let session = Session(configuration: environment.session.configuration)
        let response = try await session.get(environment.secureServer.url("/delay/0.01")).validate()
        try await assertNothingLeft(session)
        guard let exchange = response.metrics.exchanges.first, let first = exchange.timeToFirstByte else {
            throw Unexpected(expected: "a time to the first byte", found: "none")
        }
        let instants = [
            exchange.begin, exchange.resolveBegin, exchange.resolveEnd, exchange.connectBegin, exchange.connectEnd,
            exchange.tlsBegin, exchange.tlsEnd,
            exchange.connectionReady, exchange.requestBegin, exchange.requestEnd, exchange.responseBegin, exchange.end,
        ].compactMap(\.self)
        try expect(instants.count, is: 12, "the instants")
        try expect(instants == instants.sorted(), "instants in their order", found: instants.map(\.nanoseconds))
        try expect(first >= .milliseconds(10), "10 ms of waiting", found: first)
        return Finding("12 instants; first byte after \(WaterfallScale.label(first))", response.metrics.exchanges)
    }

    /// Shuts down: active requests may finish, new requests are rejected, and no resources remain.
    static func shutdown(_ environment: TourEnvironment) async throws -> Finding {
        let session = environment.session
        let seen = environment.server.requestCount
        async let last = session.get(environment.server.url("/delay/0.02"))
        await environment.server.waitForRequests(atLeast: seen + 1)
        try await assertNothingLeft(session)
        let response = try await last.validate()
        _ = try await failure(.sessionShutDown) { try await session.get(environment.server.url("/get")) }
        return Finding("the last request ended, nothing is left", response.metrics.exchanges)
    }
}

internal import Apus
internal import ApusTestServer
internal import ApusTesting

/// The stop about HTTP/2.
enum Protocols {
    private static let count = 100

    /// Sends 100 requests at once over one connection. The server chooses HTTP/2 in the TLS handshake, and responds
    /// after 4 to 28 ms, not in the order of the requests. Every ninth is drawn.
    static func oneConnection(_ environment: TourEnvironment) async throws -> Finding {
        var tls = TestTLS.localhost
        tls.applicationProtocols = ["h2"]
        let delay: @Sendable (Int) -> Duration = { stream in .milliseconds(4 + 2 * (stream / 2 * 7 % 13)) }
        let session = Session(configuration: environment.session.configuration)
        let requests = try await TestServer.with(tls: tls, behavior: .http2(delay: delay)) { server in
            let requests = try await responses(of: server, to: session)
            try await assertNothingLeft(session)
            try expect(server.acceptedConnections, is: 1, "the connections of the server")
            return requests
        }

        let exchanges = Array(requests.joined())
        try expect(requests.count, is: count, "the responses")
        try expect(exchanges.count, is: count, "the exchanges")
        try expect(Set(exchanges.map(\.networkProtocol)), is: ["h2"], "the protocols")
        let connections = Set(exchanges.compactMap(\.connectionNumber))
        try expect(connections.count, is: 1, "the connections")
        let streams = exchanges.compactMap(\.streamNumber).sorted()
        try expect(Set(streams).count, is: count, "the streams")
        try expect(streams.allSatisfy { $0 % 2 == 1 }, "odd streams", found: streams)

        let numbers = "streams \(streams.first ?? 0) to \(streams.last ?? 0) of connection \(connections.first ?? 0)"
        let byStream = requests.sorted { stream(of: $0) < stream(of: $1) }
        var finding = Finding(numbers, requests: stride(from: 0, to: byStream.count, by: 25).map { byStream[$0] })
        let drawn = stride(from: 0, to: byStream.count, by: 9).map { byStream[$0] }
        finding.picture = Waterfall(exchanges: drawn, names: drawn.map { "stream \(stream(of: $0))" })
        return finding
    }

    /// Returns the exchanges of each request. The server responds with the name of its stream.
    private static func responses(of server: TestServer, to session: Session) async throws -> [[ExchangeMetrics]] {
        try await withThrowingTaskGroup(of: [ExchangeMetrics].self) { group in
            for number in 1...count {
                group.addTask {
                    let response = try await session.get(server.url("/swifts/\(number)")).validate()
                    let exchanges = response.metrics.exchanges
                    try expect(try response.string(), is: "stream \(Self.stream(of: exchanges))", "the response")
                    return exchanges
                }
            }
            return try await group.reduce(into: [[ExchangeMetrics]]()) { $0.append($1) }
        }
    }

    private static func stream(of exchanges: [ExchangeMetrics]) -> Int { exchanges.last?.streamNumber ?? 0 }
}

internal import Apus
internal import ApusTesting
internal import Testing

/// The code of the guide to HTTP/2. The mock speaks no protocol: these tests show that options and requests reach it.
@Suite(.timeLimit(.minutes(5)))
struct UsingHTTP2Samples {
    private let transport = MockTransport { _ in MockResponse(body: "tile") }

    @Test func protocolsOfASession() {
        var configuration = Session.Configuration()
        configuration.protocols = .http1
        #expect(configuration.protocols == .http1)
    }

    @Test func protocolsOfARequest() async throws {
        let session = Session(transport: transport)
        let health = try await session.get("http://localhost:8080/health", options: [HTTPProtocols.http2])
        #expect(health.status == .ok)
        #expect(transport.requests.first?.options[HTTPProtocols.self] == .http2)
    }

    @Test func manyRequests() async throws {
        let session = Session(transport: transport)
        let byteCount = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...100 {
                group.addTask { try await session.get("https://example.org/tiles/\(number)").validate().data.count }
            }
            return try await group.reduce(0, +)
        }
        #expect(byteCount == 400)
        #expect(transport.requests.count == 100)
    }

    @Test func priorities() async throws {
        let session = Session(transport: transport)
        _ = try await session.get("https://example.org/tiles/1", options: [ResponsePriority(urgency: 6)])
        #expect(transport.requests.first?.fields[.priority] == "u=6")
    }

    @Test func measurements() async throws {
        let session = SampleService.session()
        let metrics = try await session.get("https://api.example.org/users/1").metrics
        for exchange in metrics.exchanges {
            print(exchange.networkProtocol ?? "", exchange.connectionNumber ?? 0, exchange.streamNumber ?? 0)
        }
        #expect(metrics.exchanges.map(\.resendCount) == [0])
    }
}

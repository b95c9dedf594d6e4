import Apus
import ApusEngine
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// The metrics of an exchange match the frames on its connection.
@Suite(.timeLimit(.minutes(5))) struct HTTP2MetricsTests {
    /// Returns all recorded instants in their required order.
    private static func instants(of exchange: ExchangeMetrics) -> [MonotonicInstant] {
        let all: [MonotonicInstant?] = [
            exchange.begin, exchange.resolveBegin, exchange.resolveEnd, exchange.connectBegin, exchange.connectEnd,
            exchange.tlsBegin, exchange.tlsEnd, exchange.connectionReady, exchange.requestBegin, exchange.requestEnd,
            exchange.responseBegin, exchange.end,
        ]
        return all.compactMap { $0 }
    }

    @Test(arguments: Wire.allCases)
    func recordsTheConnection(wire: Wire) async throws {
        try await wire.withHTTP2 { server, session in
            let fresh = try #require(try await session.get(server.url("/")).metrics.exchanges.first)
            let reused = try #require(try await session.get(server.url("/")).metrics.exchanges.first)
            #expect(!fresh.isReused)
            #expect(reused.isReused)
            #expect(fresh.connectBegin != nil)
            #expect(reused.connectBegin == nil && reused.tlsBegin == nil)
            #expect(fresh.connectionNumber != nil)
            #expect(reused.connectionNumber == fresh.connectionNumber)
            #expect([fresh, reused].map(\.streamNumber) == [1, 3])
            #expect(server.requests.map(\.stream) == [1, 3])
            for exchange in [fresh, reused] {
                #expect(exchange.networkProtocol == "h2")
                #expect(exchange.tlsVersion == (wire == .tls ? "TLSv1.3" : nil))
                #expect(exchange.remoteAddress?.hasPrefix("127.0.0.1:") == true)
                #expect(exchange.resendCount == 0)
                #expect(exchange.status?.code == 200)
            }
        }
    }

    /// Concurrent requests have the same connection.
    @Test(arguments: Wire.allCases)
    func recordsTheConnectionOfConcurrentRequests(wire: Wire) async throws {
        let release = Gate()
        try await wire.withHTTP2(
            responder: { stream in
                await release.wait()
                await stream.respond()
            }
        ) { server, session in
            async let first = session.get(server.url("/1"))
            async let second = session.get(server.url("/2"))
            async let third = session.get(server.url("/3"))
            await server.waitForRequests(atLeast: 3)
            release.open()
            let exchanges = try await [first, second, third].flatMap(\.metrics.exchanges)
            #expect(exchanges.count == 3)
            #expect(Set(exchanges.map(\.connectionNumber)).count == 1)
            #expect(Set(exchanges.compactMap(\.streamNumber)) == [1, 3, 5])
            // The setup of the connection is recorded once.
            #expect(exchanges.filter { $0.connectBegin != nil }.count == 1)
            #expect(exchanges.filter { !$0.isReused }.count == 1)
        }
    }

    /// The request is sent on stream 3 of the first connection, and again on stream 1 of the second.
    @Test(arguments: Wire.allCases)
    func recordsTheLastConnectionAndItsStream(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                guard stream.request.connection == 1, stream.request.path == "/dies" else {
                    return await stream.respond()
                }
                await stream.connection.close()
            }
        ) { server, session in
            let first = try #require(try await session.get(server.url("/")).metrics.exchanges.first)
            let moved = try #require(try await session.get(server.url("/dies")).metrics.exchanges.first)
            #expect(server.requests.map(\.stream) == [1, 3, 1])
            #expect(first.streamNumber == 1)
            #expect(moved.streamNumber == 1)
            #expect(moved.connectionNumber != first.connectionNumber)
            #expect(moved.resendCount == 1)
        }
    }

    @Test(arguments: Wire.allCases)
    func recordsTheStreamInAnArchive(wire: Wire) async throws {
        let recorder = HARRecorder()
        try await wire.withHTTP2(configure: { $0.recorder = recorder }) { server, session in
            for path in ["/1", "/2"] { try await session.get(server.url(path)).validate() }
        }
        let entries = recorder.archive.entries
        #expect(entries.map(\.streamNumber) == [1, 3])
        #expect(Set(entries.compactMap(\.connection)).count == 1)
        #expect(entries.map(\.response.httpVersion) == ["HTTP/2.0", "HTTP/2.0"])
        #expect(Waterfall(recorder.archive).svg().contains(", stream 3, "))
    }

    @Test(arguments: Wire.allCases, [0, 5, 1_000_000])
    func recordsTheInstantsInOrder(wire: Wire, bodyBytes: Int) async throws {
        try await wire.withHTTP2(responder: HTTP2Server.echo) { server, session in
            for _ in 0..<2 {
                let body = bodyBytes == 0 ? RequestBody.none : .bytes(Data(count: bodyBytes))
                let method = bodyBytes == 0 ? HTTPRequest.Method.get : .post
                let message = try RequestMessage(server.url("/"), method: method, body: body)
                let response = try await session.send(message).validate()
                let exchange = try #require(response.metrics.exchanges.first)
                let instants = Self.instants(of: exchange)
                #expect(instants == instants.sorted())
                #expect(exchange.requestEnd != nil)
                #expect(exchange.responseBegin != nil)
                let end = try #require(exchange.end)
                #expect(exchange.duration() == exchange.begin.duration(to: end))
                #expect(exchange.error == nil)
            }
        }
    }

    @Test(arguments: Wire.allCases, [0, 5, 100_000])
    func countsTheBytes(wire: Wire, bodyBytes: Int) async throws {
        try await wire.withHTTP2(responder: HTTP2Server.echo) { server, session in
            let body = RequestBody.bytes(Data(count: bodyBytes))
            let response = try await session.post(server.url("/"), body: body)
            let exchange = try #require(response.metrics.exchanges.first)
            let head = try #require(server.frames.first { $0.kind == .headers })
            // With the nine bytes before each payload.
            #expect(exchange.requestHeadBytes == head.byteCount + 9)
            #expect(exchange.requestBodyBytes == Int64(bodyBytes))
            #expect(exchange.responseBodyBytes == Int64(bodyBytes))
            #expect(exchange.responseHeadBytes > 0)
        }
    }

    @Test(arguments: Wire.allCases)
    func recordsTheErrorOfAReset(wire: Wire) async throws {
        try await wire.withHTTP2(
            responder: { stream in
                stream.head()
                await stream.send("hello")
                stream.reset(.internalError)
            }
        ) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            let exchanges = try #require(error?.exchanges)
            #expect(exchanges.map(\.error?.code) == [ApusError.Code.streamReset])
            #expect(exchanges.map(\.status?.code) == [200])
            #expect(exchanges.map(\.responseBodyBytes) == [5])
            #expect(exchanges.map(\.networkProtocol) == ["h2"])
            let instants = exchanges.flatMap(Self.instants)
            #expect(exchanges.first?.end != nil)
            #expect(instants == instants.sorted())
        }
    }
}

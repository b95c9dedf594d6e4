import Apus
import ApusTestServer
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// The metrics of an exchange match the events on the connection.
@Suite struct MetricsTests {
    private static let okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    /// Returns all recorded instants in their required order.
    private static func instants(of exchange: ExchangeMetrics) -> [MonotonicInstant] {
        let all: [MonotonicInstant?] = [
            exchange.begin, exchange.resolveBegin, exchange.resolveEnd, exchange.connectBegin, exchange.connectEnd,
            exchange.tlsBegin, exchange.tlsEnd,
            exchange.connectionReady, exchange.requestBegin, exchange.requestEnd, exchange.responseBegin, exchange.end,
        ]
        return all.compactMap { $0 }
    }

    // MARK: Instants

    /// Parity: AF-fault-metrics
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [0, 5, 1_000_000])
    func recordsTheInstantsOfAnExchangeInOrder(wire: Wire, bodyBytes: Int) async throws {
        try await wire.with { server, session in
            let hasBody = bodyBytes > 0
            let message = try RequestMessage(
                wire.named(server, hasBody ? "/upload" : "/get"),
                method: hasBody ? .post : .get,
                body: hasBody ? .bytes(Data(count: bodyBytes)) : .none
            )
            let response = try await session.send(message).validate()
            let exchange = try #require(response.metrics.exchanges.first)
            let instants = Self.instants(of: exchange)
            #expect(instants.count == (wire == .tls ? 12 : 10))
            #expect(instants == instants.sorted())
            let end = try #require(exchange.end)
            #expect(exchange.duration() == exchange.begin.duration(to: end))
            #expect(response.metrics.duration == exchange.duration())
            #expect(exchange.timeToFirstByte.map { $0 >= .zero && $0 <= exchange.duration() } == true)
            #expect(exchange.cause == .first)
            #expect(exchange.error == nil)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func recordsTheSetupOfAConnectionOnce(wire: Wire) async throws {
        try await wire.with { server, session in
            let fresh = try #require(try await session.get(wire.named(server)).metrics.exchanges.first)
            let reused = try #require(try await session.get(wire.named(server)).metrics.exchanges.first)
            #expect(!fresh.isReused)
            #expect(fresh.connectBegin != nil)
            #expect(reused.isReused)
            let making = [
                reused.resolveBegin, reused.resolveEnd, reused.connectBegin, reused.connectEnd, reused.tlsBegin,
                reused.tlsEnd,
            ]
            #expect(making.allSatisfy { $0 == nil })
            #expect(Self.instants(of: reused).count == 6)
            let both = Self.instants(of: fresh) + Self.instants(of: reused)
            #expect(both == both.sorted())
            #expect(fresh.connectionNumber != nil)
            #expect(reused.connectionNumber == fresh.connectionNumber)
            #expect(fresh.streamNumber == nil && reused.streamNumber == nil)
            for exchange in [fresh, reused] {
                #expect(exchange.remoteAddress == "127.0.0.1:\(server.port)")
                #expect(exchange.networkProtocol == "http/1.1")
                #expect(exchange.tlsVersion == (wire == .tls ? "TLSv1.3" : nil))
                #expect(exchange.resendCount == 0)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func recordsNoConnectionWhileARequestIsQueued(wire: Wire) async throws {
        let isReceived = Gate()
        let release = Gate()
        let monitor = ExchangeGate(count: 2)
        let script: Script = [.loop([.expectHead, .signal(isReceived), .wait(release), .send(Self.okResponse)])]
        let configuration = wire.configured {
            $0.pool.connectionsPerOrigin = 1
            $0.eventMonitors = [monitor]
        }
        try await wire.with(.script(script), configuration: configuration) { server, session in
            async let first = session.get(server.url("/"))
            await isReceived.wait()
            async let second = session.get(server.url("/"))
            await monitor.gate.wait()
            await Wire.yieldToOthers()
            release.open()
            let (ahead, queued) = try await (first, second)
            let hopAhead = try #require(ahead.metrics.exchanges.first)
            let exchange = try #require(queued.metrics.exchanges.first)
            let end = try #require(hopAhead.end)
            let ready = try #require(exchange.connectionReady)
            #expect(exchange.begin < end)
            #expect(end <= ready)
            #expect(exchange.begin < ready)
            #expect(exchange.isReused)
            #expect(exchange.connectBegin == nil)
            #expect(exchange.connectionNumber == hopAhead.connectionNumber)
        }
    }

    static let versions: [(TestTLS.Version, String)] = [(.tls12, "TLSv1.2"), (.tls13, "TLSv1.3")]

    @Test(.timeLimit(.minutes(5)), arguments: versions)
    func recordsTheNegotiatedTLSVersion(version: TestTLS.Version, name: String) async throws {
        var tls = TestTLS.localhost
        tls.minimumVersion = version
        tls.maximumVersion = version
        try await TestServer.with(tls: tls) { server in
            let session = Session(configuration: Wire.tls.configuration)
            let response = try await session.get(server.url("/get"))
            #expect(response.metrics.exchanges.map(\.tlsVersion) == [name])
            try await assertNothingLeft(session)
        }
    }

    // MARK: Bytes

    struct Pieces: Sendable, CustomTestStringConvertible {
        enum Piece: Sendable {
            case framing(String)
            case body(String)
        }

        let testDescription: String
        var method = HTTPRequest.Method.get
        /// Each piece is a separate write.
        let pieces: [Piece]
        var closes = false

        var script: Script {
            let writes = pieces.map { piece -> Step in
                switch piece {
                case .framing(let text), .body(let text): .send(text)
                }
            }
            return Script(steps: [.expectHead] + writes + [closes ? .close : .silence])
        }

        var framingBytes: Int {
            pieces.reduce(0) { count, piece in
                if case .framing(let text) = piece { count + text.utf8.count } else { count }
            }
        }

        var bodyBytes: Int {
            pieces.reduce(0) { count, piece in
                if case .body(let text) = piece { count + text.utf8.count } else { count }
            }
        }
    }

    static let responses: [Pieces] = [
        Pieces(
            testDescription: "a length",
            pieces: [.framing("HTTP/1.1 200 OK\r\nContent-Len"), .framing("gth: 5\r\n\r\n"), .body("hello")]
        ),
        Pieces(
            testDescription: "chunks and trailers",
            pieces: [
                .framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r"), .framing("\n"),
                .body("hello"), .framing("\r\n00"), .framing("6\r\n"), .body(" world"),
                .framing("\r\n0\r\nA: b\r\n\r\n"),
            ]
        ),
        Pieces(
            testDescription: "an end by closing",
            pieces: [.framing("HTTP/1.0 200 OK\r\n\r\n"), .body("hello"), .body(" world")],
            closes: true
        ),
        Pieces(
            testDescription: "informational responses",
            pieces: [
                .framing("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"), .framing("HTTP/1.1 102 Odd\r\n\r\n"),
                .framing("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .body("hi"),
            ]
        ),
        Pieces(testDescription: "no body", pieces: [.framing("HTTP/1.1 204 No Content\r\n\r\n")]),
        Pieces(
            testDescription: "a head alone",
            method: .head,
            pieces: [.framing("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")]
        ),
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, responses)
    func countsTheBytesOfAResponse(wire: Wire, pieces: Pieces) async throws {
        try await wire.with(.script(pieces.script)) { server, session in
            let response = try await session.send(try RequestMessage(server.url("/"), method: pieces.method))
            let exchange = try #require(response.metrics.exchanges.first)
            #expect(response.data.count == pieces.bodyBytes)
            #expect(exchange.responseHeadBytes == pieces.framingBytes)
            #expect(exchange.responseBodyBytes == Int64(pieces.bodyBytes))
            #expect(exchange.requestHeadBytes == server.requests.first?.head.count)
            #expect(exchange.requestBodyBytes == 0)
            #expect(exchange.status == response.status)
        }
    }

    /// Parity: AF-fault-coded-progress
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func countsTheCodedBytesOfABody(wire: Wire) async throws {
        let coded = StoredGzip.coded(Array("hello".utf8))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        let script: Script = [.expectHead, .sendBytes(Array(head.utf8) + coded), .silence]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.get(server.url("/"))
            #expect(try response.string() == "hello")
            let exchange = try #require(response.metrics.exchanges.first)
            #expect(exchange.responseHeadBytes == head.utf8.count)
            #expect(exchange.responseBodyBytes == Int64(coded.count))
        }
    }

    enum Sending: String, CaseIterable, Sendable {
        case short
        case long
        case measured
        case chunked

        var byteCount: Int { self == .short ? 5 : 100_000 }

        var body: RequestBody {
            let chunk = BodyChunk(repeatElement(UInt8(ascii: "x"), count: 1000))
            let chunks: @Sendable () -> AsyncStream<BodyChunk> = {
                AsyncStream { stream in
                    for _ in 0..<100 { stream.yield(chunk) }
                    stream.finish()
                }
            }
            return switch self {
            case .short, .long: .bytes(Data(count: byteCount))
            case .measured: .replayable(length: Int64(byteCount), chunks)
            case .chunked: .replayable(chunks)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Sending.allCases)
    func countsTheBytesOfARequest(wire: Wire, sending: Sending) async throws {
        let script: Script = [.expectHead, .expectBody, .send(Self.okResponse), .silence]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.post(server.url("/"), body: sending.body)
            let exchange = try #require(response.metrics.exchanges.first)
            let request = try #require(server.requests.first)
            #expect(request.bodyByteCount == sending.byteCount)
            #expect(exchange.requestBodyBytes == Int64(sending.byteCount))
            #expect(exchange.requestHeadBytes == request.head.count)
        }
    }

    // MARK: Redirects

    /// Parity: AF-fault-metrics, AF-life-requests
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func recordsARedirectAsASeparateExchange(wire: Wire) async throws {
        try await wire.with { server, session in
            let metrics = try await session.get(server.url("/redirect/1")).metrics
            let exchanges = metrics.exchanges
            #expect(exchanges.map(\.cause) == [.first, .redirect])
            #expect(exchanges.map(\.status?.code) == [302, 200])
            #expect(exchanges.map(\.target.path) == ["/redirect/1", "/get"])
            #expect(exchanges.map(\.isReused) == [false, true])
            #expect(metrics.redirectCount == 1)
            let instants = exchanges.flatMap(Self.instants)
            #expect(instants == instants.sorted())
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func recordsTheErrorAndProgressOfAFailedExchange(wire: Wire) async throws {
        let script: Script = [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .close]
        try await wire.with(.script(script)) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            let exchanges = try #require(error?.exchanges)
            #expect(exchanges.map(\.error?.code) == [ApusError.Code.connectionClosed])
            #expect(exchanges.map(\.status?.code) == [200])
            #expect(exchanges.map(\.responseBodyBytes) == [3])
            #expect(exchanges.map(\.requestHeadBytes) == server.requests.map(\.head.count))
            let instants = exchanges.flatMap(Self.instants)
            #expect(exchanges.first?.end != nil)
            #expect(instants == instants.sorted())
        }
    }
}

import Apus
import ApusTestServer
import ApusTesting
import Foundation
import HTTPTypes
import Testing

/// What is told of an exchange is what took place on the wire.
@Suite struct MetricsTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    /// All that was measured, in the order in which it has to have happened.
    private static func instants(of hop: HopMetrics) -> [MonotonicInstant] {
        let all: [MonotonicInstant?] = [
            hop.begin, hop.resolveBegin, hop.resolveEnd, hop.connectBegin, hop.connectEnd, hop.tlsBegin, hop.tlsEnd,
            hop.connectionReady, hop.requestBegin, hop.requestEnd, hop.responseBegin, hop.end,
        ]
        return all.compactMap { $0 }
    }

    // MARK: Instants

    /// Parity: AF-fault-metrics
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [0, 5, 1_000_000])
    func theInstantsOfAHopAreInOrder(wire: Wire, contentBytes: Int) async throws {
        try await wire.with { server, session in
            let hasContent = contentBytes > 0
            let message = try RequestMessage(
                wire.named(server, hasContent ? "/upload" : "/get"),
                method: hasContent ? .post : .get,
                body: hasContent ? .bytes(Data(count: contentBytes)) : .none
            )
            let response = try await session.send(message).validate()
            let hop = try #require(response.metrics.hops.first)
            let instants = Self.instants(of: hop)
            #expect(instants.count == (wire == .tls ? 12 : 10))
            #expect(instants == instants.sorted())
            let end = try #require(hop.end)
            #expect(hop.duration() == hop.begin.duration(to: end))
            #expect(response.metrics.duration == hop.duration())
            #expect(hop.timeToFirstByte.map { $0 >= .zero && $0 <= hop.duration() } == true)
            #expect(hop.cause == .first)
            #expect(hop.error == nil)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aReusedConnectionWasMadeOnce(wire: Wire) async throws {
        try await wire.with { server, session in
            let fresh = try #require(try await session.get(wire.named(server)).metrics.hops.first)
            let reused = try #require(try await session.get(wire.named(server)).metrics.hops.first)
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
            for hop in [fresh, reused] {
                #expect(hop.remoteAddress == "127.0.0.1:\(server.port)")
                #expect(hop.networkProtocol == "http/1.1")
                #expect(hop.tlsVersion == (wire == .tls ? "TLSv1.3" : nil))
                #expect(hop.resendCount == 0)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aQueuedRequestHasNoConnectionBeforeTheOneAheadHasEnded(wire: Wire) async throws {
        let isAsked = Gate()
        let release = Gate()
        let monitor = ExchangeGate(count: 2)
        let script: Script = [.loop([.expectHead, .signal(isAsked), .wait(release), .send(Self.answer)])]
        let configuration = wire.configured {
            $0.pool.connectionsPerOrigin = 1
            $0.eventMonitors = [monitor]
        }
        try await wire.with(.script(script), configuration: configuration) { server, session in
            async let first = session.get(server.url("/"))
            await isAsked.wait()
            async let second = session.get(server.url("/"))
            await monitor.gate.wait()
            await Wire.letOthersRun()
            release.open()
            let (ahead, queued) = try await (first, second)
            let hopAhead = try #require(ahead.metrics.hops.first)
            let hop = try #require(queued.metrics.hops.first)
            let end = try #require(hopAhead.end)
            let ready = try #require(hop.connectionReady)
            #expect(hop.begin < end)
            #expect(end <= ready)
            #expect(hop.begin < ready)
            #expect(hop.isReused)
            #expect(hop.connectBegin == nil)
            #expect(hop.connectionNumber == hopAhead.connectionNumber)
        }
    }

    static let versions: [(TestTLS.Version, String)] = [(.tls12, "TLSv1.2"), (.tls13, "TLSv1.3")]

    @Test(.timeLimit(.minutes(5)), arguments: versions)
    func theVersionIsTheOneThatWasAgreedOn(version: TestTLS.Version, name: String) async throws {
        var tls = TestTLS.localhost
        tls.minimumVersion = version
        tls.maximumVersion = version
        try await TestServer.with(tls: tls) { server in
            let session = Session(configuration: Wire.tls.configuration)
            let response = try await session.get(server.url("/get"))
            #expect(response.metrics.hops.map(\.tlsVersion) == [name])
            try await assertNothingLeft(session)
        }
    }

    // MARK: Bytes

    struct Pieces: Sendable, CustomTestStringConvertible {
        enum Piece: Sendable {
            case framing(String)
            case content(String)
        }

        let testDescription: String
        var method = HTTPRequest.Method.get
        /// Each is a write of its own.
        let pieces: [Piece]
        var closes = false

        var script: Script {
            let writes = pieces.map { piece -> Step in
                switch piece {
                case .framing(let text), .content(let text): .send(text)
                }
            }
            return Script(steps: [.expectHead] + writes + [closes ? .close : .silence])
        }

        var framingBytes: Int {
            pieces.reduce(0) { count, piece in
                if case .framing(let text) = piece { count + text.utf8.count } else { count }
            }
        }

        var contentBytes: Int {
            pieces.reduce(0) { count, piece in
                if case .content(let text) = piece { count + text.utf8.count } else { count }
            }
        }
    }

    static let answers: [Pieces] = [
        Pieces(
            testDescription: "a length",
            pieces: [.framing("HTTP/1.1 200 OK\r\nContent-Len"), .framing("gth: 5\r\n\r\n"), .content("hello")]
        ),
        Pieces(
            testDescription: "chunks and trailers",
            pieces: [
                .framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r"), .framing("\n"),
                .content("hello"), .framing("\r\n00"), .framing("6\r\n"), .content(" world"),
                .framing("\r\n0\r\nA: b\r\n\r\n"),
            ]
        ),
        Pieces(
            testDescription: "an end by closing",
            pieces: [.framing("HTTP/1.0 200 OK\r\n\r\n"), .content("hello"), .content(" world")],
            closes: true
        ),
        Pieces(
            testDescription: "informational answers",
            pieces: [
                .framing("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"), .framing("HTTP/1.1 102 Odd\r\n\r\n"),
                .framing("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .content("hi"),
            ]
        ),
        Pieces(testDescription: "no content", pieces: [.framing("HTTP/1.1 204 No Content\r\n\r\n")]),
        Pieces(
            testDescription: "a head alone",
            method: .head,
            pieces: [.framing("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")]
        ),
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, answers)
    func theBytesOfAnAnswerAreCounted(wire: Wire, answer: Pieces) async throws {
        try await wire.with(.script(answer.script)) { server, session in
            let response = try await session.send(try RequestMessage(server.url("/"), method: answer.method))
            let hop = try #require(response.metrics.hops.first)
            #expect(response.data.count == answer.contentBytes)
            #expect(hop.responseHeadBytes == answer.framingBytes)
            #expect(hop.responseBodyBytes == Int64(answer.contentBytes))
            #expect(hop.requestHeadBytes == server.requests.first?.head.count)
            #expect(hop.requestBodyBytes == 0)
            #expect(hop.status == response.status)
        }
    }

    /// Parity: AF-fault-coded-progress
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aCodedContentIsCountedAsItCame(wire: Wire) async throws {
        let coded = StoredGzip.coded(Array("hello".utf8))
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        let script: Script = [.expectHead, .sendBytes(Array(head.utf8) + coded), .silence]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.get(server.url("/"))
            #expect(try response.string() == "hello")
            let hop = try #require(response.metrics.hops.first)
            #expect(hop.responseHeadBytes == head.utf8.count)
            #expect(hop.responseBodyBytes == Int64(coded.count))
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
    func theBytesOfARequestAreCounted(wire: Wire, sending: Sending) async throws {
        let script: Script = [.expectHead, .expectBody, .send(Self.answer), .silence]
        try await wire.with(.script(script)) { server, session in
            let response = try await session.post(server.url("/"), body: sending.body)
            let hop = try #require(response.metrics.hops.first)
            let request = try #require(server.requests.first)
            #expect(request.bodyByteCount == sending.byteCount)
            #expect(hop.requestBodyBytes == Int64(sending.byteCount))
            #expect(hop.requestHeadBytes == request.head.count)
        }
    }

    // MARK: Hops

    /// Parity: AF-fault-metrics, AF-life-requests
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aRedirectIsAHopOfItsOwn(wire: Wire) async throws {
        try await wire.with { server, session in
            let metrics = try await session.get(server.url("/redirect/1")).metrics
            let hops = metrics.hops
            #expect(hops.map(\.cause) == [.first, .redirect])
            #expect(hops.map(\.status?.code) == [302, 200])
            #expect(hops.map(\.target.path) == ["/redirect/1", "/get"])
            #expect(hops.map(\.isReused) == [false, true])
            #expect(metrics.redirectCount == 1)
            let instants = hops.flatMap(Self.instants)
            #expect(instants == instants.sorted())
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func aHopThatFailsSaysWhyAndHowFarItCame(wire: Wire) async throws {
        let script: Script = [.expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), .close]
        try await wire.with(.script(script)) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            let hops = try #require(error?.hops)
            #expect(hops.map(\.error?.code) == [ApusError.Code.connectionClosed])
            #expect(hops.map(\.status?.code) == [200])
            #expect(hops.map(\.responseBodyBytes) == [3])
            #expect(hops.map(\.requestHeadBytes) == server.requests.map(\.head.count))
            let instants = hops.flatMap(Self.instants)
            #expect(hops.first?.end != nil)
            #expect(instants == instants.sorted())
        }
    }
}

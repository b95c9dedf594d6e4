import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Common deviations of servers are accepted by default and rejected by `limits.parsing = .strict`.
@Suite struct ParsingTests {
    struct Deviation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPRequest.Method.get
        /// The response, through its last byte.
        let bytes: [UInt8]
        var body = "hi"
        /// Whether the connection serves another request.
        var isReused = true
        var code = ApusError.Code.malformedResponse

        init(
            _ name: String,
            method: HTTPRequest.Method = .get,
            _ text: String,
            body: String = "hi",
            isReused: Bool = true
        ) {
            self.testDescription = name
            self.method = method
            self.bytes = Array(text.utf8)
            self.body = body
            self.isReused = isReused
        }

        /// A gzip body followed by further bytes.
        init(_ name: String, gzipAndThen rest: [UInt8]) {
            let coded = StoredGzip.coded(Array("hi".utf8)) + rest
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
            self.testDescription = name
            self.bytes = Array(head.utf8) + coded
            self.code = .contentCodingFailed
        }
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let deviations: [Deviation] = [
        Deviation("a folded field", "HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\nContent-Length: 2\r\n\r\nhi"),
        Deviation("bare line feeds", "HTTP/1.1 200 OK\nX-A: one two\nContent-Length: 2\n\nhi"),
        Deviation("spaces after chunk sizes", "\(chunked)2 \r\nhi\r\n0     \r\n\r\n"),
        Deviation("trailers that end in line feeds", "\(chunked)2\r\nhi\r\n0\r\nX-T: t\n\n"),
        Deviation("a folded trailer", "\(chunked)2\r\nhi\r\n0\r\nX-T: t\r\n u\r\n\r\n"),
        Deviation(
            "identity and a length",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi",
            isReused: false
        ),
        Deviation(
            "several transfer codings of a response to HEAD",
            method: .head,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            body: "",
            isReused: false
        ),
        Deviation(
            "a length beside chunks of a response to HEAD",
            method: .head,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
            body: "",
            isReused: false
        ),
        Deviation(
            "several transfer codings of a 304",
            "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            body: "",
            isReused: false
        ),
        Deviation(
            "a wrong length of a 204",
            "HTTP/1.1 204 No Content\r\nContent-Length: x\r\n\r\n",
            body: "",
            isReused: false
        ),
        Deviation(
            "a wrong length of an informational response",
            "HTTP/1.1 103 Early\r\nContent-Length: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            isReused: false
        ),
        Deviation("a line end after a gzip body", gzipAndThen: [0x0D, 0x0A]),
        Deviation("zeros and another member after a gzip body", gzipAndThen: [0, 0] + StoredGzip.coded([1])),
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, deviations)
    func acceptsADeviationByDefault(wire: Wire, deviation: Deviation) async throws {
        let script: Script = [.loop([.expectHead, .sendBytes(deviation.bytes)])]
        try await wire.with(.script(script)) { server, session in
            for form in Form.allCases {
                let message = try RequestMessage(server.url("/"), method: deviation.method)
                let outcome = await form.outcome(of: message, on: session)
                #expect(try outcome.get() == Data(deviation.body.utf8))
            }
            #expect(server.acceptedConnections == (deviation.isReused ? 1 : Form.allCases.count))
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, deviations)
    func rejectsADeviationIfParsingIsStrict(wire: Wire, deviation: Deviation) async throws {
        let script: Script = [.loop([.expectHead, .sendBytes(deviation.bytes)])]
        try await wire.with(.script(script), configure: { $0.limits.parsing = .strict }) { server, session in
            for form in Form.allCases {
                let message = try RequestMessage(server.url("/"), method: deviation.method)
                let outcome = await form.outcome(of: message, on: session)
                #expect(outcome.code == deviation.code)
                #expect(outcome.error?.blame == .peer)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func joinsTheLinesOfAFoldedField(wire: Wire) async throws {
        let script = Script.responding(
            with: "HTTP/1.1 200 OK\r\nX-A: one \r\n\t two\r\n three\r\nContent-Length: 2\r\n\r\nhi"
        )
        try await wire.with(.script(script)) { server, session in
            let response = try await session.get(server.url("/"))
            let name = try #require(HTTPField.Name("X-A"))
            #expect(response.fields[name] == "one two three")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [Form.direct, .handle, .stream])
    func countsTheBytesAfterAGzipBody(wire: Wire, form: Form) async throws {
        let deviation = Deviation("", gzipAndThen: [0x0D, 0x0A])
        try await wire.with(.script([.loop([.expectHead, .sendBytes(deviation.bytes)])])) { server, session in
            let metrics: RequestMetrics
            switch form {
            case .direct: metrics = try await session.get(server.url("/")).metrics
            case .handle:
                let request = session.request(server.url("/"))
                _ = try await request.serializingData().value
                metrics = request.metrics
            case .stream:
                let response = try await session.stream(server.url("/"))
                for try await _ in response.body {}
                metrics = response.metrics
            }
            let exchange = try #require(metrics.exchanges.first)
            #expect(exchange.ignoredContentBytes == 2)
            #expect(exchange.responseBodyBytes > exchange.ignoredContentBytes)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func limitsTheBytesAfterAGzipBody(wire: Wire) async throws {
        let coded = StoredGzip.coded(Array("hi".utf8)) + [UInt8](repeating: 1, count: 200_000)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        let script: Script = [.loop([.expectHead, .sendBytes(Array(head.utf8) + coded)])]
        for (limit, code) in [(200_000, nil), (199_999, ApusError.Code.bodyTooLarge)] {
            try await wire.with(.script(script), configure: { $0.limits.collectedBodyBytes = limit }) {
                server,
                session in
                for form in Form.allCases {
                    let message = try RequestMessage(server.url("/"))
                    #expect(await form.outcome(of: message, on: session).code == code)
                }
            }
        }
    }

    // MARK: Switching protocols

    private static let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nnext"

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [ResponseLimits.Parsing.lenient, .strict])
    func rejectsAnUnrequestedUpgrade(wire: Wire, parsing: ResponseLimits.Parsing) async throws {
        let script = Script.responding(with: Self.switching)
        try await wire.with(.script(script), configure: { $0.limits.parsing = parsing }) { server, session in
            for form in Form.allCases {
                let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
                #expect(outcome.code == .malformedResponse)
                #expect(outcome.error?.blame == .peer)
                #expect(outcome.error?.phase == .receive)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func acceptsARequestedUpgrade(wire: Wire) async throws {
        try await wire.with(.script(.responding(with: Self.switching))) { server, session in
            let fields: HTTPFields = [.upgrade: "x", .connection: "upgrade"]
            let message = try RequestMessage(server.url("/"), fields: RequestFields(fields))
            let response = try await session.send(message)
            #expect(response.status.code == 101)
            #expect(response.data.isEmpty)
        }
    }
}

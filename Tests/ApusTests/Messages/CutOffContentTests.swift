import Apus
import ApusTestServer
import Dispatch
import Foundation
import HTTPTypes
import Testing

/// A truncated body is an error in every framing and coding. A complete body is decoded.
@Suite struct CutOffContentTests {
    private static let text = Array("A swift that has left its nest may not land again for years.".utf8)
    private static let validResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    enum Framing: String, CaseIterable, Sendable {
        case length
        case chunked
        case untilClose

        /// Responds with a coded body, then with valid responses.
        func script(_ body: [UInt8], _ fields: String = "Content-Encoding: gzip") -> Script {
            let head = "HTTP/1.1 200 OK\r\n\(fields)\r\n"
            let further: [Step] = [.loop([.expectHead, .send(CutOffContentTests.validResponse)])]
            switch self {
            case .length:
                let ahead = Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8)
                return Script(steps: [.expectHead, .sendBytes(ahead + body)] + further)
            case .chunked:
                let size = String(body.count, radix: 16)
                let ahead = Array("\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n".utf8)
                let behind = Array("\r\n0\r\n\r\n".utf8)
                return Script(steps: [.expectHead, .sendBytes(ahead + body + behind)] + further)
            case .untilClose:
                return [.expectHead, .sendBytes(Array("\(head)\r\n".utf8) + body), .close]
            }
        }
    }

    struct Coded: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var fields = "Content-Encoding: gzip"
        let body: [UInt8]
    }

    /// Sends a request for each framing and API and checks its outcome. The session must stay usable afterwards.
    private func checkEachOutcome(
        of coded: Coded,
        _ wire: Wire,
        _ check: (Result<Data, ApusError>) throws -> Void
    ) async throws {
        for framing in Framing.allCases {
            for form in Form.allCases {
                let scripts: [Script] = [
                    framing.script(coded.body, coded.fields), .responding(with: Self.validResponse),
                ]
                try await wire.with(.scripts(scripts)) { server, session in
                    try check(await form.outcome(of: try RequestMessage(server.url("/")), on: session))
                    #expect(try await session.get(server.url("/")).string() == "hi")
                }
            }
        }
    }

    // MARK: Codings

    static let cutOff: [Coded] = [
        Coded(testDescription: "inside the header of gzip", body: Array(StoredGzip.coded(text).prefix(5))),
        Coded(testDescription: "in the middle", body: Array(StoredGzip.coded(text).prefix(text.count / 2))),
        Coded(testDescription: "before the checksum", body: Array(StoredGzip.coded(text).dropLast(8))),
        Coded(testDescription: "before the last byte", body: Array(StoredGzip.coded(text).dropLast(1))),
        Coded(
            testDescription: "inside the second member",
            body: StoredGzip.coded(text) + Array(StoredGzip.coded(text).dropLast(20))
        ),
        Coded(
            testDescription: "inside another coding",
            fields: "Content-Encoding: gzip, gzip",
            body: StoredGzip.coded(Array(StoredGzip.coded(text).dropLast(20)))
        ),
        Coded(
            testDescription: "before the last byte of deflate",
            fields: "Content-Encoding: deflate",
            body: Array(StoredDeflate.zlib(text).dropLast(1))
        ),
        Coded(
            testDescription: "in the middle of raw deflate",
            fields: "Content-Encoding: deflate",
            body: Array(StoredDeflate.raw(text).dropLast(20))
        ),
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, cutOff)
    func rejectsATruncatedBody(wire: Wire, coded: Coded) async throws {
        try await checkEachOutcome(of: coded, wire) { outcome in
            #expect(outcome.code == .contentCodingFailed)
            #expect(outcome.error?.phase == .decode)
            #expect(outcome.error?.blame == .peer)
        }
    }

    static let complete: [Coded] = [
        Coded(testDescription: "x-gzip", fields: "Content-Encoding: x-gzip", body: StoredGzip.coded(text)),
        Coded(testDescription: "letter case", fields: "CONTENT-ENCODING: GZip", body: StoredGzip.coded(text)),
        Coded(testDescription: "raw deflate", fields: "Content-Encoding: deflate", body: StoredDeflate.raw(text)),
        Coded(testDescription: "zlib deflate", fields: "Content-Encoding: deflate", body: StoredDeflate.zlib(text)),
        Coded(
            testDescription: "several members",
            body: StoredGzip.coded(Array(text.prefix(10))) + StoredGzip.coded([])
                + StoredGzip.coded(Array(text.dropFirst(10)))
        ),
        Coded(
            testDescription: "gzip on gzip",
            fields: "Content-Encoding: gzip, gzip",
            body: StoredGzip.coded(text, times: 2)
        ),
        Coded(
            testDescription: "gzip on deflate, in two fields",
            fields: "Content-Encoding: deflate\r\nContent-Encoding: gzip",
            body: StoredGzip.coded(StoredDeflate.zlib(text))
        ),
        Coded(testDescription: "identity", fields: "Content-Encoding: identity", body: text),
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, complete)
    func decodesACompleteBody(wire: Wire, coded: Coded) async throws {
        try await checkEachOutcome(of: coded, wire) { outcome throws in
            #expect(try outcome.get() == Data(Self.text))
        }
    }

    /// An interrupted connection is reported as such, not as a decoding error.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func reportsALostConnectionBeforeADecodingError(wire: Wire, form: Form) async throws {
        let coded = StoredGzip.coded(Self.text)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n"
        let script: Script = [.expectHead, .sendBytes(Array(head.utf8) + Array(coded.dropLast(20))), .close]
        try await wire.with(.script(script)) { server, session in
            let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
            #expect(outcome.code == .connectionClosed)
            #expect(outcome.error?.phase == .receive)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func rejectsADecompressionBomb(wire: Wire) async throws {
        try await checkEachOutcome(of: Coded(testDescription: "a bomb", body: GzipBomb.complete), wire) { outcome in
            #expect(outcome.code == .expansionLimit)
            #expect(outcome.error?.phase == .decode)
        }
    }

    /// Shows that the limit causes the failure, not the data itself.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func decodesADecompressionBombIfTheLimitAllowsIt(wire: Wire, form: Form) async throws {
        let configuration = wire.configured { $0.limits.expansionRatio = 2000 }
        let script = Framing.length.script(GzipBomb.complete)
        try await wire.with(.script(script), configuration: configuration) { server, session in
            let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
            let isZeros = try outcome.get() == Data(count: 4 << 20)
            #expect(isZeros)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, Form.allCases)
    func abortsAnEndlessDecompressionBomb(wire: Wire, form: Form) async throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + GzipBomb.header
        let endless: Script = [.expectHead, .sendBytes(head), .sendRepeatedly(GzipBomb.mebibyte, count: 1 << 30)]
        try await wire.with(.scripts([endless, .responding(with: Self.validResponse)])) { server, session in
            let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
            #expect(outcome.code == .expansionLimit)
            await server.waitForOpenConnections(0)
            #expect(try await session.get(server.url("/")).string() == "hi")
        }
    }

    // MARK: Connections

    struct Reset: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sent: String
        /// Whether the client has received the head when the connection is reset.
        var hasHead = true
    }

    static let resets: [Reset] = [
        Reset(testDescription: "inside the status line", sent: "HTTP/1.1 2", hasHead: false),
        Reset(testDescription: "inside the fields", sent: "HTTP/1.1 200 OK\r\nContent-Le", hasHead: false),
        Reset(testDescription: "inside a length", sent: "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"),
        Reset(
            testDescription: "inside a chunk",
            sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n32\r\nhello"
        ),
        Reset(
            testDescription: "between chunks",
            sent: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
        ),
        Reset(testDescription: "inside a body until close", sent: "HTTP/1.1 200 OK\r\n\r\nhello"),
    ]

    /// Opens a gate when the head of a response has arrived.
    private final class HeadGate: EventMonitor {
        let queue = DispatchQueue(label: "apus.tests.head-gate")
        let gate = Gate()

        func request(_ request: RequestSummary, did event: RequestEvent) {
            if case .responded = event { gate.open() }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, resets)
    func reportsAResetAsALostConnection(wire: Wire, reset: Reset) async throws {
        for form in Form.allCases {
            let monitor = HeadGate()
            if !reset.hasHead { monitor.gate.open() }
            let dying: Script = [.expectHead, .send(reset.sent), .wait(monitor.gate), .reset]
            let scripts: [Script] = [dying, .responding(with: Self.validResponse)]
            let configuration = wire.configured { $0.eventMonitors = [monitor] }
            try await wire.with(.scripts(scripts), configuration: configuration) { server, session in
                let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
                #expect(outcome.code == .connectionClosed)
                #expect(outcome.error?.phase == .receive)
                #expect(outcome.error?.blame == .peer)
                let seen = outcome.error?.response?.status.code
                #expect(form == .stream || seen == (reset.hasHead ? 200 : nil))
                await server.waitForOpenConnections(0)
                #expect(try await session.get(server.url("/")).string() == "hi")
                #expect(server.acceptedConnections == 2)
            }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ["H", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\n"])
    func doesNotRetryAfterTheFirstByteOfAResponse(wire: Wire, begun: String) async throws {
        for form in Form.allCases {
            let dying: Script = [.expectHead, .send(Self.validResponse), .expectHead, .send(begun), .close]
            try await wire.with(.scripts([dying, .responding(with: Self.validResponse)])) { server, session in
                try await session.get(server.url("/")).validate()
                let outcome = await form.outcome(of: try RequestMessage(server.url("/")), on: session)
                #expect(outcome.code == .connectionClosed)
                #expect(server.requestCount == 2)
                #expect(server.acceptedConnections == 1)
            }
        }
    }
}

/// Deflate data without compression.
private enum StoredDeflate {
    /// RFC 1951: the part between the gzip header and trailer.
    static func raw(_ input: [UInt8]) -> [UInt8] {
        Array(StoredGzip.coded(input).dropFirst(10).dropLast(8))
    }

    /// RFC 1950.
    static func zlib(_ input: [UInt8]) -> [UInt8] {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in input {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let checksum = high << 16 | low
        let trailer = (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) }
        return [0x78, 0x01] + raw(input) + trailer
    }
}

/// Zeros, which gzip compresses by a factor of a thousand.
private enum GzipBomb {
    /// 4 MiB as a complete member.
    static let complete: [UInt8] = header + block + trailer

    static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    private static let block: [UInt8] =
        [0xED, 0xC1, 0x01, 0x01, 0, 0, 0, 0x82, 0x20, 0xFF, 0xAF, 0x6E, 0x48, 0x40, 0x01]
        + [UInt8](repeating: 0, count: 4063) + [0x7C, 0x1B]

    private static let trailer: [UInt8] = [0x6A, 0x40, 0x47, 0x11, 0, 0, 0x40, 0]

    /// A mebibyte to follow a header: blocks that may be followed by others.
    static let mebibyte: [UInt8] =
        [0xEC, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0]
        + [UInt8](repeating: 0, count: 1016) + [0x3E, 0x03, 0, 0, 0xFF, 0xFF]
}

import Apus
import ApusTestServer
import Foundation
import HTTPTypes
import Testing

/// Bytes that a server sends after a response never become the next response, however the reads divide them.
@Suite struct LeftoverBytesTests {
    private static let forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nX-Forged: 1\r\n\r\nforged"
    private static let real = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal"

    /// Yields the core to another thread, and keeps this thread.
    private static func yieldThread() { _ = sched_yield() }

    /// Sizes around the powers of two, and around the sums of successive read buffers.
    static let sizes: [Int] = {
        let powers = (6...18).map { 1 << $0 }
        let sums = [12 << 10, 28 << 10, 60 << 10, 124 << 10, 188 << 10, 252 << 10, 300 << 10]
        return Set((powers + sums).flatMap { ($0 - 1)...($0 + 1) }).sorted()
    }()

    /// Returns a response of exactly `byteCount` bytes.
    private static func response(ofBytes byteCount: Int) throws -> String {
        for reason in ["OK", "OKK", "OKKK"] {
            for digits in 1...6 {
                let frame = "HTTP/1.1 200 \(reason)\r\nContent-Length: \r\n\r\n".utf8.count + digits
                let bodyCount = byteCount - frame
                guard bodyCount >= 0, String(bodyCount).utf8.count == digits else { continue }
                let head = "HTTP/1.1 200 \(reason)\r\nContent-Length: \(bodyCount)\r\n\r\n"
                return head + String(repeating: "x", count: bodyCount)
            }
        }
        throw ApusError(.invalidRequest, "no response has \(byteCount) bytes")
    }

    /// Sends `first` and a forged response after it to a first request. Expects the second request to receive the real
    /// response on a new connection.
    private func expectTheRealResponse(
        behind first: [[UInt8]],
        wire: Wire,
        method: HTTPRequest.Method = .get,
        path: String = "/",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let poisoned = Script(steps: [.expectHead] + first.map { .sendBytes($0) } + [.silence])
        try await wire.with(.scripts([poisoned, .responding(with: Self.real)])) { server, session in
            let message = try RequestMessage(server.url(path), method: method)
            _ = try await session.send(message)
            let second = try await session.get(server.url("/secret"))
            #expect(try second.string() == "real", sourceLocation: sourceLocation)
            #expect(server.acceptedConnections == 2, sourceLocation: sourceLocation)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, sizes)
    func areNeverTheNextResponse(wire: Wire, byteCount: Int) async throws {
        let bytes = Array((try Self.response(ofBytes: byteCount) + Self.forged).utf8)
        try await expectTheRealResponse(behind: [bytes], wire: wire)
    }

    /// Over TLS the server's library decides the sizes of reads: covers all sizes around the first buffer, with the
    /// forged response in a separate record.
    @Test(.timeLimit(.minutes(5)), arguments: 3_980...4_110)
    func areNeverTheNextResponseInASeparateRecord(byteCount: Int) async throws {
        let response = Array(try Self.response(ofBytes: byteCount).utf8)
        let poisoned = Script(steps: [.expectHead, .sendBytes(response), .sendBytes(Array(Self.forged.utf8)), .silence])
        try await Wire.tls.with(.scripts([poisoned, .responding(with: Self.real)])) { server, session in
            _ = try await session.get(server.url("/"))
            await server.waitForOpenConnections(0)
            let second = try await session.get(server.url("/secret"))
            #expect(try second.string() == "real")
        }
    }

    /// A partial record cannot be decrypted, but it still counts as bytes after the response.
    @Test(.timeLimit(.minutes(5)), arguments: [1, 2, 40, 76])
    func areNeverTheNextResponseAsAPartOfARecord(heldBytes: Int) async throws {
        let response = Array(try Self.response(ofBytes: 200).utf8)
        let poisoned: Script = [
            .expectHead, .hold, .sendBytes(response), .sendBytes(Array(Self.forged.utf8)), .release(allBut: heldBytes),
            .expectHead, .release(allBut: 0), .silence,
        ]
        try await Wire.tls.with(.scripts([poisoned, .responding(with: Self.real)])) { server, session in
            _ = try await session.get(server.url("/"))
            let second = try await session.get(server.url("/secret"))
            #expect(try second.string() == "real")
            #expect(server.acceptedConnections == 2)
        }
    }

    /// Responses whose TLS 1.3 records, 22 bytes longer, end at buffer boundaries.
    static let sizesInRecords = [2, 4, 6, 8, 10, 12, 14].flatMap { buffer in
        (-2...2).map { (buffer << 10) - 22 + $0 }
    }

    /// A record that fills the read buffer hides the next one, which is still in the kernel when the pool hands the
    /// connection to a waiting request.
    @Test(.timeLimit(.minutes(5)), arguments: sizesInRecords)
    func areNeverTheResponseOfAWaitingRequest(byteCount: Int) async throws {
        let response = Array(try Self.response(ofBytes: byteCount).utf8)
        let poisoned: Script = [
            .expectHead, .send(Self.real),
            .expectHead, .hold, .sendBytes(response), .sendBytes(Array(Self.forged.utf8)), .release(allBut: 0),
            .silence,
        ]
        try await Wire.tls.with(.scripts([poisoned, .responding(with: Self.real)])) {
            $0.pool.connectionsPerOrigin = 1
        } _: { server, session in
            // This response arrives after the messages that TLS sends after its handshake.
            _ = try await session.get(server.url("/"))
            async let first = session.get(server.url("/first"))
            async let second = session.get(server.url("/second"))
            let mark = try #require(HTTPField.Name("X-Forged"))
            for response in try await [first, second] { #expect(response.fields[mark] == nil) }
            #expect(server.acceptedConnections == 2)
        }
    }

    /// The server's action before the next request, long after the last read.
    enum ServerAction: CaseIterable {
        case sends, ends
    }

    /// The next request begins on the connection before the event loop has read these bytes. A request of any method
    /// must check the connection itself.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, ServerAction.allCases)
    func areNeverTheResponseToARequestThatBeginsAfterThem(wire: Wire, action: ServerAction) async throws {
        let (begin, done) = (Gate(), Gate())
        let step: Step = if case .sends = action { .send(Self.forged) } else { .halfClose }
        let poisoned: Script = [.expectHead, .send(Self.real), .wait(begin), step, .signal(done), .silence]
        try await wire.with(.scripts([poisoned, .responding(with: Self.real)])) { server, session in
            _ = try await session.get(server.url("/"))
            let executor = try #require(session.executor(for: server.url("/")))
            let second = Task(executorPreference: executor) {
                begin.open()
                // Blocks the event loop, so that it cannot see the server's action.
                while !done.isOpen { Self.yieldThread() }
                return try await session.post(server.url("/secret"), body: .string("only once"))
            }
            let response = try await second.value
            #expect(try response.string() == "real")
            #expect(response.metrics.exchanges.map(\.resendCount) == [0])
            #expect(server.acceptedConnections == 2)
        }
    }

    /// A kind of response, with its own way of ending.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPRequest.Method.get
        let begin: String
        let end: String
    }

    static let kinds = [
        Kind(testDescription: "HEAD", method: .head, begin: "HTTP/1.1 200 OK\r\nContent-Length: 61\r\n", end: "\r\n"),
        Kind(testDescription: "204", begin: "HTTP/1.1 204 No Content\r\n", end: "\r\n"),
        Kind(testDescription: "304", begin: "HTTP/1.1 304 Not Modified\r\nContent-Length: 61\r\n", end: "\r\n"),
        Kind(
            testDescription: "after a 103",
            begin: "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
            end: "\r\nhi"
        ),
        Kind(
            testDescription: "chunks with a trailer",
            begin: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n",
            end: "\r\n2\r\nhi\r\n0\r\nA: b\r\n\r\n"
        ),
        Kind(testDescription: "404", begin: "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n", end: "\r\nno"),
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, kinds)
    func areNeverTheNextResponseWhereverTheResponseEnds(wire: Wire, kind: Kind) async throws {
        for byteCount in 4_095...4_097 {
            let padding = byteCount - (kind.begin + kind.end).utf8.count - "P: \r\n".utf8.count
            let field = "P: " + String(repeating: "p", count: padding) + "\r\n"
            let bytes = Array((kind.begin + field + kind.end + Self.forged).utf8)
            try await expectTheRealResponse(behind: [bytes], wire: wire, method: kind.method)
        }
    }

    /// The body of a redirect is discarded, and the next request goes to the same origin.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, 4_095...4_097)
    func areNeverTheResponseAfterARedirect(wire: Wire, byteCount: Int) async throws {
        let begin = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: "
        let bodyCount = byteCount - begin.utf8.count - "1000\r\n\r\n".utf8.count
        let bytes = Array("\(begin)\(bodyCount)\r\n\r\n\(String(repeating: "x", count: bodyCount))\(Self.forged)".utf8)
        try #require(bodyCount >= 1000)
        let poisoned: Script = [.expectHead, .sendBytes(bytes), .silence]
        try await wire.with(.scripts([poisoned, .responding(with: Self.real)])) { server, session in
            let response = try await session.get(server.url("/"))
            #expect(try response.string() == "real")
            #expect(server.acceptedConnections == 2)
        }
    }

    /// Covers any packet boundaries, as long as the packet that ends the response begins the forged one.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, 0..<24)
    func areNeverTheNextResponseHoweverTheyAreSplit(wire: Wire, seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let response = Array(try Self.response(ofBytes: Int.random(in: 100...9_000, using: &random)).utf8)
        let forged = Array(Self.forged.utf8)
        let overlap = Int.random(in: 1...forged.count, using: &random)
        let cuts = (0..<4).map { _ in Int.random(in: 0..<response.count, using: &random) }.sorted()
        var pieces: [[UInt8]] = []
        var begin = 0
        for cut in cuts where cut > begin {
            pieces.append(Array(response[begin..<cut]))
            begin = cut
        }
        pieces.append(Array(response[begin...]) + forged[..<overlap])
        if overlap < forged.count { pieces.append(Array(forged[overlap...])) }
        try await expectTheRealResponse(behind: pieces, wire: wire)
    }

    /// The next request reuses a connection whose response filled a buffer exactly with no bytes after it.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, [4_095, 4_096, 4_097])
    func doNotIncludeAResponseThatFillsABuffer(wire: Wire, byteCount: Int) async throws {
        try await wire.with(.script(.responding(with: try Self.response(ofBytes: byteCount)))) { server, session in
            for _ in 0..<3 { _ = try await session.get(server.url("/")) }
            #expect(server.acceptedConnections == 1)
        }
    }
}

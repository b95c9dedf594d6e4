import Apus
import ApusTestServer
import Testing

@Suite struct MalformedResponseTests {
    /// Invalid first bytes of a response, and the code of the expected error.
    struct Fault: Sendable, CustomTestStringConvertible {
        let bytes: String
        let code: ApusError.Code

        /// The beginning of the bytes, as some are long.
        var testDescription: String { bytes.prefix(100).debugDescription }
    }

    static let faults =
        ([
            ("HTTP/2.0 200 OK\r\n\r\n", .malformedResponse),
            ("SSH-2.0-OpenSSH\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 2000 OK\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 OK\r\n\r\n", .malformedResponse),
            ("\r\nHTTP/1.1 200 OK\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nA : c\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\n folded\r\nA: b\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nhi", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nhi\r\n0\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nA: b\u{0}c\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello", .malformedResponse),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                .malformedResponse
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", .malformedResponse),
            ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", .malformedResponse),
            (String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 1000), .responseTooLarge),
        ] as [(String, ApusError.Code)]).map { Fault(bytes: $0.0, code: $0.1) }

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, faults)
    func isRejectedWithOneError(wire: Wire, fault: Fault) async throws {
        let outcome = try await wire.outcome(of: [.expectHead, .send(fault.bytes), .silence])
        #expect(outcome.code == fault.code)
        #expect(outcome.error?.blame == .peer)
        #expect(outcome.error?.phase == .receive)
    }

    /// Unusual but valid responses.
    static let oddities: [(String, Int, String)] = [
        ("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", 200, "hi"),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi"),
        ("HTTP/1.1 200 OK\r\ncontent-length:2\r\n\r\nhi", 200, "hi"),
        ("HTTP/1.1 299 Odd\r\nContent-Length: 0\r\n\r\n", 299, ""),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi"),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, ""),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nT: u\r\n\r\n", 200, "hi"),
    ]

    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases, oddities)
    func isDistinctFromAnUnusualResponse(wire: Wire, oddity: (bytes: String, status: Int, body: String)) async throws {
        let response = try await wire.outcome(of: [.expectHead, .send(oddity.bytes), .silence]).get()
        #expect(response.status.code == oddity.status)
        #expect(try response.string() == oddity.body)
    }

    /// A head whose body is malformed belongs to the caller, even if both arrive at once.
    @Test(.timeLimit(.minutes(5)), arguments: Wire.allCases)
    func keepsTheHeadOfAMalformedBody(wire: Wire) async throws {
        let bytes = "HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nno colon\r\n\r\n"
        try await wire.with(.script([.expectHead, .send(bytes), .silence])) { server, session in
            let error = await #expect(throws: ApusError.self) { try await session.get(server.url("/")) }
            #expect(error?.code == .malformedResponse)
            #expect(error?.response?.status.code == 500)
            let response = try await session.stream(server.url("/"))
            #expect(response.status.code == 500)
            await #expect(throws: ApusError.self) { for try await _ in response.body {} }
        }
    }
}

internal import ApusEngine
internal import HTTPTypes
internal import Testing

/// A value equal to a limit is accepted. A value one above it fails with the error for that limit.
@Suite struct HTTP1LimitTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Int
        let fault: HTTP1ParseError
        /// Returns a response whose limited property has the given size.
        let response: @Sendable (Int) -> String
    }

    static let cases: [Case] = [
        Case(testDescription: "head", limit: 65_536, fault: .headTooLarge(limit: 65_536)) { size in
            // 17 for the status line, 4 × 16 007 for the first fields, 7 for the last one's framing, 2 for the end.
            let field = "A: " + String(repeating: "x", count: 16_002) + "\r\n"
            let ahead = "HTTP/1.1 204 OK\r\n" + String(repeating: field, count: 4)
            return ahead + "A: " + String(repeating: "x", count: size - ahead.utf8.count - 7) + "\r\n\r\n"
        },
        Case(testDescription: "field", limit: 16_384, fault: .fieldTooLarge(limit: 16_384)) { size in
            "HTTP/1.1 204 OK\r\nA: " + String(repeating: "x", count: size - 3) + "\r\n\r\n"
        },
        Case(testDescription: "status line", limit: 16_384, fault: .statusLineTooLong(limit: 16_384)) { size in
            "HTTP/1.1 204 " + String(repeating: "x", count: size - 13) + "\r\n\r\n"
        },
        Case(testDescription: "fields", limit: 256, fault: .tooManyFields(limit: 256)) { count in
            "HTTP/1.1 204 OK\r\n" + String(repeating: "A: b\r\n", count: count) + "\r\n"
        },
        Case(testDescription: "informational", limit: 32, fault: .tooManyInformational(limit: 32)) { count in
            String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: count) + "HTTP/1.1 204 OK\r\n\r\n"
        },
        Case(testDescription: "chunk-size line", limit: 64, fault: .chunkSizeLineTooLong(limit: 64)) { size in
            chunked + "0;" + String(repeating: "x", count: size - 2) + "\r\n\r\n"
        },
        Case(testDescription: "trailers", limit: 16_384, fault: .trailersTooLarge(limit: 16_384)) { size in
            let ahead = "A: " + String(repeating: "x", count: 8_000) + "\r\n"
            return chunked + "0\r\n" + ahead + "A: " + String(repeating: "x", count: size - 8_005 - 7) + "\r\n\r\n"
        },
        Case(testDescription: "trailer fields", limit: 256, fault: .tooManyFields(limit: 256)) { count in
            chunked + "0\r\n" + String(repeating: "A: b\r\n", count: count) + "\r\n"
        },
    ]

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: cases)
    func isEnforced(limited: Case) {
        for measure in [limited.limit - 1, limited.limit] {
            let transcript = HTTP1Transcript(of: limited.response(measure))
            #expect(transcript.failure == nil)
            #expect(transcript.isComplete)
        }
        #expect(HTTP1Transcript(of: limited.response(limited.limit + 1)).failure == limited.fault)
    }

    @Test func rejectsEndlessLinesEarly() {
        let endless = String(repeating: "x", count: 16_384)
        #expect(
            HTTP1Transcript(of: "HTTP/1.1 200 \(endless)", closes: false).failure == .statusLineTooLong(limit: 16_384)
        )
        #expect(
            HTTP1Transcript(of: "HTTP/1.1 200 OK\r\nA: \(endless)", closes: false).failure
                == .fieldTooLarge(limit: 16_384)
        )
        #expect(
            HTTP1Transcript(of: Self.chunked + "1;" + endless, closes: false).failure
                == .chunkSizeLineTooLong(limit: 64)
        )
    }

    @Test func countsEachHeadSeparately() {
        let field = "A: \(String(repeating: "x", count: 12_000))\r\n"
        let early = "HTTP/1.1 103 Early Hints\r\n" + String(repeating: field, count: 5) + "\r\n"
        let final = "HTTP/1.1 204 OK\r\n" + String(repeating: field, count: 5) + "\r\n"
        #expect(HTTP1Transcript(of: early + early + final).isComplete)
    }

    @Test func survivesLimitsThatAllowNothing() {
        let limits = HTTP1Limits(
            responseHeadBytes: 0,
            fieldBytes: 0,
            fieldCount: 0,
            informationalResponses: 0,
            chunkSizeLineBytes: 0,
            trailerBytes: 0
        )
        #expect(HTTP1Transcript(of: "HTTP/1.1 200 OK\r\n\r\n", limits: limits).failure == .statusLineTooLong(limit: 0))
    }

    @Test func survivesLimitsThatAllowEverything() {
        let limits = HTTP1Limits(
            responseHeadBytes: .max,
            fieldBytes: .max,
            fieldCount: .max,
            informationalResponses: .max,
            chunkSizeLineBytes: .max,
            trailerBytes: .max
        )
        let many = "HTTP/1.1 204 OK\r\n" + String(repeating: "A: b\r\n", count: 70_000) + "\r\n"
        #expect(HTTP1Transcript(of: many, limits: limits).failure == .tooManyFields(limit: 60_000))
    }
}

internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

/// Deviations that leave the end of a response unambiguous are accepted unless the limits are strict.
@Suite struct HTTP1LenienceTests {
    typealias Field = HTTP1Transcript.Field

    private func response(
        _ text: String,
        method: HTTPRequest.Method = .get,
        limits: HTTP1Limits = HTTP1Limits()
    ) -> HTTP1Transcript {
        HTTP1Transcript(of: text, method: method, limits: limits, closes: false)
    }

    // MARK: Folded fields

    @Test(arguments: [
        ("A: one\r\n two", ["A: one two"]), ("A: one \t\r\n\t two", ["A: one two"]), ("A:\r\n b", ["A: b"]),
        ("A: \r\n \t b", ["A: b"]), ("A: b\r\n ", ["A: b"]), ("A: b\r\n \t", ["A: b"]), ("A:\r\n ", ["A: "]),
        ("A: a\r\n b\r\n\tc", ["A: a b c"]), ("A: a\r\n \r\n c", ["A: a c"]), ("A: a\n b", ["A: a b"]),
        ("A: a\r\n b\nC: d", ["A: a b", "C: d"]), ("A: a\r\n B: c\r\nD: e", ["A: a B: c", "D: e"]),
        ("A: b\r\nC: d\r\n e", ["A: b", "C: d e"]), ("A: \u{E4}\r\n \u{E9}", ["A: \u{E4} \u{E9}"]),
        ("X-Unknown: a\r\n b", ["X-Unknown: a b"]),
    ])
    func joinsFoldedLinesBySpaces(lines: String, fields: [String]) throws {
        let text = "HTTP/1.1 200 OK\r\n\(lines)\r\nContent-Length: 2\r\n\r\nhi"
        let transcript = response(text)
        let head = try #require(transcript.head)
        #expect(head.fields.map(\.description) == fields + ["Content-Length: 2"])
        #expect(transcript.body == Array("hi".utf8))
        #expect(head.keepAlive)
        #expect([.obsoleteFold, .bareLineFeed].contains(response(text, limits: .strict).failure))
    }

    @Test func keepsBytesOfAFoldedValueThatAreNoUTF8() {
        let bytes = Array("HTTP/1.1 200 OK\r\nA: caf".utf8) + [0xE9, 0x0D, 0x0A, 0x20, 0xFF] + Array("\r\n\r\n".utf8)
        let transcript = HTTP1Transcript(of: bytes, closes: false)
        #expect(transcript.head?.fields == [Field(name: "A", value: Array("caf".utf8) + [0xE9, 0x20, 0xFF])])
    }

    @Test(
        arguments: [
            (" A: b", .whiteSpaceAheadOfFields), ("\tA: b", .whiteSpaceAheadOfFields),
            (" ", .whiteSpaceAheadOfFields), (" \r\n b", .whiteSpaceAheadOfFields),
            (" A: \u{0}", .whiteSpaceAheadOfFields), ("A\r\n : b", .fieldNameInvalid),
            ("A\r\n b: c", .fieldNameInvalid),
            ("A\r\n b\u{0}: c", .fieldNameInvalid), ("A B: c\r\n d", .fieldNameInvalid),
            (": b\r\n c", .fieldNameInvalid), ("A: b\r\n \u{0}", .fieldValueInvalid(name: "A")),
            ("A: b\r\n c\rd", .bareCarriageReturn), ("A: b\r\r\n c", .bareCarriageReturn),
            ("A: b\r\n \r", .bareCarriageReturn),
        ] as [(String, HTTP1ParseError)]
    )
    func rejectsFoldsWithoutAValue(lines: String, fault: HTTP1ParseError) {
        #expect(response("HTTP/1.1 200 OK\r\n\(lines)\r\nZ: z\r\n\r\n").failure == fault)
        #expect(response("HTTP/1.1 200 OK\r\n\(lines)\r\nZ: z\r\n\r\n", limits: .strict).failure != nil)
    }

    /// A recipient that does not unfold these fields would find a different end of the response.
    @Test(arguments: [
        "Content-Length: 5\r\n ", "Content-Length:\r\n 5", "Content-Length: 5\r\n 6", "content-length: 5\n\t",
        "Content-Length: 5\r\nContent-Length:\r\n 5", "Transfer-Encoding:\r\n chunked",
        "Transfer-Encoding: chunked\r\n ",
        "transfer-encoding: chunked\r\n , identity", "Transfer-Encoding: identity\r\n ",
    ])
    func rejectsFoldedFramingFields(lines: String) {
        #expect(response("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nhello").failure == .framingFieldFolded)
        #expect(response("HTTP/1.1 200 OK\r\n\(lines)\r\nA: b\r\n\r\nhello").failure == .framingFieldFolded)
        let strict = response("HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nhello", limits: .strict)
        #expect([.obsoleteFold, .bareLineFeed].contains(strict.failure))
    }

    @Test func readsFoldedConnectionOptions() {
        let folded = response("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive,\r\n close\r\n\r\n")
        #expect(folded.head?.keepAlive == false)
    }

    @Test func countsAFoldedFieldAsOneLine() {
        let limits = HTTP1Limits(fieldBytes: 40, fieldCount: 2)
        // 3 bytes for the name, 2 for each line end, 1 for each space.
        let value = "aaaaaaaaaa\r\n bbbbbbbbbb\r\n "
        for (count, fault) in [
            (10, nil), (11, HTTP1ParseError.fieldTooLarge(limit: 40)), (40, .fieldTooLarge(limit: 40)),
        ] {
            let last = String(repeating: "c", count: count + 1)
            let text = "HTTP/1.1 204 OK\r\nA: \(value)\(last)\r\nB: c\r\n\r\n"
            #expect(response(text, limits: limits).failure == fault)
        }
        let three = response("HTTP/1.1 204 OK\r\nA: a\r\n b\r\nB: c\r\nD: e\r\n\r\n", limits: limits)
        #expect(three.failure == .tooManyFields(limit: 2))
        let endless = "HTTP/1.1 200 OK\r\nA: b" + String(repeating: "\r\n ", count: 6_000)
        #expect(response(endless).failure == .fieldTooLarge(limit: 16_384))
    }

    @Test func countsFoldedLinesAgainstTheSizeOfTheHead() {
        let text = "HTTP/1.1 204 OK\r\nA: b\r\n c\r\n\r\n"
        #expect(response(text, limits: HTTP1Limits(responseHeadBytes: text.utf8.count)).isComplete)
        let fault = HTTP1ParseError.headTooLarge(limit: text.utf8.count - 1)
        #expect(response(text, limits: HTTP1Limits(responseHeadBytes: text.utf8.count - 1)).failure == fault)
    }

    // MARK: Lone line feeds

    @Test(arguments: [
        "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nhi",
        "HTTP/1.1 200 OK\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\nhi",
    ])
    func acceptsABareLineFeedAsALineEnd(text: String) throws {
        let transcript = response(text + "rest")
        let head = try #require(transcript.head)
        #expect(head.reason == "OK")
        #expect(head.fields.map(\.description) == ["Content-Length: 2"])
        #expect(head.keepAlive)
        #expect(transcript.body == Array("hi".utf8))
        #expect(transcript.isComplete)
        #expect(transcript.leftOver == 4)
        #expect(response(text, limits: .strict).failure == .bareLineFeed)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\nK\n\n", .fieldNameInvalid), ("HTTP/1.1 2\n00 OK\n\n", .statusLineInvalid),
            ("HTTP/1.1\n", .statusLineInvalid), ("HTTP/\n1.1 200 OK\n\n", .statusLineInvalid),
            ("\nHTTP/1.1 200 OK\n\n", .statusLineInvalid), ("HTTP/1.1 200 OK\n\rx", .bareCarriageReturn),
            ("HTTP/1.1 200 OK\r\r\n\r\n", .bareCarriageReturn), ("HTTP/1.1 200 OK\n\r\r\n", .bareCarriageReturn),
            ("HTTP/1.1 200 OK\nA: b\r\r\n\n", .bareCarriageReturn),
            ("HTTP/1.1 200 OK\n A: b\n\n", .whiteSpaceAheadOfFields),
            ("HTTP/1.1 200 OK\nA: \u{0}\n\n", .fieldValueInvalid(name: "A")),
            ("HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 2\n\n", .contentLengthConflict),
            ("HTTP/1.1 200 OK\nContent-Length: 1\nTransfer-Encoding: chunked\n\n", .lengthWithTransferEncoding),
        ] as [(String, HTTP1ParseError)]
    )
    func rejectsLinesBrokenByABareLineFeed(text: String, fault: HTTP1ParseError) {
        #expect(response(text).failure == fault)
    }

    @Test func endsTheHeadOfAnInformationalResponseByALineFeed() {
        let transcript = response("HTTP/1.1 103 Early\nLink: a\n\nHTTP/1.1 200 OK\nContent-Length: 0\n\n")
        #expect(transcript.entries.count == 3)
        #expect(transcript.isComplete)
    }

    // MARK: Chunks

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: ["2 \r\nhi\r\n0 \r\n\r\n", "2\t \t\r\nhi\r\n000     \r\n\r\n"])
    func skipsSpacesAfterAChunkSize(chunks: String) {
        let transcript = response(Self.chunked + chunks)
        #expect(transcript.body == Array("hi".utf8))
        #expect(transcript.isComplete)
        #expect(response(Self.chunked + chunks, limits: .strict).failure == .chunkSizeInvalid)
    }

    @Test func countsSpacesAfterAChunkSize() {
        let limits = HTTP1Limits(chunkSizeLineBytes: 8)
        #expect(response(Self.chunked + "2       \r\nhi\r\n0\r\n\r\n", limits: limits).isComplete)
        let long = response(Self.chunked + "2        \r\nhi\r\n0\r\n\r\n", limits: limits)
        #expect(long.failure == .chunkSizeLineTooLong(limit: 8))
    }

    @Test(
        arguments: [
            ("\n", nil), ("A: b\n\n", ["A: b"]), ("A: b\n\r\n", ["A: b"]), ("A: b\r\n\n", ["A: b"]),
            ("A: b\r\n c\r\nD: e\r\n\r\n", ["A: b c", "D: e"]), ("A: b\n\tc\n\n", ["A: b c"]),
            ("Host: a\r\n b\r\nD: e\r\n\r\n", ["D: e"]), ("Content-Length: 5\r\n 6\r\n\r\n", nil),
        ] as [(String, [String]?)]
    )
    func readsTrailersLikeFields(section: String, trailers: [String]?) {
        let transcript = response(Self.chunked + "2\r\nhi\r\n0\r\n\(section)rest")
        #expect(transcript.body == Array("hi".utf8))
        #expect(transcript.trailers?.map(\.description) == trailers)
        #expect(transcript.isComplete)
        #expect(transcript.leftOver == 4)
        let strict = response(Self.chunked + "2\r\nhi\r\n0\r\n\(section)rest", limits: .strict)
        #expect([.obsoleteFold, .bareLineFeed].contains(strict.failure))
    }

    @Test(
        arguments: [
            (" A: b\r\n\r\n", .whiteSpaceAheadOfFields), (" \r\n\r\n", .whiteSpaceAheadOfFields),
            ("A\r\n : b\r\n\r\n", .fieldNameInvalid), ("A: b\r\n \u{0}\r\n\r\n", .fieldValueInvalid(name: "A")),
        ] as [(String, HTTP1ParseError)]
    )
    func rejectsFoldsWithoutATrailer(section: String, fault: HTTP1ParseError) {
        #expect(response(Self.chunked + "0\r\n" + section).failure == fault)
    }

    // MARK: Transfer-Encoding: identity

    @Test(arguments: ["identity", "Identity", "IDENTITY "])
    func ignoresIdentityAsATransferCoding(coding: String) {
        let fields = "Transfer-Encoding: \(coding)\r\n"
        let length = response("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 2\r\n\r\nhirest")
        #expect(length.head?.framing == .length(2))
        #expect(length.body == Array("hi".utf8))
        #expect(length.leftOver == 4)
        // Other recipients might ignore the length.
        #expect(length.head?.keepAlive == false)
        let closed = response("HTTP/1.1 200 OK\r\n\(fields)\r\nhi")
        #expect(closed.head?.framing == .untilClose)
        #expect(closed.head?.keepAlive == false)
        let name = coding.filter { $0 != " " }
        for text in ["\(fields)Content-Length: 2\r\n\r\nhi", "\(fields)\r\nhi"] {
            let strict = response("HTTP/1.1 200 OK\r\n\(text)", limits: .strict)
            #expect(strict.failure == .transferCodingUnsupported(name))
        }
    }

    // MARK: Cached heads

    /// One parser reads each pair: the first response must not change how the second is read.
    @Test(arguments: [
        ("A: b\r\nC: d", "A: b\r\n c\r\nC: d"), ("A: b\r\n c\r\nC: d", "A: b\r\nC: d"), ("A: b\nC: d", "A: b\r\nC: d"),
        ("A: b\r\nC: d", "A: b\nC: d"), ("A: b\r\nContent-Length: 0", "A: b\r\nContent-Length: 0\r\n 1"),
        ("A: b\r\nContent-Length: 0", "A: b\r\nContent-Length: 0\n"),
        ("Content-Length: 10\nA: b", "Content-Length: 10\nA: c"),
        ("Content-Length: 10\nA: b", "Content-Length: 10\r\nA: b"),
        ("Connection: close\nA: b", "Connection: close\nA: b"),
        ("A: b\r\nC: d\r\n ", "A: b\r\nC: d\r\n "), ("A: b\r\nC: d", "A: b\r\nC: d\r\n e"),
        ("A: b\r\nC: d", "A: b\r\n \r\nC: d"),
    ])
    func readsCorrectlyAfterFoldsAndLineFeeds(first: String, second: String) {
        let texts = [first, second, first, second].map { "HTTP/1.1 200 OK\r\n\($0)\r\n\r\n" }
        for isCut in [false, true] {
            var parser = HTTP1ResponseParser(limits: HTTP1Limits())
            for text in texts {
                let bytes = Array(text.utf8)
                let cuts = isCut ? Array(1..<bytes.count) : []
                let new = HTTP1Transcript(of: bytes, method: .head)
                #expect(new.failure == nil)
                #expect(HTTP1Transcript(of: bytes, cuts: cuts, method: .head, by: &parser) == new)
            }
        }
    }
}

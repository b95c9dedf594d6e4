internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

@Suite struct HTTP1ResponseParserTests {
    typealias Field = HTTP1Transcript.Field

    private func head(_ lines: String..., limits: HTTP1Limits = HTTP1Limits()) -> HTTP1Transcript {
        HTTP1Transcript(of: lines.map { $0 + "\r\n" }.joined() + "\r\n", limits: limits, closes: false)
    }

    @Test func readsAWholeResponse() throws {
        let transcript = HTTP1Transcript(
            of: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Odd:\r\ncontent-length:5 \r\n\r\nhello"
        )
        let head = try #require(transcript.head)
        #expect(head.code == 200)
        #expect(head.reason == "OK")
        #expect(head.minorVersion == 1)
        #expect(head.framing == .length(5))
        #expect(head.keepAlive)
        #expect(
            head.fields == [
                Field(name: "Content-Type", value: Array("text/plain".utf8)), Field(name: "X-Odd", value: []),
                Field(name: "content-length", value: Array("5".utf8)),
            ]
        )
        #expect(transcript.body == Array("hello".utf8))
        #expect(transcript.isComplete)
        #expect(transcript.trailers == nil)
        #expect(transcript.leftOver == 0)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200, "OK", 1), ("HTTP/1.1 200 ", 200, "", 1), ("HTTP/1.1 200", 200, "", 1),
        ("HTTP/1.0 404 Not Found", 404, "Not Found", 0), ("HTTP/1.2 200 OK", 200, "OK", 1),
        ("HTTP/1.9 999 \t odd  ", 999, "\t odd  ", 1), ("HTTP/1.1 200 ok", 200, "ok", 1),
        ("HTTP/1.1 299 Müde", 299, "Müde", 1),
    ])
    func acceptsStatusLine(line: String, code: Int, reason: String, minor: Int) throws {
        let head = try #require(head(line).head)
        #expect(head.code == code)
        #expect(head.reason == reason)
        #expect(Int(head.minorVersion) == minor)
    }

    @Test(
        arguments: [
            ("", .statusLineInvalid), ("\r\nHTTP/1.1 200 OK", .statusLineInvalid),
            (" HTTP/1.1 200 OK", .statusLineInvalid),
            ("http/1.1 200 OK", .statusLineInvalid), ("HTTPS/1.1 200 OK", .statusLineInvalid),
            ("SSH-2.0-OpenSSH_9.6", .statusLineInvalid), ("ICY 200 OK", .statusLineInvalid),
            ("HTTP/2 200", .versionUnsupported), ("HTTP/2.0 200 OK", .versionUnsupported),
            ("HTTP/0.9 200 OK", .versionUnsupported), ("HTTP/3.1 200 OK", .versionUnsupported),
            ("HTTP/1 200 OK", .statusLineInvalid), ("HTTP/1.x 200 OK", .statusLineInvalid),
            ("HTTP/1.10 200 OK", .statusLineInvalid), ("HTTP/11.1 200 OK", .statusLineInvalid),
            ("HTTP/1.1", .statusLineInvalid), ("HTTP/1.1 ", .statusLineInvalid),
            ("HTTP/1.1  200 OK", .statusLineInvalid),
            ("HTTP/1.1\t200 OK", .statusLineInvalid), ("HTTP/1.1 20 OK", .statusLineInvalid),
            ("HTTP/1.1 2000 OK", .statusLineInvalid), ("HTTP/1.1 099 OK", .statusLineInvalid),
            ("HTTP/1.1 000 OK", .statusLineInvalid), ("HTTP/1.1 +20 OK", .statusLineInvalid),
            ("HTTP/1.1 2x0 OK", .statusLineInvalid), ("HTTP/1.1 200\tOK", .statusLineInvalid),
            ("HTTP/1.1 200 O\u{0}K", .statusLineInvalid), ("HTTP/1.1 200 O\u{7F}K", .statusLineInvalid),
            ("HTTP/1.1 200 O\rK", .bareCarriageReturn), ("HTTP/1.1 200 OK\r", .bareCarriageReturn),
            ("\nHTTP/1.1 200 OK", .statusLineInvalid),
        ] as [(String, HTTP1ParseError)]
    )
    func rejectsStatusLine(line: String, fault: HTTP1ParseError) {
        #expect(head(line).failure == fault)
        #expect(head(line, limits: .strict).failure == fault)
    }

    @Test(arguments: ["\u{16}", "\n", "\r", "x", "HTTX"])
    func rejectsAnotherProtocolAtItsFirstByte(bytes: String) {
        #expect(HTTP1Transcript(of: bytes, closes: false).failure != nil)
    }

    @Test(arguments: ["H", "HTT", "HTTP/", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r", "HTTP/1.1 200 OK\r\nA"])
    func waitsForMoreBytes(bytes: String) {
        #expect(HTTP1Transcript(of: bytes, closes: false).entries.isEmpty)
    }

    @Test(arguments: [
        ("A: b", "A", "b"), ("A:b", "A", "b"), ("A: \t b \t ", "A", "b"), ("A:", "A", ""), ("A: \t", "A", ""),
        ("A: b  c\td", "A", "b  c\td"), ("A: b:c", "A", "b:c"), ("a!#$%&'*+-.^_`|~9Z: x", "a!#$%&'*+-.^_`|~9Z", "x"),
        ("SERVER: x", "SERVER", "x"), ("sErVeR: x", "sErVeR", "x"), ("Server: x", "Server", "x"),
        ("server: x", "server", "x"), ("A: Grüße", "A", "Grüße"), ("A: \"q\\\"\"", "A", "\"q\\\"\""),
    ])
    func acceptsFieldLine(line: String, name: String, value: String) throws {
        let head = try #require(head("HTTP/1.1 200 OK", line).head)
        #expect(head.fields == [Field(name: name, value: Array(value.utf8))])
    }

    @Test func keepsInvalidUTF8InValues() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nA: caf".utf8) + [0xE9, 0xFF, 0x80] + Array("\r\n\r\n".utf8)
        let head = try #require(HTTP1Transcript(of: bytes, closes: false).head)
        #expect(head.fields == [Field(name: "A", value: Array("caf".utf8) + [0xE9, 0xFF, 0x80])])
    }

    @Test(
        arguments: [
            (": b", .fieldNameInvalid), ("A", .fieldNameInvalid), ("A : b", .fieldNameInvalid),
            ("A\t: b", .fieldNameInvalid), ("A B: c", .fieldNameInvalid), ("A(: b", .fieldNameInvalid),
            ("Ä: b", .fieldNameInvalid), ("A\u{0}: b", .fieldNameInvalid), ("A\u{1}", .fieldNameInvalid),
            ("A: \u{0}", .fieldValueInvalid(name: "A")), ("A: b\u{8}c", .fieldValueInvalid(name: "A")),
            ("A: b\u{7F}", .fieldValueInvalid(name: "A")), ("A: b\u{1B}[2J", .fieldValueInvalid(name: "A")),
            ("A: b\rC: d", .bareCarriageReturn), ("A: b\r\rC: d", .bareCarriageReturn),
            ("A: b\r", .bareCarriageReturn),
        ] as [(String, HTTP1ParseError)]
    )
    func rejectsFieldLine(line: String, fault: HTTP1ParseError) {
        #expect(head("HTTP/1.1 200 OK", line, "Z: z").failure == fault)
        #expect(head("HTTP/1.1 200 OK", line, "Z: z", limits: .strict).failure == fault)
    }

    @Test func returnsInformationalResponsesBeforeTheFinalOne() throws {
        let transcript = HTTP1Transcript(
            of: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 204 No Content\r\nServer: s\r\n\r\n"
        )
        let codes = transcript.entries.map { entry in
            switch entry {
            case .informational(let head), .head(let head): head.code
            case .body, .end, .failure: 0
            }
        }
        #expect(codes == [100, 103, 204, 0])
        let head = try #require(transcript.head)
        #expect(head.fields == [Field(name: "Server", value: Array("s".utf8))])
        #expect(head.keepAlive)
        #expect(transcript.isComplete)
    }

    @Test func consumesNothingAfterTheEnd() throws {
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n")
        #expect(parser.isBetweenMessages)
        #expect(try parser.next(&buffer) == nil)
        parser.begin(method: .get)
        #expect(!parser.hasStartedResponse)
        #expect(!parser.isBetweenMessages)
        while try parser.next(&buffer) != nil {}
        #expect(parser.hasStartedResponse)
        #expect(parser.isBetweenMessages)
        #expect(buffer.readableBytes == 17)
        #expect(try parser.next(&buffer) == nil)
        #expect(buffer.readableBytes == 17)
    }

    @Test func repeatsTheSameError() {
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\n: x\r\n\r\n")
        parser.begin(method: .get)
        #expect(throws: HTTP1ParseError.fieldNameInvalid) { try parser.next(&buffer) }
        buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")
        #expect(throws: HTTP1ParseError.fieldNameInvalid) { try parser.next(&buffer) }
        #expect(throws: HTTP1ParseError.fieldNameInvalid) { try parser.finish() }
        #expect(!parser.isBetweenMessages)
    }

    @Test func sharesTheStorageOfTheBody() throws {
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        let body = String(repeating: "x", count: 1000)
        var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + body)
        let storage = buffer.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) + UInt($0.count) }
        parser.begin(method: .get)
        _ = try parser.next(&buffer)
        guard case .body(let slice)? = try parser.next(&buffer) else {
            Issue.record("a body was expected")
            return
        }
        let end = slice.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) + UInt($0.count) }
        #expect(end == storage)
    }

    @Test(
        arguments: [
            ("", .beforeResponse), ("H", .head), ("HTTP/1.1 200 OK\r\n", .head), ("HTTP/1.1 200 OK\r\nA: b\r\n", .head),
            ("HTTP/1.1 100 Continue\r\n\r\n", .head),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .body(missingBytes: 5)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", .body(missingBytes: 2)),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .chunkedBody),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5", .chunkedBody),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .chunkedBody),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r", .chunkedBody),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", .trailers),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n", .trailers),
        ] as [(String, HTTP1ParseError.Part)]
    )
    func reportsWhereTheMessageWasTruncated(bytes: String, part: HTTP1ParseError.Part) {
        #expect(HTTP1Transcript(of: bytes, closes: true).failure == .cutOff(in: part))
    }

    @Test func describesEveryErrorInASentence() {
        let faults: [HTTP1ParseError] = [
            .statusLineInvalid, .statusLineTooLong(limit: 1), .versionUnsupported, .fieldNameInvalid,
            .fieldValueInvalid(name: "A"), .obsoleteFold, .whiteSpaceAheadOfFields, .bareLineFeed, .bareCarriageReturn,
            .headTooLarge(limit: 1),
            .fieldTooLarge(limit: 1), .tooManyFields(limit: 1), .tooManyInformational(limit: 1), .contentLengthInvalid,
            .contentLengthConflict, .lengthWithTransferEncoding, .framingFieldFolded, .unrequestedUpgrade,
            .transferCodingUnsupported("gzip"),
            .transferEncodingInHTTP10, .chunkSizeInvalid, .chunkSizeLineTooLong(limit: 1), .chunkDataUnterminated,
            .trailersTooLarge(limit: 1), .cutOff(in: .beforeResponse), .cutOff(in: .head),
            .cutOff(in: .body(missingBytes: 1)), .cutOff(in: .chunkedBody), .cutOff(in: .trailers),
        ]
        #expect(Set(faults.map(\.description)).count == faults.count)
        #expect(faults.allSatisfy { $0.description.hasSuffix(".") || $0.description.hasSuffix("?") })
    }
}

internal import ApusEngine
internal import HTTPTypes
internal import Testing

@Suite struct HTTP1ChunkTests {
    typealias Field = HTTP1Transcript.Field

    private func chunks(_ text: String, limits: HTTP1Limits = HTTP1Limits()) -> HTTP1Transcript {
        HTTP1Transcript(
            of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text,
            limits: limits,
            closes: false
        )
    }

    @Test(arguments: [
        ("0\r\n\r\n", ""), ("000\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("005\r\nhello\r\n0\r\n\r\n", "hello"), ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc"),
        ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"), ("0000000000000001\r\na\r\n0\r\n\r\n", "a"),
        ("1;a\r\na\r\n0;b=\"c\"\r\n\r\n", "a"), ("1;a;b=c;d\r\na\r\n0\r\n\r\n", "a"),
        ("1 ;\ta = b ; c\r\na\r\n0\r\n\r\n", "a"), ("1;a=\"b ;\\\"\t\\\\ü\";c=\"\"\r\na\r\n0\r\n\r\n", "a"),
    ])
    func acceptsChunks(text: String, body: String) {
        let transcript = chunks(text)
        #expect(transcript.isComplete)
        #expect(transcript.body == Array(body.utf8))
        #expect(transcript.trailers == nil)
    }

    @Test(
        arguments: [
            ("\r\n", .chunkSizeInvalid), (";a\r\n", .chunkSizeInvalid), ("x\r\n", .chunkSizeInvalid),
            ("0x1\r\n", .chunkSizeInvalid), ("-1\r\n", .chunkSizeInvalid), ("+1\r\n", .chunkSizeInvalid),
            (" 1\r\n", .chunkSizeInvalid), (" \r\n", .chunkSizeInvalid), ("1 x\r\n", .chunkSizeInvalid),
            ("1g\r\n", .chunkSizeInvalid), ("1,\r\n", .chunkSizeInvalid), ("1\u{0}\r\n", .chunkSizeInvalid),
            ("1;\u{1}\r\n", .chunkSizeInvalid), ("1;\r\n", .chunkSizeInvalid), ("1;a;\r\n", .chunkSizeInvalid),
            ("1;a \r\n", .chunkSizeInvalid), ("1;a b\r\n", .chunkSizeInvalid), ("1;a=\r\n", .chunkSizeInvalid),
            ("1;=b\r\n", .chunkSizeInvalid), ("1;ü\r\n", .chunkSizeInvalid), ("1;a=\"\r\n", .chunkSizeInvalid),
            ("1;a=\"b\\\"\r\n", .chunkSizeInvalid), ("1;a=\"b\"c\r\n", .chunkSizeInvalid),
            ("1;a=\"\u{1}\"\r\n", .chunkSizeInvalid), ("8000000000000000\r\n", .chunkSizeInvalid),
            ("ffffffffffffffff\r\n", .chunkSizeInvalid), ("00000000000000001\r\n", .chunkSizeInvalid),
            ("10000000000000000\r\n", .chunkSizeInvalid), ("1\na\r\n", .bareLineFeed), ("1;a\n", .bareLineFeed),
            ("1\ra\r\n", .bareCarriageReturn), ("1;\ra\r\n", .bareCarriageReturn),
            ("1\r\nab\r\n", .chunkDataUnterminated), ("1\r\na\n", .chunkDataUnterminated),
            ("1\r\na\rb", .chunkDataUnterminated), ("1\r\na0\r\n\r\n", .chunkDataUnterminated),
            ("1 \n", .bareLineFeed), ("0\n\r\n", .bareLineFeed), ("1\r\na\n0\r\n\r\n", .chunkDataUnterminated),
            ("1;a=\"\n\"\r\n", .bareLineFeed), ("1\r\r\n", .bareCarriageReturn),
            ("0\r\nA\r\n\r\n", .fieldNameInvalid), ("0\r\nA: \u{0}\r\n\r\n", .fieldValueInvalid(name: "A")),
            ("0\r\n\rx", .bareCarriageReturn), ("0\r\nA: b\r\r\n\r\n", .bareCarriageReturn),
        ] as [(String, HTTP1ParseError)]
    )
    func rejectsChunks(text: String, fault: HTTP1ParseError) {
        #expect(chunks(text).failure == fault)
        #expect(chunks(text, limits: .strict).failure == fault)
    }

    @Test func acceptsTheLargestChunkSize() {
        let transcript = chunks("7fffffffffffffff\r\nabc")
        #expect(transcript.failure == nil)
        #expect(transcript.body == Array("abc".utf8))
    }

    @Test func returnsTrailers() {
        let transcript = chunks("1\r\na\r\n0\r\nDigest: x\r\nX-Two:  y \r\n\r\nrest")
        #expect(
            transcript.trailers == [
                Field(name: "Digest", value: Array("x".utf8)), Field(name: "X-Two", value: Array("y".utf8)),
            ]
        )
        #expect(transcript.leftOver == 4)
        // They do not include the fields of the head.
        #expect(transcript.head?.fields.count == 1)
    }

    @Test(arguments: [
        "Content-Length: 5", "Transfer-Encoding: chunked", "Host: a", "CONNECTION: close", "content-type: text/html",
        "Content-Encoding: gzip", "Content-Range: x", "Trailer: a", "Set-Cookie: a=b", "TE: x", "Upgrade: x",
    ])
    func dropsTrailersThatOnlyAHeadMayHave(field: String) {
        #expect(chunks("0\r\n\(field)\r\n\r\n").trailers == nil)
        #expect(chunks("0\r\n\(field)\r\n\r\n").isComplete)
        #expect(chunks("0\r\nA: b\r\n\(field)\r\n\r\n").trailers?.map(\.description) == ["A: b"])
    }

    @Test func returnsChunkDataAsItArrives() {
        let transcript = chunks("5\r\nhel")
        #expect(transcript.body == Array("hel".utf8))
        #expect(!transcript.isComplete)
    }
}

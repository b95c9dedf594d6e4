internal import ApusEngine
internal import HTTPTypes
internal import Testing

@Suite struct HTTP1FramingTests {
    typealias Field = HTTP1Transcript.Field
    typealias Framing = HTTP1ResponseParser.Framing

    private func head(
        _ status: String,
        _ fields: String...,
        method: HTTPRequest.Method = .get,
        limits: HTTP1Limits = HTTP1Limits(),
        requestsUpgrade: Bool = true
    ) -> HTTP1Transcript {
        let lines = ["HTTP/\(status)"] + fields
        return HTTP1Transcript(
            of: lines.map { $0 + "\r\n" }.joined() + "\r\n",
            method: method,
            limits: limits,
            requestsUpgrade: requestsUpgrade,
            closes: false
        )
    }

    @Test(
        arguments: [
            ("Content-Length: 0", .length(0)), ("Content-Length: 5", .length(5)), ("content-length:\t007 ", .length(7)),
            ("CONTENT-LENGTH: 5", .length(5)), ("Content-Length: 9223372036854775807", .length(.max)),
            ("Content-Length: 5, 5", .length(5)), ("Content-Length: 5,5 ,\t5", .length(5)),
            ("Content-Length: 5\r\nContent-Length: 5", .length(5)),
            ("Content-Length: 5\r\ncontent-length: 05", .length(5)),
            ("Transfer-Encoding: chunked", .chunked), ("transfer-encoding: ChunkED\t", .chunked), ("A: b", .untilClose),
        ] as [(String, Framing)]
    )
    func acceptsFraming(fields: String, framing: Framing) {
        #expect(head("1.1 200 OK", fields).head?.framing == framing)
    }

    @Test(
        arguments: [
            ("Content-Length:", .contentLengthInvalid), ("Content-Length: -1", .contentLengthInvalid),
            ("Content-Length: +1", .contentLengthInvalid), ("Content-Length: 0x10", .contentLengthInvalid),
            ("Content-Length: 1.0", .contentLengthInvalid), ("Content-Length: 1 1", .contentLengthInvalid),
            ("Content-Length: 9223372036854775808", .contentLengthInvalid),
            ("Content-Length: 99999999999999999999999999", .contentLengthInvalid),
            ("Content-Length: 5,", .contentLengthInvalid), ("Content-Length: ,5", .contentLengthInvalid),
            ("Content-Length: 5, x", .contentLengthInvalid), ("Content-Length: ٣", .contentLengthInvalid),
            ("Content-Length: 5, 6", .contentLengthConflict), ("Content-Length: 5, 5, 6", .contentLengthConflict),
            ("Content-Length: 5\r\nContent-Length: 6", .contentLengthConflict),
            ("Content-Length: 5, 6\r\nContent-Length: x", .contentLengthConflict),
            ("Content-Length: 5\r\nContent-Length: -5", .contentLengthInvalid),
            ("Content-Length: 5\r\nTransfer-Encoding: chunked", .lengthWithTransferEncoding),
            ("Transfer-Encoding: chunked\r\nContent-Length: 5", .lengthWithTransferEncoding),
            ("Transfer-Encoding: chunked\r\nContent-Length: x", .lengthWithTransferEncoding),
            ("Transfer-Encoding: gzip", .transferCodingUnsupported("gzip")),
            ("Transfer-Encoding: gzip, chunked", .transferCodingUnsupported("gzip, chunked")),
            ("Transfer-Encoding: chunked, chunked", .transferCodingUnsupported("chunked, chunked")),
            ("Transfer-Encoding: chunked, gzip", .transferCodingUnsupported("chunked, gzip")),
            ("Transfer-Encoding: chunked;a=b", .transferCodingUnsupported("chunked;a=b")),
            ("Transfer-Encoding: chunked,", .transferCodingUnsupported("chunked,")),
            ("Transfer-Encoding: identity, chunked", .transferCodingUnsupported("identity, chunked")),
            ("Transfer-Encoding: chunked, identity", .transferCodingUnsupported("chunked, identity")),
            (
                "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
                .transferCodingUnsupported("identity, chunked")
            ),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                .transferCodingUnsupported("chunked, identity")
            ),
            (
                "Transfer-Encoding: identity\r\nTransfer-Encoding: Identity",
                .transferCodingUnsupported("identity, Identity")
            ),
            ("Transfer-Encoding: identity;q=1", .transferCodingUnsupported("identity;q=1")),
            ("Transfer-Encoding: xchunked", .transferCodingUnsupported("xchunked")),
            ("Transfer-Encoding:", .transferCodingUnsupported("")),
            ("Transfer-Encoding: \u{B}chunked", .fieldValueInvalid(name: "Transfer-Encoding")),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                .transferCodingUnsupported("chunked, chunked")
            ),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", .transferCodingUnsupported("chunked, gzip")),
            (
                "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nContent-Length: 1",
                .transferCodingUnsupported("gzip")
            ),
        ] as [(String, HTTP1ParseError)]
    )
    func rejectsFraming(fields: String, fault: HTTP1ParseError) {
        #expect(head("1.1 200 OK", fields).failure == fault)
        #expect(head("1.1 200 OK", fields, limits: .strict).failure == fault)
    }

    @Test func rejectsTransferEncodingInHTTP10() {
        #expect(head("1.0 200 OK", "Transfer-Encoding: chunked").failure == .transferEncodingInHTTP10)
        #expect(head("1.0 200 OK", "Transfer-Encoding: identity").failure == .transferEncodingInHTTP10)
    }

    @Test func mergesRepeatedContentLengths() throws {
        let repeated = try #require(head("1.1 200 OK", "Content-Length: 5", "A: b", "Content-Length: 5").head)
        #expect(repeated.fields.map(\.description) == ["Content-Length: 5", "A: b"])
        let list = try #require(head("1.1 200 OK", "Content-Length: 5, 5", "A: b").head)
        #expect(list.fields.map(\.description) == ["Content-Length: 5", "A: b"])
    }

    @Test(arguments: [
        ("1.1 200 OK", HTTPRequest.Method.head), ("1.1 404 Not Found", .head), ("1.1 304 Not Modified", .get),
        ("1.1 204 No Content", .get), ("1.1 304 Not Modified", .connect),
    ])
    func expectsNoBodyDespiteFramingFields(status: String, method: HTTPRequest.Method) {
        for field in ["Content-Length: 5", "Transfer-Encoding: chunked", "A: b"] {
            let transcript = head(status, field, method: method)
            #expect(transcript.head?.framing == Framing.none)
            #expect(transcript.isComplete)
        }
        for (field, fault) in [
            ("Content-Length: x", HTTP1ParseError.contentLengthInvalid),
            ("Content-Length: 5, 6", .contentLengthConflict),
            ("Transfer-Encoding: gzip", .transferCodingUnsupported("gzip")),
        ] {
            #expect(head(status, field, method: method, limits: .strict).failure == fault)
            let lenient = head(status, field, method: method)
            #expect(lenient.head?.framing == Framing.none)
            #expect(lenient.head?.keepAlive == false)
            #expect(lenient.head?.fields.map(\.description) == [field])
            #expect(lenient.isComplete)
        }
    }

    @Test(
        arguments: [
            ["Transfer-Encoding: chunked", "Content-Length: 5"], ["Transfer-Encoding: gzip, chunked"],
            ["Transfer-Encoding: identity"], ["Content-Length: 5\r\n "], ["Transfer-Encoding:\r\n chunked"],
        ],
        [("1.1 200 OK", HTTPRequest.Method.head), ("1.1 304 Not Modified", .get), ("1.1 204 No Content", .get)]
    )
    func closesAfterContradictoryFieldsOfAResponseWithoutABody(
        fields: [String],
        response: (status: String, method: HTTPRequest.Method)
    ) {
        let transcript = head(response.status, fields.joined(separator: "\r\n"), method: response.method)
        #expect(transcript.head?.framing == Framing.none)
        #expect(transcript.head?.keepAlive == false)
        #expect(transcript.isComplete)
        let strict = head(
            response.status,
            fields.joined(separator: "\r\n"),
            method: response.method,
            limits: .strict
        )
        #expect(strict.failure != nil)
    }

    /// The body announced by the informational response could be taken for the final response.
    @Test(arguments: [
        "Content-Length: 5", "Transfer-Encoding: chunked", "Content-Length: x", "Transfer-Encoding: gzip",
    ])
    func closesAfterAnInformationalResponseThatAnnouncesABody(field: String) {
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let transcript = HTTP1Transcript(of: "HTTP/1.1 103 Early Hints\r\n\(field)\r\n\r\n\(final)")
        #expect(transcript.isComplete)
        #expect(transcript.head?.keepAlive == false)
        #expect(HTTP1Transcript(of: "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n\(final)").head?.keepAlive == true)
    }

    @Test func rejectsAnUnrequestedUpgrade() {
        for method in [HTTPRequest.Method.get, .head, .connect, .post] {
            for limits in [HTTP1Limits(), .strict] {
                let fields = "Upgrade: x\r\nConnection: upgrade"
                let rejected = head("1.1 101 Up", fields, method: method, limits: limits, requestsUpgrade: false)
                #expect(rejected.failure == .unrequestedUpgrade)
                #expect(head("1.1 101 Up", fields, method: method, limits: limits).head?.framing == .upgraded)
            }
        }
        #expect(head("1.1 200 OK", method: .connect, requestsUpgrade: false).head?.framing == .upgraded)
        #expect(head("1.1 200 OK", "Upgrade: h2c", requestsUpgrade: false).head?.framing == .untilClose)
    }

    @Test func closesAfterADeclaredBodyThatIsNotAllowed() {
        #expect(head("1.1 204 No Content", "Content-Length: 5").head?.keepAlive == false)
        #expect(head("1.1 204 No Content", "Transfer-Encoding: chunked").head?.keepAlive == false)
        #expect(head("1.1 204 No Content", "Content-Length: 0").head?.keepAlive == true)
        #expect(head("1.1 304 Not Modified", "Content-Length: 5").head?.keepAlive == true)
        #expect(head("1.1 200 OK", "Content-Length: 5", method: .head).head?.keepAlive == true)
    }

    @Test func endsHTTPAfterAnUpgrade() {
        for transcript in [
            head("1.1 101 Switching Protocols", "Upgrade: x", "Connection: upgrade"),
            head("1.1 101 Switching Protocols", "Upgrade: x", "Connection: upgrade", method: .head),
            head("1.1 200 Connected", method: .connect),
            // RFC 9110 §9.3.6: a client must ignore both fields in a 2xx response to CONNECT.
            head("1.1 200 Connected", "Content-Length: 5", "Transfer-Encoding: chunked", method: .connect),
            head("1.0 299 Connected", "Content-Length: x", method: .connect),
        ] {
            #expect(transcript.head?.framing == .upgraded)
            #expect(transcript.head?.keepAlive == false)
            #expect(transcript.isComplete)
        }
        #expect(head("1.1 407 No", "Content-Length: 5", method: .connect).head?.framing == .length(5))
        let bytes = Array("HTTP/1.1 101 Up\r\n\r\nnext protocol".utf8)
        #expect(HTTP1Transcript(of: bytes, closes: false).leftOver == 13)
    }

    @Test(arguments: [
        ("1.1 200 OK", "A: b", true), ("1.1 200 OK", "Connection: close", false),
        ("1.1 200 OK", "connection: CLOSE", false), ("1.1 200 OK", "Connection: keep-alive", true),
        ("1.1 200 OK", "Connection: upgrade, close", false), ("1.1 200 OK", "Connection:,, close ,x", false),
        ("1.1 200 OK", "Connection: closed", true), ("1.1 200 OK", "Connection: x\r\nConnection: close", false),
        ("1.1 200 OK", "Connection: keep-alive, close", false), ("1.0 200 OK", "A: b", false),
        ("1.0 200 OK", "Connection: Keep-Alive", true), ("1.0 200 OK", "Connection: keep-alive, close", false),
        ("1.0 200 OK", "Proxy-Connection: keep-alive", false), ("1.2 200 OK", "A: b", true),
    ])
    func detectsWhetherTheConnectionPersists(status: String, field: String, keepAlive: Bool) {
        #expect(head(status, "Content-Length: 0", field).head?.keepAlive == keepAlive)
    }

    @Test func closesAfterAnInformationalResponseWithClose() {
        let early = "HTTP/1.1 103 Early Hints\r\nConnection: close\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        #expect(HTTP1Transcript(of: Array((early + final).utf8), by: &parser).head?.keepAlive == false)
        #expect(HTTP1Transcript(of: Array(final.utf8), by: &parser).head?.keepAlive == true)
    }

    @Test func endsABodyUntilCloseWithTheConnection() {
        let transcript = HTTP1Transcript(of: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nabc")
        #expect(transcript.head?.framing == .untilClose)
        #expect(transcript.head?.keepAlive == false)
        #expect(transcript.body == Array("abc".utf8))
        #expect(transcript.isComplete)
        #expect(HTTP1Transcript(of: "HTTP/1.0 200 OK\r\n\r\n").isComplete)
    }
}

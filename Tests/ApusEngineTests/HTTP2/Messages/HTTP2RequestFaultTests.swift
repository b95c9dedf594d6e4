internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

/// The requests that the encoder rejects, because a server could read them as something else.
@Suite struct HTTP2RequestFaultTests {
    @Test(arguments: [
        "", " ", "/a b", "/a\r\nx: y", "/a\n", "/\u{0}", "/\u{7F}", "/ä", "/a\t", "\u{FEFF}/", "a", "http://h/", "?a",
        "*", "h:443", "//\u{85}",
    ])
    func rejectsPath(path: String) {
        let request = HTTP2MessageRequest(path: path)
        #expect(throws: RequestEncodeError.targetInvalid) { try request.encoded() }
    }

    @Test func rejectsPathOfOptions() {
        for path in ["**", "*/", "* ", ""] {
            let request = HTTP2MessageRequest(method: .options, path: path)
            #expect(throws: RequestEncodeError.targetInvalid) { try request.encoded() }
        }
    }

    @Test(arguments: [
        "", " ", "https ", "ht tp", "https\r\n", "1http", "+a", "h\u{0}", "schéma", "https:", "https://",
    ])
    func rejectsScheme(scheme: String) {
        let request = HTTP2MessageRequest(scheme: scheme)
        #expect(throws: RequestEncodeError.targetInvalid) { try request.encoded() }
    }

    @Test func acceptsAnyScheme() throws {
        let request = HTTP2MessageRequest(scheme: "a1+-.Z")
        #expect(try request.encoded().text.contains(":scheme: a1+-.Z"))
    }

    @Test(arguments: [
        "a b", " a", "a\r\nx: y", "a\n", "\u{0}", "bücher.de", "a\t", "a\u{7F}", "a/", "a?b", "a#b", "user@a", "a\\b",
    ])
    func rejectsAuthority(authority: String) {
        #expect(throws: RequestEncodeError.hostInvalid) { try HTTP2MessageRequest(authority: authority).encoded() }
        let connect = HTTP2MessageRequest(method: .connect, authority: authority)
        #expect(throws: RequestEncodeError.hostInvalid) { try connect.encoded() }
        let own = HTTP2MessageRequest(fields: .lenient([("Host", authority)]))
        #expect(throws: RequestEncodeError.hostInvalid) { try own.encoded() }
    }

    @Test func rejectsMissingAndRepeatedHosts() {
        #expect(throws: RequestEncodeError.hostMissing) { try HTTP2MessageRequest(authority: "").encoded() }
        let empty = HTTP2MessageRequest(fields: .lenient([("Host", "")]))
        #expect(throws: RequestEncodeError.hostMissing) { try empty.encoded() }
        let repeated = HTTP2MessageRequest(fields: .lenient([("Host", "h"), ("host", "h")]))
        #expect(throws: RequestEncodeError.hostRepeated) { try repeated.encoded() }
    }

    @Test func writesAnyTokenAsMethod() throws {
        let odd = try #require(HTTPRequest.Method("m-SEARCH!"))
        #expect(try HTTP2MessageRequest(method: odd).encoded().text.first == ":method: m-SEARCH!")
        // The type of a method ensures that it is a token.
        for text in ["", "GET ", "GET\r\n", "G\u{0}T", "GÉT", ":method"] {
            #expect(HTTPRequest.Method(text) == nil)
        }
    }

    @Test func writesNoOtherLineForCRAndLF() throws {
        // The types of names and values ensure that they have none.
        for name in ["", "a b", "a\r\nb", "a\u{0}", "ä", ":path", "a:b", " a", "a\u{7F}"] {
            #expect(HTTPField.Name(name) == nil)
        }
        for value in ["a\r\nx: y", "a\nx: y", "a\u{0}x: y"] {
            let block = try HTTP2MessageRequest(fields: [.accept: value]).encoded()
            #expect(block.fields.count == 1)
            #expect(block.fields.first?.hasPrefix("accept: a ") == true)
        }
    }

    @Test func rejectsControlCharactersInValues() {
        let controls: [UInt8] = [UInt8](1..<9) + [11, 12] + [UInt8](14..<32) + [0x7F]
        for byte in controls {
            let value = String(decoding: [0x61, byte, 0x62], as: UTF8.self)
            // Those that are not written are checked too, as in HTTP/1.1.
            for name in ["accept", "cookie", "te", "upgrade", "connection", "keep-alive", "authorization", "expect"] {
                let request = HTTP2MessageRequest(fields: .lenient([(name, value)]))
                #expect(throws: RequestEncodeError.fieldValueInvalid(name: name)) { try request.encoded() }
            }
        }
    }

    @Test(arguments: [
        (HTTPField.Name.contentLength, "5", RequestFraming.none), (.contentLength, "6", .length(5)),
        (.contentLength, "05", .length(5)), (.contentLength, "5", .chunked), (.contentLength, "", .none),
        (.contentLength, "5, 5", .length(5)), (.contentLength, "+5", .length(5)), (.contentLength, "0", .chunked),
        (.transferEncoding, "chunked", .none), (.transferEncoding, "chunked", .length(5)),
        (.transferEncoding, "gzip, chunked", .chunked), (.transferEncoding, "", .chunked),
    ])
    func rejectsContradictoryFramingFields(
        name: HTTPField.Name,
        value: String,
        framing: RequestFraming
    ) {
        let request = HTTP2MessageRequest(fields: [name: value], framing: framing)
        #expect(throws: RequestEncodeError.framingContradicted(name: name.rawName)) { try request.encoded() }
    }

    /// Requests with one fault each. The valid part in front of it could change the table.
    private static let faulty = [
        HTTP2MessageRequest(authority: "new", path: ""), HTTP2MessageRequest(scheme: "", authority: "new"),
        HTTP2MessageRequest(authority: "new host"), HTTP2MessageRequest(authority: ""),
        HTTP2MessageRequest(authority: "new", fields: .lenient([("X-New", "a"), ("X-Bad", "\u{1}")])),
        HTTP2MessageRequest(authority: "new", fields: .lenient([("X-New", "a"), ("Content-Length", "1")])),
        HTTP2MessageRequest(authority: "new", fields: .lenient([("X-New", "a"), ("Host", "a"), ("Host", "a")])),
    ]

    @Test func leavesTableAndBufferUnchangedAfterAnError() throws {
        let valid = HTTP2MessageRequest(fields: .lenient([("X-New", "a"), ("X-Other", "b")]))
        for faulty in Self.faulty {
            var encoder = HPACKEncoder()
            var other = HPACKEncoder()
            // A change of the table's size is due, and must be announced by the next request that is written.
            encoder.setPeerTableBytes(1_000)
            other.setPeerTableBytes(1_000)
            for _ in 0..<2 {
                var buffer = ByteBuffer(string: "before")
                #expect(throws: RequestEncodeError.self) { try faulty.encode(with: &encoder, into: &buffer) }
                #expect(String(buffer: buffer) == "before")
                try valid.encode(with: &encoder, into: &buffer)
                var expected = ByteBuffer(string: "before")
                try valid.encode(with: &other, into: &expected)
                #expect(buffer == expected)
            }
        }
    }

    @Test func rejectsTrailers() throws {
        var encoder = HPACKEncoder()
        var buffer = ByteBuffer(string: "before")
        for name in [
            "Content-Length", "Transfer-Encoding", "HOST", "Content-Type", "Trailer", "TE", "Connection", "Keep-Alive",
            "Proxy-Connection", "Upgrade", "Content-Encoding", "Set-Cookie", "Authorization", "Proxy-Authorization",
            "Cookie", "Expect", "Range", "If-Match", "If-None-Match", "Cache-Control", "Max-Forwards",
        ] {
            let fields = HTTPFields.lenient([("X-New", "a"), (name, "trailers")])
            #expect(throws: RequestEncodeError.trailerForbidden(name: name)) {
                try HTTP2RequestEncoder.encodeTrailers(fields, with: &encoder, into: &buffer)
            }
        }
        let invalid = HTTPFields.lenient([("X-New", "a"), ("ETag", "a\u{1}")])
        #expect(throws: RequestEncodeError.fieldValueInvalid(name: "ETag")) {
            try HTTP2RequestEncoder.encodeTrailers(invalid, with: &encoder, into: &buffer)
        }
        #expect(String(buffer: buffer) == "before")
        var first = ByteBuffer()
        try HTTP2RequestEncoder.encodeTrailers(.lenient([("X-New", "a")]), with: &encoder, into: &first)
        var other = HPACKEncoder()
        var expected = ByteBuffer()
        try HTTP2RequestEncoder.encodeTrailers(.lenient([("X-New", "a")]), with: &other, into: &expected)
        #expect(first == expected)
    }
}

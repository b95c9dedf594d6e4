internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

@Suite struct HTTP1RequestEncoderTests {
    private func encode(
        method: HTTPRequest.Method = .get,
        target: String = "/",
        host: String? = "h",
        fields: HTTPFields = [:],
        framing: RequestFraming = .none,
        isForProxy: Bool = true
    ) throws(RequestEncodeError) -> String {
        var buffer = ByteBuffer()
        try HTTP1RequestEncoder.encode(
            method: method,
            target: target,
            host: host,
            fields: fields,
            framing: framing,
            isForProxy: isForProxy,
            into: &buffer
        )
        return String(buffer: buffer)
    }

    @Test func writesARequestWithoutABody() throws {
        let fields: HTTPFields = [.userAgent: "Apus", .accept: "*/*"]
        #expect(
            try encode(target: "/a?b=c", host: "example.org:8080", fields: fields)
                == "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nUser-Agent: Apus\r\nAccept: */*\r\n\r\n"
        )
    }

    @Test(arguments: [
        (RequestFraming.length(0), "Content-Length: 0"), (.length(7), "Content-Length: 7"),
        (.length(10), "Content-Length: 10"), (.length(1_000_000), "Content-Length: 1000000"),
        (.length(999_999_999_999_999_999), "Content-Length: 999999999999999999"),
        (.length(1_000_000_000_000_000_000), "Content-Length: 1000000000000000000"),
        (.length(.max), "Content-Length: 9223372036854775807"), (.chunked, "Transfer-Encoding: chunked"),
    ])
    func writesTheFraming(framing: RequestFraming, line: String) throws {
        #expect(try encode(method: .post, framing: framing) == "POST / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n")
    }

    @Test func writesHostFirst() throws {
        let name = try #require(HTTPField.Name("Host"))
        let fields: HTTPFields = [.accept: "a", name: "own"]
        #expect(try encode(host: "h", fields: fields) == "GET / HTTP/1.1\r\nHost: own\r\nAccept: a\r\n\r\n")
        #expect(try encode(host: nil, fields: fields) == "GET / HTTP/1.1\r\nHost: own\r\nAccept: a\r\n\r\n")
        #expect(try encode(host: "") == "GET / HTTP/1.1\r\nHost: \r\n\r\n")
        #expect(throws: RequestEncodeError.hostMissing) { try encode(host: nil) }
        var two = fields
        two.append(HTTPField(name: name, value: "own"))
        #expect(throws: RequestEncodeError.hostRepeated) { try encode(fields: two) }
    }

    @Test func writesProxyAuthorizationOnlyForAProxy() throws {
        let fields: HTTPFields = [.proxyAuthorization: "Basic YTpi", .accept: "a"]
        #expect(try encode(fields: fields, isForProxy: false) == "GET / HTTP/1.1\r\nHost: h\r\nAccept: a\r\n\r\n")
        #expect(try encode(fields: fields).contains("\r\nProxy-Authorization: Basic YTpi\r\n"))
    }

    @Test func keepsOrderSpellingAndBytesOfFields() throws {
        var fields = HTTPFields()
        let odd = try #require(HTTPField.Name("x-ODD"))
        fields.append(HTTPField(name: odd, value: "1"))
        fields.append(HTTPField(name: .cookie, value: "a=b"))
        fields.append(HTTPField(name: odd, value: ""))
        fields.append(HTTPField(name: odd, value: [0x61, 0x09, 0xE9, 0xFF]))
        var buffer = ByteBuffer()
        try HTTP1RequestEncoder.encode(
            method: .get,
            target: "*",
            host: "h",
            fields: fields,
            framing: .none,
            into: &buffer
        )
        let expected =
            Array("GET * HTTP/1.1\r\nHost: h\r\nx-ODD: 1\r\nCookie: a=b\r\nx-ODD: \r\nx-ODD: a\t".utf8) + [0xE9, 0xFF]
            + Array("\r\n\r\n".utf8)
        #expect(Array(buffer.readableBytesView) == expected)
    }

    @Test(arguments: ["", " ", "/a b", "/a\r\nX: y", "/\u{0}", "/\u{7F}", "/ä", "/a\t", "\u{FEFF}/"])
    func rejectsTarget(target: String) {
        #expect(throws: RequestEncodeError.targetInvalid) { try encode(target: target) }
    }

    @Test(arguments: ["a b", "a\r\nX: y", "\u{0}", "bücher.de", "a\t", "a\u{7F}"])
    func rejectsHost(host: String) throws {
        let name = try #require(HTTPField.Name("host"))
        #expect(throws: RequestEncodeError.hostInvalid) { try encode(host: host) }
        let field = HTTPField(name: name, lenientValue: Array(host.utf8))
        #expect(throws: RequestEncodeError.hostInvalid) { try encode(fields: HTTPFields([field])) }
    }

    @Test func writesAnyTokenAsMethod() throws {
        let odd = try #require(HTTPRequest.Method("m-SEARCH!"))
        #expect(try encode(method: odd).hasPrefix("m-SEARCH! / HTTP/1.1\r\n"))
    }

    @Test func rejectsControlCharactersInValues() {
        for byte in Array(UInt8(0)..<9) + Array(10..<32) + [0x7F] where ![0, 10, 13].contains(byte) {
            let field = HTTPField(name: .accept, lenientValue: [0x61, byte, 0x62])
            #expect(throws: RequestEncodeError.fieldValueInvalid(name: "Accept")) {
                try encode(fields: HTTPFields([field]))
            }
        }
    }

    /// The encoder checks values in words, and the last word overlaps the one before it.
    @Test func rejectsAControlCharacterAtAnyPosition() throws {
        for count in 1...33 {
            for position in 0..<count {
                var value = [UInt8](repeating: 0x61, count: count)
                value[position] = 0x7F
                let field = HTTPField(name: .accept, lenientValue: value)
                #expect(throws: RequestEncodeError.fieldValueInvalid(name: "Accept")) {
                    try encode(fields: HTTPFields([field]))
                }
                value[position] = 0x09
                let tabbed = HTTPField(name: .accept, lenientValue: value)
                #expect(throws: Never.self) { try encode(fields: HTTPFields([tabbed])) }
            }
        }
    }

    @Test func omitsRedundantFramingFields() throws {
        #expect(try !encode(fields: [.contentLength: "0"]).contains("Content-Length"))
        #expect(
            try encode(fields: [.contentLength: "5"], framing: .length(5))
                == "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n"
        )
        #expect(
            try encode(fields: [.transferEncoding: "Chunked"], framing: .chunked)
                == "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
    }

    @Test(arguments: [
        (HTTPField.Name.contentLength, "5", RequestFraming.none), (.contentLength, "6", .length(5)),
        (.contentLength, "05", .length(5)), (.contentLength, "5", .chunked), (.contentLength, "", .none),
        (.transferEncoding, "chunked", .none), (.transferEncoding, "chunked", .length(5)),
        (.transferEncoding, "gzip, chunked", .chunked),
    ])
    func rejectsContradictoryFramingFields(
        name: HTTPField.Name,
        value: String,
        framing: RequestFraming
    ) {
        #expect(throws: RequestEncodeError.framingContradicted(name: name.rawName)) {
            try encode(fields: [name: value], framing: framing)
        }
    }

    @Test func leavesTheBufferUnchangedAfterAnError() {
        var buffer = ByteBuffer(string: "before")
        let faulty = HTTPField(name: .accept, lenientValue: [1])
        for (target, field) in [("/ ", HTTPField(name: .accept, value: "a")), ("/", faulty)] {
            #expect(throws: RequestEncodeError.self) {
                try HTTP1RequestEncoder.encode(
                    method: .get,
                    target: target,
                    host: "h",
                    fields: HTTPFields([field]),
                    framing: .none,
                    into: &buffer
                )
            }
            #expect(String(buffer: buffer) == "before")
        }
    }

    @Test(arguments: [(1, "1"), (15, "f"), (16, "10"), (255, "ff"), (4096, "1000"), (Int.max, "7fffffffffffffff")])
    func writesChunks(length: Int, size: String) {
        var buffer = ByteBuffer()
        HTTP1RequestEncoder.writeChunkPrefix(length: length, into: &buffer)
        HTTP1RequestEncoder.writeChunkSuffix(into: &buffer)
        #expect(String(buffer: buffer) == "\(size)\r\n\r\n")
    }

    @Test func writesTheLastChunk() throws {
        var buffer = ByteBuffer()
        try HTTP1RequestEncoder.writeLastChunk(trailers: nil, into: &buffer)
        try HTTP1RequestEncoder.writeLastChunk(trailers: [:], into: &buffer)
        let digest = try #require(HTTPField.Name("Digest"))
        try HTTP1RequestEncoder.writeLastChunk(trailers: [digest: "a"], into: &buffer)
        #expect(String(buffer: buffer) == "0\r\n\r\n0\r\n\r\n0\r\nDigest: a\r\n\r\n")
    }

    @Test func rejectsTrailers() throws {
        var buffer = ByteBuffer()
        let host = try #require(HTTPField.Name("HOST"))
        for name in [.contentLength, .transferEncoding, host, .contentType, .trailer, .authorization, .cookie, .range] {
            #expect(throws: RequestEncodeError.trailerForbidden(name: name.rawName)) {
                try HTTP1RequestEncoder.writeLastChunk(trailers: [name: "a"], into: &buffer)
            }
        }
        let field = HTTPField(name: .eTag, lenientValue: [0x61, 0x01])
        #expect(throws: RequestEncodeError.fieldValueInvalid(name: "ETag")) {
            try HTTP1RequestEncoder.writeLastChunk(trailers: HTTPFields([field]), into: &buffer)
        }
        #expect(buffer.readableBytes == 0)
    }

    @Test func writesFieldsThatTheParserReads() throws {
        // Field lines have the same grammar in both directions.
        let fields: HTTPFields = [.accept: "a, b", .contentType: "text/plain; charset=utf-8", .cookie: "a=b"]
        var buffer = ByteBuffer()
        try HTTP1RequestEncoder.encode(
            method: .get,
            target: "/",
            host: "h",
            fields: fields,
            framing: .none,
            into: &buffer
        )
        let lines = String(buffer: buffer).drop { $0 != "\r\n" }
        let transcript = HTTP1Transcript(of: "HTTP/1.1 200 OK" + lines, closes: false)
        #expect(transcript.head?.fields.dropFirst().map(\.description) == fields.map(\.description))
    }
}

extension HTTP1RequestEncoderTests {
    @Test func writesTheSameWithAnyCapacity() throws {
        let host = try #require(HTTPField.Name("Host"))
        let trailer = try #require(HTTPField.Name("X-Trailer"))
        var fields: HTTPFields = [.userAgent: String(repeating: "a", count: 700), .accept: "b", host: "own"]
        for length in [0, 5, 12_345] {
            fields[.accept] = String(repeating: "c", count: length / 4)
            var written: Set<String> = []
            for capacity in [0, 1, 16, 32, 64, 256, 512, 1024, 2048, 4096, 16_384] {
                var buffer = ByteBufferAllocator().buffer(capacity: capacity)
                try HTTP1RequestEncoder.encode(
                    method: .put,
                    target: "/",
                    host: "h",
                    fields: fields,
                    framing: .length(length),
                    into: &buffer
                )
                HTTP1RequestEncoder.writeChunkPrefix(length: length + 1, into: &buffer)
                try HTTP1RequestEncoder.writeLastChunk(trailers: [trailer: "d"], into: &buffer)
                written.insert(String(buffer: buffer))
            }
            let text = try #require(written.first)
            #expect(written.count == 1)
            #expect(text.hasPrefix("PUT / HTTP/1.1\r\nHost: own\r\nUser-Agent: aaa"))
            #expect(text.contains("\r\nContent-Length: \(length)\r\n\r\n"))
            #expect(text.hasSuffix("\r\n0\r\nX-Trailer: d\r\n\r\n"))
        }
    }
}

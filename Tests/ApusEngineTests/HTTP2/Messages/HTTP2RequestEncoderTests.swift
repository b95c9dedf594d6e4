internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

@Suite struct HTTP2RequestEncoderTests {
    private func encode(
        _ lines: [(name: String, value: String)],
        framing: RequestFraming = .none
    ) throws -> HTTP2MessageBlock {
        try HTTP2MessageRequest(fields: .lenient(lines), framing: framing).encoded()
    }

    @Test func writesPseudoFieldsFirst() throws {
        let request = HTTP2MessageRequest(
            scheme: "http",
            authority: "example.org:8080",
            path: "/a?b=c",
            fields: [.userAgent: "Apus", .accept: "*/*"]
        )
        #expect(
            try request.encoded().text == [
                ":method: GET", ":scheme: http", ":authority: example.org:8080", ":path: /a?b=c", "user-agent: Apus",
                "accept: */*",
            ]
        )
    }

    @Test func writesNeitherSchemeNorPathOfConnect() throws {
        let request = HTTP2MessageRequest(
            method: .connect,
            scheme: "",
            authority: "h:443",
            path: "",
            fields: [.accept: "a"]
        )
        #expect(try request.encoded().text == [":method: CONNECT", ":authority: h:443", "accept: a"])
        // Only CONNECT in capitals is CONNECT.
        let other = HTTP2MessageRequest(method: try #require(HTTPRequest.Method("connect")))
        #expect(try other.encoded().text == [":method: connect", ":scheme: https", ":authority: h", ":path: /"])
    }

    @Test func writesAnAsteriskOfOptions() throws {
        let request = HTTP2MessageRequest(method: .options, path: "*")
        #expect(try request.encoded().text == [":method: OPTIONS", ":scheme: https", ":authority: h", ":path: *"])
    }

    @Test func writesTheHostFieldAsAuthority() throws {
        for name in ["Host", "host", "HOST"] {
            let block = try encode([("Accept", "a"), (name, "own:1")])
            #expect(block.text == [":method: GET", ":scheme: https", ":authority: own:1", ":path: /", "accept: a"])
        }
        let request = HTTP2MessageRequest(authority: "", fields: .lenient([("Host", "own")]))
        #expect(try request.encoded().text.contains(":authority: own"))
    }

    @Test func keepsTheOrderAndLowercasesNames() throws {
        let block = try encode([("x-ODD", "1"), ("Accept", "a"), ("X-Odd", ""), ("x-odd", "3")])
        #expect(block.fields == ["x-odd: 1", "accept: a", "x-odd: ", "x-odd: 3"])
    }

    @Test func leavesOutFieldsOfOneConnection() throws {
        let block = try encode([
            ("Connection", "keep-alive, X-Hop ,\tx-OTHER"), ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "close"),
            ("Upgrade", "h2c"), ("X-Hop", "1"), ("x-other", "2"), ("X-Kept", "3"), ("connection", "close,,b@d"),
            ("Proxy-Authorization", "Basic YTpi"),
        ])
        #expect(block.fields == ["x-kept: 3"])
        // A field may precede the Connection field that names it.
        #expect(try encode([("X-Hop", "1"), ("Cookie", "a=b"), ("Connection", "x-hop, cookie")]).fields.isEmpty)
    }

    @Test func keepsContentLengthAndAuthorityThatConnectionNames() throws {
        let block = try encode([("Connection", "content-length, host"), ("Host", "own")], framing: .length(3))
        #expect(block.text.contains(":authority: own"))
        #expect(block.fields == ["content-length: 3"])
    }

    @Test(arguments: [
        ("trailers", true), ("Trailers", true), ("gzip, trailers", true), ("trailers , deflate;q=0.5", true),
        (",trailers,", true), ("gzip", false), ("", false), ("trailers;q=0.5", false), ("xtrailers", false),
        ("trailer", false), ("gzip;a=\"b\"", false),
    ])
    func reducesTEToTrailers(value: String, isKept: Bool) throws {
        let kept: [String] = isKept ? ["te: trailers"] : []
        #expect(try encode([("TE", value)]).fields == kept)
        // HTTP/1.1 requires that Connection names TE.
        #expect(try encode([("Connection", "TE"), ("TE", value)]).fields == kept)
        #expect(try encode([("TE", value), ("te", value)]).fields == kept)
    }

    @Test(
        arguments: [
            ("a=b", ["a=b"]), ("a=b; c=d; e", ["a=b", "c=d", "e"]), ("a=b;c=d", ["a=b;c=d"]),
            ("a=b;  c=d ; e=f", ["a=b", "c=d", "e=f"]), ("a=b; ; c=d", ["a=b", "c=d"]), ("a=b; ", ["a=b"]),
            ("; a=b", ["a=b"]), (";", [";"]), ("", []), (" \t ", []), ("  a=b; c=d  ", ["a=b", "c=d"]),
            ("a=\"b; c\"", ["a=\"b", "c\""]), ("a=b;\tc=d", ["a=b;\tc=d"]),
        ] as [(String, [String])]
    )
    func splitsCookies(value: String, cookies: [String]) throws {
        let block = try encode([("Cookie", value), ("Accept", "a")])
        let expected = cookies.map { (cookie: String) -> String in "cookie: \(cookie)" }
        #expect(block.fields == expected + ["accept: a"])
    }

    @Test func neverIndexesShortCookies() throws {
        let long = "a=" + String(repeating: "x", count: 18)
        let short = "b=" + String(repeating: "x", count: 17)
        let block = try encode([("Cookie", "\(long); \(short); \(long)")])
        #expect(block.fields == ["cookie: \(long)", "cookie: \(short)", "cookie: \(long)"])
        #expect(block.representations(of: "cookie") == [.incremental, .neverIndexed, .indexed])
    }

    @Test(arguments: [
        (RequestFraming.length(0), "0"), (.length(7), "7"), (.length(1_000_000), "1000000"),
        (.length(.max), "9223372036854775807"),
    ])
    func writesContentLengthLast(framing: RequestFraming, value: String) throws {
        let block = try encode([("Accept", "a")], framing: framing)
        #expect(block.fields == ["accept: a", "content-length: \(value)"])
    }

    @Test func omitsRedundantFramingFields() throws {
        #expect(try encode([("Content-Length", "0")]).fields.isEmpty)
        #expect(try encode([("Content-Length", "5")], framing: .length(5)).fields == ["content-length: 5"])
        #expect(try encode([("Content-Length", "0")], framing: .length(0)).fields == ["content-length: 0"])
        #expect(try encode([("Transfer-Encoding", "Chunked")], framing: .chunked).fields.isEmpty)
        #expect(try encode([], framing: .chunked).fields.isEmpty)
    }

    @Test func writesExpectOnlyWithABody() throws {
        let lines: [(name: String, value: String)] = [("Expect", "100-continue")]
        #expect(try encode(lines).fields.isEmpty)
        #expect(try encode(lines, framing: .length(0)).fields == ["content-length: 0"])
        #expect(try encode(lines, framing: .length(1)).fields == ["expect: 100-continue", "content-length: 1"])
        #expect(try encode(lines, framing: .chunked).fields == ["expect: 100-continue"])
    }

    @Test func removesBlanksAroundValues() throws {
        let block = try encode([("A", "  b \t c\t"), ("D", " \t"), ("E", ""), ("Cookie", " f=g ")])
        #expect(block.fields == ["a: b \t c", "d: ", "e: ", "cookie: f=g"])
    }

    @Test func protectsSecretsInTheTable() throws {
        let lines: [(name: String, value: String)] = [
            ("Authorization", "Basic YTpi"), ("Date", "today"),
            ("Range", "bytes=0-1"), ("If-Match", "a"), ("If-None-Match", "a"), ("If-Range", "a"), ("If-Odd", "a"),
            ("If-Modified-Since", "a"), ("If-Unmodified-Since", "a"), ("Traceparent", "a"), ("X-Plain", "a"),
        ]
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        for round in 0..<3 {
            var buffer = ByteBuffer()
            let request = HTTP2MessageRequest(path: "/a/path", fields: .lenient(lines), framing: .length(1_234_567))
            try request.encode(with: &encoder, into: &buffer)
            let block = try HTTP2MessageBlock(buffer, by: &decoder)
            #expect(block.kinds.count == lines.count + 5)
            #expect(block.representations(of: "authorization") == [.neverIndexed])
            for name in [
                ":path", "date", "range", "if-match", "if-none-match", "if-range", "if-odd", "if-modified-since",
                "if-unmodified-since", "traceparent", "content-length",
            ] {
                #expect(block.representations(of: name) == [.notIndexed], "\(name)")
            }
            for name in [":authority", "x-plain"] {
                #expect(block.representations(of: name) == [round == 0 ? .incremental : .indexed], "\(name)")
            }
        }
    }

    @Test func followsTheIndexingStrategyOfAField() throws {
        func kind(
            _ name: String,
            _ strategy: HTTPField.DynamicTableIndexingStrategy
        ) throws -> [HTTP2MessageBlock.Kind] {
            var field = HTTPField(name: try #require(HTTPField.Name(name)), value: String(repeating: "x", count: 30))
            field.indexingStrategy = strategy
            return try HTTP2MessageRequest(fields: HTTPFields([field])).encoded().representations(of: name)
        }
        #expect(try kind("x-a", .automatic) == [.incremental])
        #expect(try kind("x-a", .prefer) == [.incremental])
        #expect(try kind("x-a", .avoid) == [.notIndexed])
        #expect(try kind("x-a", .disallow) == [.neverIndexed])
        #expect(try kind("range", .prefer) == [.incremental])
        #expect(try kind("cookie", .avoid) == [.notIndexed])
        #expect(try kind("cookie", .disallow) == [.neverIndexed])
        for strategy in [HTTPField.DynamicTableIndexingStrategy.prefer, .avoid, .disallow] {
            #expect(try kind("authorization", strategy) == [.neverIndexed])
        }
    }

    @Test func keepsBytesOutsideASCII() throws {
        // As Strings, the Kelvin sign and a K are equal.
        for value in [[0xE9], [0x61, 0x09, 0xE9, 0xFF], Array("\u{212A}".utf8), [0xC3]] as [[UInt8]] {
            let padded: [UInt8] = [0x20] + value + [0x20]
            let cookies: [UInt8] = Array("a=b; ".utf8) + value
            var fields: HTTPFields = [.accept: "K"]
            fields.append(HTTPField(name: .accept, lenientValue: padded))
            fields.append(HTTPField(name: .authorization, lenientValue: value))
            fields.append(HTTPField(name: .cookie, lenientValue: cookies))
            let block = try HTTP2MessageRequest(fields: fields).encoded()
            let values = block.lines.dropFirst(4).map(\.value)
            #expect(values == [Array("K".utf8), value, value, Array("a=b".utf8), value])
            #expect(block.representations(of: "accept") == [.incremental, .incremental])
            #expect(block.representations(of: "authorization") == [.neverIndexed])
        }
    }

    @Test(arguments: [0, 1, 127, 3_000, 70_000])
    func writesLongValues(length: Int) throws {
        for byte in [0x61, 0xE9] as [UInt8] {
            let value = [UInt8](repeating: byte, count: length)
            let long = HTTPField(name: .accept, lenientValue: value)
            let fields = HTTPFields([long, HTTPField(name: .range, value: "a")])
            let block = try HTTP2MessageRequest(fields: fields).encoded()
            #expect(block.lines.dropFirst(4).map(\.value) == [value, [0x61]])
            #expect(!block.kinds.contains(.truncated))
        }
    }

    @Test func writesTrailers() throws {
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        var secret = HTTPField(name: try #require(HTTPField.Name("X-Secret")), value: "d")
        secret.indexingStrategy = .disallow
        for kind in [HTTP2MessageBlock.Kind.incremental, .indexed] {
            var buffer = ByteBuffer()
            var fields = HTTPFields.lenient([("X-Checksum", " a "), ("Digest", "b"), ("Date", "c")])
            fields.append(secret)
            try HTTP2RequestEncoder.encodeTrailers(fields, with: &encoder, into: &buffer)
            let block = try HTTP2MessageBlock(buffer, by: &decoder)
            #expect(block.text == ["x-checksum: a", "digest: b", "date: c", "x-secret: d"])
            #expect(block.kinds == [kind, kind, .notIndexed, .neverIndexed])
        }
        var empty = ByteBuffer()
        try HTTP2RequestEncoder.encodeTrailers([:], with: &encoder, into: &empty)
        #expect(empty.readableBytes == 0)
    }
}

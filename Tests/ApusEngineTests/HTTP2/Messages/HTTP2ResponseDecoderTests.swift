internal import ApusEngine
internal import HTTPTypes
internal import Testing

@Suite struct HTTP2ResponseDecoderTests {
    private static let ok = (":status", "200")

    /// Checks that a head with these lines is malformed, whatever follows.
    private func rejects(
        _ lines: [(String, String)],
        endStream: Bool = true,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var stage = HTTP2MessageStage()
        let failure = try stage.failure(lines, endStream: endStream)
        #expect(failure?.code == .protocolError, "\(lines)", sourceLocation: location)
        #expect(failure?.reason.isEmpty == false, sourceLocation: location)
        // The error is final.
        #expect(try stage.failure([Self.ok]) == failure, sourceLocation: location)
        #expect(stage.bodyFailure(0) == failure, sourceLocation: location)
    }

    /// Checks that trailers with these lines are malformed.
    private func rejectsTrailers(
        _ lines: [(String, String)],
        endStream: Bool = true,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var stage = HTTP2MessageStage()
        try stage.receive([Self.ok])
        let failure = try stage.failure(lines, endStream: endStream)
        #expect(failure?.code == .protocolError, "\(lines)", sourceLocation: location)
        #expect(stage.bodyFailure(0) == failure, sourceLocation: location)
    }

    @Test func readsAHead() throws {
        var stage = HTTP2MessageStage()
        let text = try stage.receive([Self.ok, ("server", "a"), ("x-b", ""), ("x-b", "c  d"), ("x-e", "f\tg")])
        #expect(text == "head 200|server: a|x-b: |x-b: c  d|x-e: f\tg")
    }

    @Test func readsACompleteExchange() throws {
        var stage = HTTP2MessageStage(.post)
        #expect(try stage.receive([(":status", "100")]) == "informational 100")
        #expect(try stage.receive([(":status", "103"), ("link", "<a>")]) == "informational 103|link: <a>")
        #expect(try stage.receive([Self.ok, ("a", "b")]) == "head 200|a: b")
        try stage.receiveBody(10)
        try stage.receiveBody(0)
        #expect(try stage.receive([("digest", "c"), ("x-d", "e")], endStream: true) == "trailers|digest: c|x-d: e")
    }

    @Test(arguments: [
        ("102", "informational"), ("199", "informational"), ("200", "head"), ("404", "head"), ("999", "head"),
    ])
    func acceptsStatus(status: String, kind: String) throws {
        var stage = HTTP2MessageStage()
        #expect(try stage.receive([(":status", status)]) == "\(kind) \(status)")
    }

    @Test(arguments: [
        "", "2", "20", "2000", "0200", "099", "000", "2x0", " 200", "200 ", "-20", "+20", "2.0", "20\u{0}", "٣",
        "200 OK", "101",
    ])
    func rejectsStatus(status: String) throws {
        try rejects([(":status", status)], endStream: false)
    }

    @Test func demandsOneStatusAheadOfFields() throws {
        try rejects([])
        try rejects([("server", "a")])
        try rejects([Self.ok, Self.ok])
        try rejects([(":status", "100"), (":status", "200")])
        try rejects([("server", "a"), Self.ok])
        try rejects([Self.ok, ("server", "a"), Self.ok])
    }

    @Test(arguments: [
        ":method", ":scheme", ":authority", ":path", ":protocol", ":unknown", ":", ":Status", ":status ", "::status",
    ])
    func rejectsOtherPseudoFields(name: String) throws {
        try rejects([Self.ok, (name, "200")])
        try rejects([(name, "200"), Self.ok])
        try rejects([(name, "200")])
        try rejectsTrailers([(name, "200")])
    }

    @Test(arguments: [
        "Server", "sErver", "a b", " a", "a ", "", "a\r\nb", "a\n", "a\u{0}", "a\u{7F}", "\u{E4}", "a:b", "a\t",
        "a\u{1}", "a(b)", "\"a\"",
    ])
    func rejectsNames(name: String) throws {
        try rejects([Self.ok, (name, "b")])
        try rejects([Self.ok, ("a", "b"), (name, "b"), ("c", "d")])
        try rejectsTrailers([(name, "b")])
    }

    @Test(arguments: [
        "a\r\nb: c", "a\rb", "a\nb", "a\u{0}b", "\u{0}", "\r", "\n", "a\r\n", "a\u{1}b", "a\u{1F}b", "a\u{7F}b", " a",
        "a ", "\ta", "a\t", " ", "\t", "long enough for a word\u{0} and more", "\u{E4}\n\u{E4}",
    ])
    func rejectsValues(value: String) throws {
        for name in ["a", "server", "content-length", "set-cookie"] { try rejects([Self.ok, (name, value)]) }
        try rejectsTrailers([("a", value)])
        // Dropped fields are checked too.
        try rejectsTrailers([("content-type", value)])
    }

    @Test(arguments: ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])
    func rejectsFieldsOfOneConnection(name: String) throws {
        for value in ["close", "keep-alive", "chunked", "h2c", ""] {
            try rejects([Self.ok, (name, value)])
            try rejects([(":status", "103"), (name, value)], endStream: false)
            try rejectsTrailers([(name, value)])
        }
    }

    @Test func readsBytesOutsideASCII() throws {
        var stage = HTTP2MessageStage()
        #expect(try stage.receive([Self.ok, ("a", "\u{E4}\u{4E2D}")]) == "head 200|a: \u{E4}\u{4E2D}")
    }

    @Test func detectsFieldsThatRequireMore() throws {
        for name in ["content-encoding", "set-cookie", "strict-transport-security"] {
            var stage = HTTP2MessageStage()
            #expect(try stage.receive([Self.ok, (name, "b")]) == "head 200 demanding|\(name): b")
            // Each section is judged for itself.
            stage = HTTP2MessageStage()
            #expect(try stage.receive([(":status", "103"), (name, "b")]) == "informational 103 demanding|\(name): b")
            #expect(try stage.receive([Self.ok]) == "head 200")
        }
    }

    @Test func rejectsAnInformationalResponseThatEndsTheStream() throws {
        try rejects([(":status", "100")], endStream: true)
        try rejects([(":status", "103")], endStream: true)
        try rejects([(":status", "101")], endStream: true)
        try rejects([(":status", "101"), ("upgrade", "a")], endStream: false)
    }

    @Test func demandsThatTrailersEndTheStream() throws {
        try rejectsTrailers([("a", "b")], endStream: false)
        try rejectsTrailers([], endStream: false)
        try rejectsTrailers([Self.ok])
        try rejectsTrailers([Self.ok], endStream: false)
        try rejectsTrailers([(":status", "100")], endStream: false)
        try rejectsTrailers([("a", "b"), Self.ok])
    }

    @Test func dropsFieldsThatHaveNoMeaningInTrailers() throws {
        let dropped = [
            ("content-length", "5"), ("content-type", "a"), ("host", "a"), ("te", "a"), ("trailer", "a"),
            ("content-encoding", "gzip"), ("set-cookie", "a=b"), ("www-authenticate", "a"), ("content-range", "a"),
        ]
        var stage = HTTP2MessageStage()
        try stage.receive([Self.ok])
        #expect(try stage.receive(dropped + [("etag", "c")], endStream: true) == "trailers|etag: c")
        stage = HTTP2MessageStage()
        try stage.receive([Self.ok])
        #expect(try stage.receive(dropped, endStream: true) == "end")
        stage = HTTP2MessageStage()
        try stage.receive([Self.ok])
        #expect(try stage.receive([], endStream: true) == "end")
    }

    @Test func rejectsFramesAfterTheEnd() throws {
        var stage = HTTP2MessageStage()
        try stage.receive([Self.ok], endStream: true)
        #expect(stage.bodyFailure(0)?.code == .streamClosed)
        stage = HTTP2MessageStage()
        try stage.receive([Self.ok], endStream: true)
        #expect(try stage.failure([("a", "b")], endStream: true)?.code == .streamClosed)
        stage = HTTP2MessageStage()
        try stage.receive([Self.ok])
        try stage.receiveBody(1, endStream: true)
        #expect(stage.bodyFailure(1)?.code == .streamClosed)
    }

    @Test func survivesAListThatWasNotBegun() throws {
        var decoder = HTTP2ResponseDecoder(method: .get, limits: HTTP2Limits())
        #expect(throws: HTTP2StreamError.self) { try decoder.end(endStream: true) }
        #expect(throws: HTTP2StreamError.self) { try decoder.takeBody(1, endStream: false) }
    }
}

internal import ApusEngine
internal import HTTPTypes
internal import Testing

/// The content of a response agrees with its head.
@Suite struct HTTP2ResponseContentTests {
    /// Returns a stage that has received a final head.
    private func opened(
        _ method: HTTPRequest.Method,
        _ status: String,
        _ lengths: [String],
        endStream: Bool = false
    ) throws -> HTTP2MessageStage {
        var stage = HTTP2MessageStage(method)
        try stage.receive(head(status, lengths), endStream: endStream)
        return stage
    }

    private func head(_ status: String, _ lengths: [String]) -> [(String, String)] {
        [(":status", status)] + lengths.map { (value: String) -> (String, String) in ("content-length", value) }
    }

    @Test(arguments: [["5"], ["05"], ["5, 5"], ["5,5 ,\t5"], ["5", "5"], ["5", "05", "5, 5"]])
    func endsContentWithItsLength(lengths: [String]) throws {
        for parts in [[5], [2, 3], [1, 1, 0, 1, 1, 1]] {
            var stage = try opened(.get, "200", lengths)
            for part in parts.dropLast() { try stage.receiveBody(part) }
            var other = stage
            try stage.receiveBody(parts.last ?? 0, endStream: true)
            // The end may also follow in an empty frame, or with trailers.
            try other.receiveBody(parts.last ?? 0)
            var third = other
            try other.receiveBody(0, endStream: true)
            #expect(try third.receive([("a", "b")], endStream: true) == "trailers|a: b")
        }
    }

    @Test func keepsARepeatedLengthOnce() throws {
        for lengths in [["5", "5"], ["5, 5"], ["5", "5, 5"], ["5,5", "5"]] {
            var stage = HTTP2MessageStage()
            let text = try stage.receive(head("200", lengths) + [("a", "b")])
            #expect(text == "head 200|content-length: 5|a: b")
        }
        var stage = HTTP2MessageStage()
        #expect(try stage.receive(head("200", ["007"])) == "head 200|content-length: 007")
    }

    @Test(arguments: [
        [""], ["-1"], ["+1"], ["0x10"], ["1.0"], ["1 1"], ["9223372036854775808"], ["99999999999999999999"], ["5,"],
        [",5"], ["5, x"], ["٣"], ["5, 6"], ["5", "6"], ["5", "-5"], ["x", "5"], ["5", ""],
    ])
    func rejectsLengths(lengths: [String]) throws {
        for method in [HTTPRequest.Method.get, .post, .options] {
            for endStream in [false, true] {
                var stage = HTTP2MessageStage(method)
                let failure = try stage.failure(head("200", lengths), endStream: endStream)
                #expect(failure?.code == .protocolError)
                #expect(failure?.reason.contains("Content-Length") == true)
            }
        }
        // They mean nothing where no content may follow, and in the response that opens a tunnel.
        for (method, status) in [
            (HTTPRequest.Method.head, "200"), (.get, "204"), (.get, "304"), (.connect, "200"),
        ] {
            var stage = HTTP2MessageStage(method)
            #expect(try stage.failure(head(status, lengths)) == nil)
        }
    }

    @Test func rejectsContentThatIsTooLong() throws {
        for parts in [[6], [5, 1], [3, 3], [Int.max], [5, Int.max]] {
            var stage = try opened(.get, "200", ["5"])
            for part in parts.dropLast() { try stage.receiveBody(part) }
            let failure = stage.bodyFailure(parts.last ?? 0)
            #expect(failure?.code == .protocolError)
            #expect(failure?.reason == "The response is longer than its Content-Length.")
            #expect(stage.bodyFailure(0) == failure)
        }
        var empty = try opened(.get, "200", ["0"])
        #expect(empty.bodyFailure(0) == nil)
        #expect(empty.bodyFailure(1) != nil)
    }

    @Test func rejectsContentThatIsTooShort() throws {
        var stage = try opened(.get, "200", ["5"])
        try stage.receiveBody(3)
        var other = stage
        let failure = stage.bodyFailure(1, endStream: true)
        #expect(failure?.code == .protocolError)
        #expect(failure?.reason == "The server ended the response with 1 bytes of its content missing.")
        #expect(try other.failure([("a", "b")], endStream: true)?.reason.contains("2 bytes") == true)
        var missing = HTTP2MessageStage()
        #expect(try missing.failure(head("200", ["5"]), endStream: true)?.reason.contains("5 bytes") == true)
        var largest = HTTP2MessageStage()
        #expect(try largest.failure(head("200", ["9223372036854775807"]), endStream: true) != nil)
    }

    @Test func acceptsAnyContentWithoutALength() throws {
        for parts in [[], [0], [1, 0, 5], [.max, .max]] as [[Int]] {
            var stage = try opened(.get, "200", [])
            for part in parts { try stage.receiveBody(part) }
            var other = stage
            try stage.receiveBody(0, endStream: true)
            #expect(try other.receive([], endStream: true) == "end")
        }
        _ = try opened(.get, "200", [], endStream: true)
        _ = try opened(.get, "200", ["0"], endStream: true)
    }

    @Test(
        arguments: [
            (HTTPRequest.Method.head, "200"), (.head, "404"), (.head, "204"), (.get, "204"), (.get, "304"),
            (.post, "204"), (.connect, "304"),
        ],
        [[], ["0"], ["5"], ["9223372036854775807"]] as [[String]]
    )
    func acceptsNoContentWhereNoneMayFollow(
        exchange: (method: HTTPRequest.Method, status: String),
        lengths: [String]
    ) throws {
        _ = try opened(exchange.method, exchange.status, lengths, endStream: true)
        let begun = try opened(exchange.method, exchange.status, lengths)
        var inFrame = begun
        try inFrame.receiveBody(0)
        try inFrame.receiveBody(0, endStream: true)
        var inTrailers = begun
        #expect(try inTrailers.receive([("a", "b")], endStream: true) == "trailers|a: b")
        var faulty = begun
        #expect(faulty.bodyFailure(1)?.code == .protocolError)
        var faultyEnd = begun
        #expect(faultyEnd.bodyFailure(1, endStream: true)?.code == .protocolError)
    }

    @Test func readsATunnel() throws {
        for lengths in [[], ["0"], ["5"], ["x"]] as [[String]] {
            var stage = try opened(.connect, "200", lengths)
            try stage.receiveBody(1_000)
            try stage.receiveBody(0, endStream: true)
        }
        // Only a 2xx response opens one.
        var refused = try opened(.connect, "407", ["5"])
        #expect(refused.bodyFailure(6) != nil)
    }

    @Test func rejectsContentAheadOfTheHead() throws {
        var stage = HTTP2MessageStage()
        let failure = stage.bodyFailure(0)
        #expect(failure?.code == .protocolError)
        #expect(try stage.failure([(":status", "200")]) == failure)
        var informational = HTTP2MessageStage()
        try informational.receive([(":status", "100")])
        #expect(informational.bodyFailure(1)?.code == .protocolError)
    }

    @Test func ignoresTheLengthOfInformationalResponses() throws {
        for lengths in [["5"], ["x"], ["5", "6"]] {
            var stage = HTTP2MessageStage()
            try stage.receive(head("103", lengths))
            try stage.receive([(":status", "200")])
            try stage.receiveBody(9, endStream: true)
        }
    }
}

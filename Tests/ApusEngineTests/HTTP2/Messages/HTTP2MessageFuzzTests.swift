internal import ApusEngine
internal import ApusTestServer
internal import HTTPTypes
internal import NIOCore
internal import Testing

/// Random messages, the same in each run. None of them makes the codec trap, or pass on anything that breaks a rule.
@Suite struct HTTP2MessageFuzzTests {
    private static let names = [
        "accept", "X-A", "x-b", "Cookie", "cookie", "TE", "Host", "Connection", "Keep-Alive", "Upgrade", "Expect",
        "Authorization", "Content-Length", "Transfer-Encoding", "Range", "content-type", "Proxy-Connection",
    ]
    private static let values = [
        "", "a", "b c", "a=b; c=d", "; ", "trailers", "gzip, trailers", "chunked", "5", "0", "x-a, TE", "close", " a ",
        "\u{1}", "\u{7F}", "\u{E4}", "h", "a b", "100-continue", "\t", "a\u{B}",
        "0123456789012345678901234567890123456789",
    ]
    private static let paths = ["/", "/a?b", "*", "", "/a b", "/\r\n", "a", "/\u{E4}"]
    private static let authorities = ["h", "h:1", "", "a b", "a@b", "h\r\n"]
    private static let hop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "upgrade", "transfer-encoding", "host",
    ]

    private static func pick<Element>(_ elements: [Element], _ numbers: inout SeededGenerator) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &numbers)]
    }

    private static func request(_ numbers: inout SeededGenerator) -> HTTP2MessageRequest {
        var lines: [(name: String, value: String)] = []
        for _ in 0..<Int.random(in: 0...6, using: &numbers) {
            lines.append((pick(names, &numbers), pick(values, &numbers)))
        }
        let isOdd = Int.random(in: 0..<8, using: &numbers) == 0
        return HTTP2MessageRequest(
            method: pick([.get, .post, .options, .connect], &numbers),
            authority: isOdd ? pick(authorities, &numbers) : "h",
            path: isOdd ? pick(paths, &numbers) : "/",
            fields: .lenient(lines),
            framing: pick([.none, .none, .length(0), .length(5), .chunked], &numbers)
        )
    }

    @Test func writesOnlyRequestsThatKeepTheRules() throws {
        var numbers = SeededGenerator(seed: 0xA9_13)
        var encoder = HPACKEncoder()
        var decoder = HPACKDecoder()
        var written = 0
        var rejected = 0
        for _ in 0..<5_000 {
            let request = Self.request(&numbers)
            var buffer = ByteBuffer()
            do throws(RequestEncodeError) {
                try request.encode(with: &encoder, into: &buffer)
            } catch {
                rejected += 1
                #expect(buffer.readableBytes == 0)
                continue
            }
            written += 1
            // If a rejected request had changed the table, this would fail sooner or later.
            let block = try HTTP2MessageBlock(buffer, by: &decoder)
            #expect(Self.fault(of: block, request) == nil, "\(block.text)")
        }
        #expect(written > 500)
        #expect(rejected > 500)
    }

    /// Returns the rule that a header block breaks.
    private static func fault(of block: HTTP2MessageBlock, _ request: HTTP2MessageRequest) -> String? {
        let pseudo = request.method == .connect ? 2 : 4
        guard block.text.prefix(pseudo).allSatisfy({ (line: String) -> Bool in line.hasPrefix(":") }) else {
            return "pseudo fields missing"
        }
        var lengths = 0
        for line in block.lines.dropFirst(pseudo) {
            let name = String(decoding: line.name, as: UTF8.self)
            guard name == name.lowercased(), HTTPField.Name(name) != nil else { return "name" }
            if hop.contains(name) { return "field of one connection" }
            if name == "te", line.value != Array("trailers".utf8) { return "TE" }
            if name == "content-length" { lengths += 1 }
            let isBlank = { (byte: UInt8) -> Bool in byte == 0x20 || byte == 0x09 }
            if let first = line.value.first, isBlank(first) { return "leading blank" }
            if let last = line.value.last, isBlank(last) { return "trailing blank" }
            for byte in line.value where byte == 0x7F || (byte < 0x20 && byte != 0x09) { return "control character" }
        }
        if case .length = request.framing { return lengths == 1 ? nil : "Content-Length missing or repeated" }
        return lengths == 0 ? nil : "Content-Length"
    }

    private static let lines: [(String, String)] = [
        (":status", "200"), (":status", "204"), (":status", "304"), (":status", "100"), (":status", "103"),
        (":status", "101"), (":status", "20"), (":path", "/"), (":x", ""), ("server", "a"), ("Server", "a"),
        ("a", " b"),
        ("a", "b\r\nc"), ("a", "b"), ("content-length", "5"), ("content-length", "5, 5"), ("content-length", "6"),
        ("content-length", "x"), ("connection", "close"), ("transfer-encoding", "chunked"), ("set-cookie", "a=b"),
        ("te", "trailers"), ("", "a"), ("a", ""), ("trailer", "a"), ("a", "\u{E4}"), ("keep-alive", "a"),
    ]

    private static func block(_ numbers: inout SeededGenerator) -> ByteBuffer {
        var lines: [HTTP2MessageLine] = []
        if Int.random(in: 0..<4, using: &numbers) > 0 {
            let (name, value) = pick(Array(Self.lines.prefix(6)), &numbers)
            lines.append(HTTP2MessageLine(name, value))
        }
        for _ in 0..<Int.random(in: 0...3, using: &numbers) {
            let isOdd = Int.random(in: 0..<4, using: &numbers) == 0
            let pool: [(String, String)] = isOdd ? Self.lines : [("a", "b"), ("content-length", "5")]
            let (name, value) = pick(pool, &numbers)
            lines.append(HTTP2MessageLine(name, value))
        }
        var bytes = Array(HTTP2MessageLine.block(lines).readableBytesView)
        if !bytes.isEmpty, Int.random(in: 0..<5, using: &numbers) == 0 {
            bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
        }
        return ByteBuffer(bytes: bytes)
    }

    @Test func passesOnOnlyResponsesThatKeepTheRules() {
        var numbers = SeededGenerator(seed: 0xA9_14)
        var ended = 0
        for _ in 0..<10_000 {
            let method = Self.pick([HTTPRequest.Method.get, .get, .head, .connect], &numbers)
            var stage = HTTP2MessageStage(method)
            var heads: [ReceivedHead] = []
            var received = 0
            var isAtEnd = false
            do {
                for _ in 0..<6 where !isAtEnd {
                    isAtEnd = Int.random(in: 0..<3, using: &numbers) == 0
                    if !heads.isEmpty, Int.random(in: 0..<3, using: &numbers) > 0 {
                        let count = Self.pick([0, 1, 2, 5], &numbers)
                        try stage.receiveBody(count, endStream: isAtEnd)
                        received += count
                        continue
                    }
                    switch try stage.receive(Self.block(&numbers), endStream: isAtEnd) {
                    case .informational(let head):
                        #expect(heads.isEmpty && !isAtEnd)
                        #expect((100..<200).contains(head.status.code) && head.status.code != 101)
                    case .head(let head):
                        #expect(heads.isEmpty && head.status.code >= 200)
                        heads.append(head)
                    case .trailers:
                        #expect(!heads.isEmpty && isAtEnd)
                    }
                }
            } catch {
                // The error of the table ends the connection, so the stream is not used after it.
                guard let failure = error as? HTTP2StreamError else { continue }
                #expect(stage.bodyFailure(0, endStream: true) == failure)
                continue
            }
            guard isAtEnd, let head = heads.first else { continue }
            ended += 1
            #expect(Self.isLengthKept(head, method, received))
            for field in head.fields {
                #expect(field.name.rawName == field.name.canonicalName)
                #expect(field.value.utf8.allSatisfy { (byte: UInt8) -> Bool in byte >= 0x20 || byte == 0x09 })
            }
        }
        #expect(ended > 200)
    }

    private static func isLengthKept(_ head: ReceivedHead, _ method: HTTPRequest.Method, _ received: Int) -> Bool {
        if method == .connect, head.status.code < 300 { return true }
        if method == .head || head.status.code == 204 || head.status.code == 304 { return received == 0 }
        guard let text = head.fields[.contentLength] else { return true }
        return Int(text) == received
    }
}

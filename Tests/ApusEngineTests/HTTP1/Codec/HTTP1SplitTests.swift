internal import ApusEngine
internal import HTTPTypes
internal import Testing

/// The verdict and the events do not depend on how reads divide the bytes.
@Suite struct HTTP1SplitTests {
    static let samples = [
        "HTTP/1.1 200 OK\r\nServer: a\r\ncontent-length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: <a>\r\n\r\nHTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\n\r\nrest",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA: b\r\nHost: x\r\nETag:\t\"c\"\r\n\r\nx",
        "HTTP/1.0 200 OK\r\nA: \t b \t c \t \r\n\r\nuntil the end",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n\r\nother bytes",
        "HTTP/1.1 200 OK\r\nX-A-Rather-Long-Name-Of-A-Field: and a value with \u{FC}mlauts\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n", "HTTQ", "HTTP/1.1 200 OK\nA: b\n\n", "HTTP/1.1 200 O\rK\r\n\r\n",
        "\r\nHTTP/1.1 200\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "HTTP/1.1 200 OK\r\nA b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: \u{0}\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\r\n", "HTTP/1.1 200 OK\r\nA\u{1}: b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloo\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\tc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0 \r\nA: b\n\tc\n \n\nrest",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nA: b\n\n1\r\na\r\n0\r\n\nHTTP/1.1 200 OK\n\n",
        "HTTP/1.1 200 OK\r\nA:\r\n b\r\n \r\n\tc\r\nContent-Length: 2\n\r\nhirest",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n 2\r\n\r\nhi", "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
        "HTTP/1.1 200 OK\nA\n b: c\n\n", "HTTP/1.1 200 OK\nA: b\r\r\n\n", "HTTP/1.1 200 OK\nA: b\n\r \n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhirest",
        "HTTP/1.1 103 Early\nA: b\n c\n\nHTTP/1.1 204 OK\nA: b\n c\n\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n \u{0}\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n", "HTTP/1.1 200 OK\nA: b\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ]

    @Test(arguments: samples, [false, true])
    func givesTheSameResultForEveryCut(sample: String, isStrict: Bool) {
        let bytes = Array(sample.utf8)
        let limits = HTTP1Limits(isStrict: isStrict)
        let complete = HTTP1Transcript(of: bytes, limits: limits)
        #expect(!complete.entries.isEmpty)
        for cut in 1..<bytes.count {
            #expect(HTTP1Transcript(of: bytes, cuts: [cut], limits: limits) == complete, "cut at \(cut)")
        }
        #expect(HTTP1Transcript(of: bytes, cuts: Array(1..<bytes.count), limits: limits) == complete)
    }

    @Test(arguments: samples, [false, true])
    func reportsTheSameLimitForEveryCut(sample: String, isStrict: Bool) {
        let bytes = Array(sample.utf8)
        var limits = HTTP1Limits(fieldCount: 2, informationalResponses: 1, chunkSizeLineBytes: 3, isStrict: isStrict)
        for size in 8..<48 {
            limits.responseHeadBytes = size
            limits.trailerBytes = size / 4
            for fieldBytes in [size / 2, size, 15] {
                limits.fieldBytes = fieldBytes
                let complete = HTTP1Transcript(of: bytes, limits: limits)
                #expect(HTTP1Transcript(of: bytes, cuts: Array(1..<bytes.count), limits: limits) == complete)
                #expect(HTTP1Transcript(of: bytes, cuts: [min(size, bytes.count - 1)], limits: limits) == complete)
            }
        }
    }

    /// Every division of generated responses gives the same events, including folded fields and bare line feeds.
    @Test(arguments: [false, true])
    func givesTheSameResultForGeneratedResponses(isStrict: Bool) {
        var generator = HTTP1Generator(seed: 23)
        let limits = HTTP1Limits(isStrict: isStrict)
        for _ in 0..<400 {
            let method = generator.method()
            let bytes = generator.response().map { generator.chance(97) || $0 != 0x0D ? $0 : 0x20 }
            guard bytes.count > 1 else { continue }
            let complete = HTTP1Transcript(of: bytes, method: method, limits: limits)
            for cut in 1..<bytes.count {
                let transcript = HTTP1Transcript(of: bytes, cuts: [cut], method: method, limits: limits)
                #expect(transcript == complete, "cut at \(cut)")
            }
            let single = HTTP1Transcript(of: bytes, cuts: Array(1..<bytes.count), method: method, limits: limits)
            #expect(single == complete)
        }
    }

    /// The parser examines each byte once, even if bytes arrive one by one in a field with thousands of folds.
    @Test func readsAFoldedFieldByteByByte() {
        let bytes = Array("HTTP/1.1 204 OK\r\nA: b\(String(repeating: "\r\n ", count: 5_400))\r\n\r\n".utf8)
        let transcript = HTTP1Transcript(of: bytes, cuts: Array(1..<bytes.count))
        #expect(transcript.head?.fields.map(\.description) == ["A: b"])
        #expect(transcript.isComplete)
    }

    @Test func readsAHeadAtTheLimitByteByByte() {
        let fields = (0..<128).map { "X-Field-\($0 + 100): \(String(repeating: "v", count: 490))\r\n" }.joined()
        let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(fields)\r\n".utf8)
        let transcript = HTTP1Transcript(of: bytes, cuts: Array(1..<bytes.count))
        #expect(transcript.head?.fields.count == 129)
        #expect(transcript.isComplete)
    }
}

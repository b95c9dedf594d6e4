internal import ApusEngine
internal import HTTPTypes
internal import NIOCore
internal import Testing

/// A reused parser reads each response as a new parser does, regardless of its cache.
@Suite struct HTTP1FieldSectionTests {
    static let sections = [
        [], ["Server: a"], ["Server: a", "Content-Length: 0"], ["Server: b", "Content-Length: 0"],
        ["server: a", "Content-Length: 0"], ["Server: a", "Content-Length: 1"], ["Content-Length: 0", "Server: a"],
        ["Server: a", "Date: today", "Content-Length: 0"], ["Server: a", "Date: tomorrow", "Content-Length: 0"],
        ["Server: a", "Content-Length: 0", "Content-Length: 0"],
        ["Content-Length: 0", "Content-Length: 0", "Server: a"],
        ["Content-Length: 0, 0", "Server: a", "X-A: b"], ["Content-Length: 0", "Content-Length: 1"],
        ["Server: a", "Transfer-Encoding: chunked"], ["Server: a", "Connection: close", "Content-Length: 0"],
        ["Server: a", "Connection: keep-alive", "Content-Length: 0"], ["Server: a", "Content-Length: 0 "],
        ["Server: a", "Transfer-Encoding: chunked", "Content-Length: 0"], ["Server : a"], ["Server: a", " folded"],
        ["Server: a", " ", "Content-Length: 0"], ["Server: a\nContent-Length: 0"],
        ["Server: a", "Content-Length: 0\n"],
        ["Server: a", "Content-Length: 0", " "], ["Server: a", "Connection: close\nContent-Length: 0"],
        ["Server: a", "Connection: keep-alive,", " close", "Content-Length: 0"], [" Server: a", "Content-Length: 0"],
        ["X-E: \u{E9}", "Content-Length: 0"], ["X-E: e\u{301}", "Content-Length: 0"], ["X-E:  \u{E9}", "A: b"],
        ["X-Large: \(String(repeating: "x", count: 3_000))", "Content-Length: 0"],
        (0..<40).map { "X-\($0): \($0)" } + ["Content-Length: 0"],
    ]

    private static func response(_ section: [String]) -> [UInt8] {
        let isChunked = section.contains("Transfer-Encoding: chunked")
        let lines = ["HTTP/1.1 200 OK"] + section
        return Array((lines.map { $0 + "\r\n" }.joined() + "\r\n" + (isChunked ? "0\r\nX-T: t\r\n\r\n" : "")).utf8)
    }

    @Test(arguments: sections)
    func readsAfterAnyOther(section: [String]) {
        let bytes = Self.response(section)
        let new = HTTP1Transcript(of: bytes)
        for other in Self.sections {
            var parser = HTTP1ResponseParser(limits: HTTP1Limits())
            let first = HTTP1Transcript(of: Self.response(other), by: &parser)
            #expect(first == HTTP1Transcript(of: Self.response(other)))
            guard parser.isBetweenMessages else { continue }
            #expect(HTTP1Transcript(of: bytes, by: &parser) == new, "after \(other)")
            guard parser.isBetweenMessages else { continue }
            #expect(HTTP1Transcript(of: bytes, cuts: Array(1..<bytes.count), by: &parser) == new, "cut after \(other)")
            #expect(HTTP1Transcript(of: Self.response(other), by: &parser) == first, "after itself")
        }
    }

    @Test(arguments: sections)
    func readsAfterAnyOtherWithoutDeviations(section: [String]) {
        let bytes = Self.response(section)
        let new = HTTP1Transcript(of: bytes, limits: .strict)
        for other in Self.sections {
            var parser = HTTP1ResponseParser(limits: .strict)
            _ = HTTP1Transcript(of: Self.response(other), by: &parser)
            guard parser.isBetweenMessages else { continue }
            #expect(HTTP1Transcript(of: bytes, by: &parser) == new, "after \(other)")
        }
    }

    /// The cached value of a list of lengths depends on the preceding lines.
    @Test func doesNotCacheAListOfLengths() {
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        _ = HTTP1Transcript(of: Self.response(["A: b", "Content-Length: 0, 0"]), by: &parser)
        let odd = Self.response(["Content-Length: x", "Content-Length: 0, 0"])
        let new = HTTP1Transcript(of: odd, method: .connect)
        #expect(HTTP1Transcript(of: odd, method: .connect, by: &parser) == new)
    }

    @Test func readsChangedLines() {
        var generator = HTTP1Generator(seed: 7)
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        var lines = (0..<12).map { "X-\($0): \(String(repeating: "v", count: $0 * 3))" }
        for _ in 0..<3_000 {
            let index = Int.random(in: 0..<lines.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: lines.remove(at: index)
            case 1: lines.insert(lines[index], at: 0)
            case 2: lines[index] += "\(Int.random(in: 0...9, using: &generator))"
            case 3: lines.swapAt(0, index)
            case 4: lines[index] = "Y\(index): y"
            default: break
            }
            if lines.count < 3 { lines += ["A: b", "C: d", "Content-Type: text/plain"] }
            lines = lines.prefix(40).map { String($0.prefix(60)) }
            let bytes = Self.response(lines + ["Content-Length: 0"])
            let cuts = Int.random(in: 0..<4, using: &generator) == 0 ? [bytes.count / 2] : []
            #expect(HTTP1Transcript(of: bytes, cuts: cuts, by: &parser) == HTTP1Transcript(of: bytes))
        }
    }

    @Test func readsGeneratedResponsesInARow() {
        var generator = HTTP1Generator(seed: 11)
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        for _ in 0..<5_000 {
            let method = generator.method()
            let bytes = generator.response()
            #expect(
                HTTP1Transcript(of: bytes, method: method, by: &parser) == HTTP1Transcript(of: bytes, method: method)
            )
            if !parser.isBetweenMessages { parser = HTTP1ResponseParser(limits: HTTP1Limits()) }
        }
    }

    @Test func countsRememberedLinesAgainstTheLimits() {
        let limits = HTTP1Limits(responseHeadBytes: 60, fieldCount: 3)
        let small = Array("HTTP/1.1 200\r\nA: b\r\nB: c\r\nContent-Length: 0\r\n\r\n".utf8)
        let many = Array("HTTP/1.1 200\r\nA: b\r\nB: c\r\nContent-Length: 0\r\nC: d\r\n\r\n".utf8)
        let long = Array("HTTP/1.1 200 123456789012345678901\r\nA: b\r\nB: c\r\nContent-Length: 0\r\n\r\n".utf8)
        for (bytes, fault) in [(many, HTTP1ParseError.tooManyFields(limit: 3)), (long, .headTooLarge(limit: 60))] {
            var parser = HTTP1ResponseParser(limits: limits)
            #expect(HTTP1Transcript(of: small, by: &parser).isComplete)
            #expect(HTTP1Transcript(of: bytes, by: &parser).failure == fault)
        }
    }

    @Test func doesNotChangeReturnedFields() throws {
        var parser = HTTP1ResponseParser(limits: HTTP1Limits())
        var heads: [HTTPFields] = []
        for date in ["one", "two", "two"] {
            parser.begin(method: .head)
            var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nServer: a\r\nDate: \(date)\r\n\r\n")
            guard case .head(let head)? = try parser.next(&buffer) else {
                Issue.record("a head was expected")
                return
            }
            _ = try parser.next(&buffer)
            heads.append(head.fields)
            heads[heads.count - 1][.server] = nil
        }
        #expect(heads.map { $0[.date] } == ["one", "two", "two"])
        #expect(heads.allSatisfy { $0.count == 1 })
    }
}

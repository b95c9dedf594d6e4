internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct LineSplitterTests {
    /// Returns the lines of chunks.
    private func split(_ chunks: [BodyChunk], limitBytes: Int = 1000) throws -> [String] {
        var splitter = LineSplitter(limitBytes: limitBytes)
        var lines: [String] = []
        for chunk in chunks {
            splitter.add(chunk)
            while let line = try splitter.next() { lines.append(String(line)) }
        }
        if let line = try splitter.finish() { lines.append(String(line)) }
        #expect(splitter.lineCount >= lines.count)
        return lines
    }

    /// Returns the bytes of a text in chunks of `size` bytes.
    private func pieces(_ text: String, _ size: Int) -> [BodyChunk] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { BodyChunk(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    static let texts: [(String, [String])] = [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r\n", ["a"]), ("\n", [""]), ("\r\n", [""]), ("\n\n", ["", ""]),
        ("a\nb", ["a", "b"]), ("a\r\nb\n", ["a", "b"]), ("a\n\nb", ["a", "", "b"]), ("a\n\r\nb", ["a", "", "b"]),
        ("a\rb\n", ["a\rb"]), ("a\r", ["a\r"]), ("a\r\r\nb", ["a\r", "b"]), ("\r\r", ["\r\r"]),
        ("a\u{2028}b\u{2029}c\u{85}d\u{0B}e\u{0C}f\n", ["a\u{2028}b\u{2029}c\u{85}d\u{0B}e\u{0C}f"]),
        ("Grüße\n汉字🐝\nZ\u{308}", ["Grüße", "汉字🐝", "Z\u{308}"]),
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []), ("\u{FEFF}\n", [""]),
    ]

    @Test(arguments: texts, 1...5) func splitsAtLineFeeds(text: (String, [String]), size: Int) throws {
        let expected = text.1.map { Array($0.utf8) }
        #expect(try split(pieces(text.0, size)).map { Array($0.utf8) } == expected)
        #expect(try split([BodyChunk(text.0)]).map { Array($0.utf8) } == expected)
    }

    @Test func replacesInvalidSequences() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0x0A, 0xE2, 0x82, 0x0A, 0x62]
        let expected = ["a\u{FFFD}", "\u{FFFD}", "b"]
        #expect(try split([BodyChunk(bytes)]) == expected)
        #expect(try split(bytes.map { BodyChunk([$0]) }) == expected)
    }

    @Test func copiesNoLineThatIsWithinOneChunk() throws {
        let chunk = BodyChunk("first\nsecond\n")
        var splitter = LineSplitter(limitBytes: 10)
        splitter.add(chunk)
        let line = try #require(try splitter.next())
        let start = chunk.withUnsafeBytes { $0.baseAddress }
        #expect(line.withUnsafeBytes { $0.baseAddress } == start)
    }

    // MARK: The limit

    static let ends = ["\n", "\r\n", "", "\nb", "\r\nb"]

    @Test(arguments: ends, [1, 2, 3, 100]) func rejectsALineAboveItsLimit(end: String, size: Int) throws {
        #expect(try split(pieces("aaaa" + end, size), limitBytes: 4).first == "aaaa")
        #expect(try split(pieces("aaaa" + end, size), limitBytes: 5).first == "aaaa")
        let error = #expect(throws: ApusError.self) { try split(pieces("\naaaa" + end, size), limitBytes: 3) }
        #expect(error?.code == .bodyTooLarge)
        #expect(error?.detail == "line 2 has more than 3 bytes; raise limitBytes to read it")
    }

    @Test func countsACarriageReturnThatEndsNoLine() throws {
        #expect(throws: ApusError.self) { try split([BodyChunk("aaa\r")], limitBytes: 3) }
        #expect(throws: ApusError.self) { try split([BodyChunk("aaa\r"), BodyChunk("a\n")], limitBytes: 3) }
        #expect(try split([BodyChunk("aaa\r"), BodyChunk("\n")], limitBytes: 3) == ["aaa"])
    }

    @Test func rejectsALongLineBeforeItsEnd() throws {
        var splitter = LineSplitter(limitBytes: 100)
        for _ in 0..<10 {
            splitter.add(BodyChunk("aaaaaaaaaa"))
            let line = try splitter.next()
            #expect(line == nil)
        }
        splitter.add(BodyChunk("aa"))
        #expect(throws: ApusError.self) { try splitter.next() }
    }

    @Test(arguments: [Int.min, -1, 0]) func acceptsEmptyLinesAtALimitOfZero(limit: Int) throws {
        #expect(try split([BodyChunk("\n\r\n")], limitBytes: limit) == ["", ""])
        #expect(throws: ApusError.self) { try split([BodyChunk("a\n")], limitBytes: limit) }
    }

    @Test func hasNoLimitAtTheLargestNumber() throws {
        #expect(try split([BodyChunk("a"), BodyChunk("b\n")], limitBytes: .max) == ["ab"])
    }
}

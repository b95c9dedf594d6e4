internal import Apus
internal import ApusTestSupport
internal import Testing

@testable internal import ApusJSON

@Suite struct JSONReaderTests {
    private func isJSON(_ text: String) -> Bool {
        var reader = JSONReader(depthLimit: 100)
        do {
            while try reader.next(in: Array(text.utf8)) != nil {}
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: [
        "{}", "[]", "null", "true", "false", "0", "-0", "1.10", "1e5", "-1.5E-10", "\"\"", " [ 1 , 2 ] \n",
        #"{"a":1}"#, #"{"a":{"b":[{},[],""]}}"#, #""\"\\\/\b\f\n\r\t\u00e9""#, "123456789012345678901234567890",
        "\"\u{7F}\u{9B}\"", "[[[[]]]]", #"{"a":1,"a":2}"#,
    ])
    func acceptsJSON(text: String) {
        #expect(isJSON(text))
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "]", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{1:2}",
        "[1}",
        "{\"a\":1]", "01", "1.", ".5", "+1", "-", "1e", "1e+", "tru", "nul", "NaN", "Infinity", "'a'", "\"", "\"\\\"",
        "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"", "1 2", "[] []", "{} x", "[1]]", "\u{FEFF}1", "{\"a\" 1}", "//",
    ])
    func rejectsInvalidJSON(text: String) {
        #expect(!isJSON(text))
    }

    @Test func rejectsEndlessNestingWithoutRecursion() {
        #expect(!isJSON(String(repeating: "[", count: 1_000_000)))
        #expect(!isJSON(String(repeating: "{\"a\":", count: 100_000)))
        let depth = 100
        #expect(isJSON(String(repeating: "[", count: depth) + String(repeating: "]", count: depth)))
        #expect(!isJSON(String(repeating: "[", count: depth + 1) + String(repeating: "]", count: depth + 1)))
    }

    @Test func reportsThePositionOfAFault() {
        var reader = JSONReader(depthLimit: 100)
        #expect(throws: JSONReader.Fault(offset: 4, reason: "a value is missing")) {
            while try reader.next(in: Array("[1, x]".utf8)) != nil {}
        }
    }

    @Test func returnsTokensWithTheirRanges() throws {
        var reader = JSONReader(at: 2, depthLimit: 2)
        let text = Array(#"..{"a\n" : [-1.5e+2, "é"] , "b":null}"#.utf8)
        var tokens: [JSONReader.Token] = []
        while let token = try reader.next(in: text) { tokens.append(token) }
        #expect(
            tokens == [
                .beginObject, .key(3..<8), .beginArray, .number(12..<19), .string(21..<25), .endArray, .key(29..<32),
                .literal(33..<37), .endObject,
            ]
        )
        #expect(reader.position == text.count)
        #expect(reader.depth == 0)
    }

    /// The reader checks eight bytes at once, so every offset within a word and across two words is tested.
    @Test func findsTheEndOfAStringAtAnyOffset() throws {
        for count in 0..<20 {
            let fill = String(repeating: "x", count: count)
            for (end, isJSON) in [("", true), ("\\\"", true), ("é", true), ("\u{1F}", false), ("\u{7F}", true)] {
                for tail in ["", "yyyyyyyyyyyyyyyyy"] {
                    let text = "\"\(fill)\(end)\(tail)\""
                    #expect(self.isJSON(text) == isJSON, "\(text)")
                    var reader = JSONReader(depthLimit: 0)
                    _ = try? reader.next(in: Array((text + "é").utf8))
                    guard isJSON else { continue }
                    #expect(reader.position == text.utf8.count)
                    #expect(reader.traits.contains(.isASCII) == (end != "é"))
                    #expect(reader.traits.contains(.hasEscapes) == (end == "\\\""))
                }
            }
        }
    }
}

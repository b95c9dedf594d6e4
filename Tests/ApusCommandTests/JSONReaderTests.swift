import Testing

@testable import ApusCommand

@Suite struct JSONReaderTests {
    private func isJSON(_ text: String) -> Bool {
        var reader = JSONReader(Array(text.utf8))
        do {
            while try reader.next() != nil {}
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
    func refusesWhatIsNone(text: String) {
        #expect(!isJSON(text))
    }

    @Test func refusesEndlessNestingWithoutEndlessStack() {
        #expect(!isJSON(String(repeating: "[", count: 1_000_000)))
        #expect(!isJSON(String(repeating: "{\"a\":", count: 100_000)))
        let depth = JSONReader.depthLimit
        #expect(isJSON(String(repeating: "[", count: depth) + String(repeating: "]", count: depth)))
        #expect(!isJSON(String(repeating: "[", count: depth + 1) + String(repeating: "]", count: depth + 1)))
    }

    @Test func saysWhere() {
        var reader = JSONReader(Array("[1, x]".utf8))
        #expect(throws: JSONReader.Fault(offset: 4, reason: "a value is missing")) {
            while try reader.next() != nil {}
        }
    }

    @Test func neverTrapsOnBytes() {
        let letters = Array(#"{}[]",:\u0e1-.tfn "#.utf8) + [0x00, 0x80, 0xFF]
        var state: UInt64 = 3
        for _ in 0..<50_000 {
            var bytes: [UInt8] = []
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(letters[Int(state >> 33) % letters.count])
            }
            _ = JSONFormatter().format(bytes)
            _ = JSONFormatter(palette: .coloured, isLaidOut: false).format(bytes)
        }
    }
}

import Testing

@testable import ApusCommand

@Suite struct JSONFormatterTests {
    private func format(_ text: String, _ formatter: JSONFormatter = JSONFormatter()) -> String? {
        formatter.format(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func indentsByFourSpaces() {
        #expect(
            format(#"{"b":[1,2,{"c":null}],"a":{},"d":[], "e" : "x" }"#) == """
                {
                    "b": [
                        1,
                        2,
                        {
                            "c": null
                        }
                    ],
                    "a": {},
                    "d": [],
                    "e": "x"
                }
                """
        )
    }

    @Test(arguments: ["1.10", "-0", "1E400", "123456789012345678901234567890.5", "\"x\"", "null"])
    func keepsScalarsUnchanged(text: String) {
        #expect(format(text) == text)
    }

    @Test func keepsOrderAndDoubledNames() {
        #expect(format(#"{"z":1,"a":2,"z":3}"#) == "{\n    \"z\": 1,\n    \"a\": 2,\n    \"z\": 3\n}")
    }

    @Test(arguments: [
        (#""\u00e9\u65e5\ud83d\ude80""#, "\"é日🚀\""),
        (#""\u0041\n\"\\""#, #""\u0041\n\"\\""#),
        (#""\u001b[2J\u009b\u202e""#, #""\u001b[2J\u009b\u202e""#),
        (#""\ud83d""#, #""\ud83d""#),
        (#""\ud83d\u0041""#, #""\ud83d\u0041""#),
        (#""\\u00e9""#, #""\\u00e9""#),
        ("\"\u{9B}\u{202E}\u{7F}\"", #""\u009b\u202e\u007f""#),
    ])
    func decodesEscapesExceptControls(text: String, expected: String) {
        #expect(format(text) == expected)
    }

    @Test func producesEquivalentJSON() throws {
        let text = #"{"a":["\u00e9\u001b\u202e\ud800",1.0,true],"b":{"c":[[],{}]}}"#
        let once = try #require(format(text))
        #expect(format(once) == once)
    }

    @Test func rejectsInvalidJSON() {
        #expect(format("{oops}") == nil)
        #expect(format("") == nil)
    }

    @Test func limitsItsOutput() {
        let hostile =
            String(repeating: "[", count: 900) + String(repeating: "1,", count: 200_000) + "1"
            + String(repeating: "]", count: 900)
        #expect(format(hostile) == nil)
    }

    @Test func colorsWithoutFormatting() {
        let formatter = JSONFormatter(palette: .colored, isLaidOut: false)
        #expect(
            format(#"{ "a" : [1, true] }"#, formatter)
                == "{ \u{1B}[1;34m\"a\"\u{1B}[0m : [\u{1B}[36m1\u{1B}[0m, \u{1B}[35mtrue\u{1B}[0m] }"
        )
    }

    @Test func colorsFormattedJSON() {
        let formatter = JSONFormatter(palette: .colored)
        #expect(format(#"["x"]"#, formatter) == "[\n    \u{1B}[32m\"x\"\u{1B}[0m\n]")
    }

    @Test func rejectsJSONThatIsNestedTooDeep() {
        let formatter = JSONFormatter(isLaidOut: false)
        let depth = JSONFormatter.depthLimit
        for (depth, isAccepted) in [(depth, true), (depth + 1, false)] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(format(text, formatter) == (isAccepted ? text : nil))
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
            _ = JSONFormatter(palette: .colored, isLaidOut: false).format(bytes)
        }
    }

    @Test func omitsAByteOrderMark() {
        #expect(format("\u{FEFF}{\"a\":1}") == "{\n    \"a\": 1\n}")
        #expect(
            format("\u{FEFF}{\"b\":1,\"a\":2}", JSONFormatter(isLaidOut: false, sortsKeys: true)) == #"{"a":2,"b":1}"#
        )
        #expect(format("\u{FEFF}oops") == nil && format("\u{FEFF}\u{FEFF}{}") == nil)
    }

    @Test(arguments: [")]}',\n", ")]}'", ")]}\r\n", "for(;;);", "for (;;); ", "while(1);", "throw 1;\n", "{}&&"])
    func keepsAGuardBeforeJSON(guarding: String) {
        let shown = guarding.replacing("\r\n", with: "\n")
        #expect(format(guarding + "[1]") == shown + "[\n    1\n]")
        #expect(format("\u{FEFF}" + guarding + "[1]") == shown + "[\n    1\n]")
        #expect(format(guarding + "oops") == nil)
    }
}

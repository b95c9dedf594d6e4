internal import Apus
internal import Testing

@testable internal import ApusJSON

@Suite struct JSONTextTests {
    static let texts: [(JSONValue, String)] = [
        (nil, "null"), (true, "true"), (false, "false"), (-1, "-1"), (0.5, "0.5"), (1e300, "1e+300"), ([], "[]"),
        ([:], "{}"), ([1, "a", [nil]], #"[1,"a",[null]]"#), (["b": 1, "a": [:]], #"{"b":1,"a":{}}"#),
        ("\"\\/\u{8}\u{9}\u{A}\u{C}\u{D}", #""\"\\/\b\t\n\f\r""#),
        ("\u{0}\u{1F}\u{7F}é日🚀", "\"\\u0000\\u001f\u{7F}é日🚀\""),
        ("\u{2028}<>&'", "\"\u{2028}<>&'\""), (["\n": "\\"], #"{"\n":"\\"}"#),
    ]

    @Test(arguments: texts)
    func writesOneLine(value: JSONValue, text: String) throws {
        #expect(value.jsonText() == text)
        #expect("\(value)" == text)
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test func writesPrettyPrintedText() throws {
        let value: JSONValue = ["b": [1, 2, ["c": nil]], "a": [:], "d": [], "e": "x"]
        let text = """
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
        #expect(value.jsonText(prettyPrinted: true) == text)
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test func sortsNamesAtEveryDepth() {
        let value: JSONValue = ["b": ["z": 1, "y": 2], "a": [["d": 1, "c": 2]]]
        #expect(value.jsonText(sortedKeys: true) == #"{"a":[{"c":2,"d":1}],"b":{"y":2,"z":1}}"#)
        #expect(value.jsonText() == #"{"b":{"z":1,"y":2},"a":[{"d":1,"c":2}]}"#)
    }
}

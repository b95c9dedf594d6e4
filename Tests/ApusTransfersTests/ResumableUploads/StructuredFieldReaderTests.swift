internal import Testing

@testable internal import ApusTransfers

@Suite struct StructuredFieldReaderTests {
    @Test(
        arguments: [
            ("0", 0), ("100", 100), (" 7 ", 7), ("-5", -5), ("007", 7), ("999999999999999", 999_999_999_999_999),
            ("5;a", 5), ("5; a=1;b=?0;c=\"x\";d=tok", 5),
        ] as [(String, Int64)]
    )
    func readsIntegers(text: String, number: Int64) {
        #expect(StructuredFieldReader.item(text) == .integer(number))
    }

    @Test(arguments: [("?1", true), ("?0", false), ("?1;a=2", true)]) func readsBooleans(text: String, flag: Bool) {
        #expect(StructuredFieldReader.item(text) == .boolean(flag))
    }

    @Test(
        arguments: [
            "1.5", "-0.125", "\"\"", "\"a \\\" \\\\ b\"", "token", "*to/k:en", ":aGk=:", "::", "@1659578233",
            "%\"a%c3%bc\"",
        ]
    )
    func skipsValuesOfOtherTypes(text: String) {
        #expect(StructuredFieldReader.item(text) == .other)
    }

    @Test(
        arguments: [
            "", " ", "\t5", "5 5", "5, 5", "5,", "1000000000000000", "99999999999999999999", "-", "--5", "+5", "0x5",
            "5.",
            "5.1234", "1234567890123.1", ".5", "?", "?2", "?true", "\"", "\"a", "\"\\a\"", "\"\u{7F}\"", ":a", ":ä:",
            "@a",
            "@1.5", "%", "%\"", "%\"%C3\"", "%\"%c\"", "ä", "(5)", "5;", "5;A", "5;a=", "５",
        ]
    )
    func rejectsInvalidItems(text: String) {
        #expect(StructuredFieldReader.item(text) == nil)
    }

    @Test func readsDictionaries() {
        #expect(StructuredFieldReader.dictionary("") == [:])
        #expect(StructuredFieldReader.dictionary(" a=1 ,\tb=2 ") == ["a": .integer(1), "b": .integer(2)])
        #expect(
            StructuredFieldReader.dictionary("a, b;x=1, c=?0, *d-_.1=\"t,u\", e=(1 ?1 \"x\");y, f=()")
                == [
                    "a": .boolean(true), "b": .boolean(true), "c": .boolean(false), "*d-_.1": .other, "e": .other,
                    "f": .other,
                ]
        )
        #expect(StructuredFieldReader.dictionary("a=1, a=2") == ["a": .integer(2)])
    }

    @Test(
        arguments: [
            "A=1", "1=1", "a=1,", "a=1,,b=2", ",", "a=1 b=2", "a=", "a =1", "a=(1", "a=(1,2)", "a=(1\t2)", "a=(1\"x\")",
            "=1",
        ]
    )
    func rejectsInvalidDictionaries(text: String) {
        #expect(StructuredFieldReader.dictionary(text) == nil)
    }

    @Test func rejectsLongValues() {
        let limit = StructuredFieldReader.limitBytes
        #expect(StructuredFieldReader.item("5" + String(repeating: " ", count: limit - 1)) == .integer(5))
        #expect(StructuredFieldReader.item("5" + String(repeating: " ", count: limit)) == nil)
    }

    /// No input traps: every text of few bytes out of those that matter.
    @Test func survivesEachShortText() {
        let bytes = Array("a1-?;=(),\"\\:@%*. \u{E4}".unicodeScalars)
        var texts = [""]
        for _ in 0..<3 { texts = texts.flatMap { text in bytes.map { text + String($0) } } }
        for text in texts {
            _ = StructuredFieldReader.item(text)
            _ = StructuredFieldReader.dictionary(text)
        }
    }
}

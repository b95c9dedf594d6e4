internal import Apus
internal import Testing

@testable internal import ApusJSON

@Suite struct ExcerptTests {
    static let excerpts: [(text: String, shown: String)] = [
        ("", ""), ("name", "name"), ("naïve 你好 it's", "naïve 你好 it's"), ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u{1B}[31m\u{0}\u{7F}\u{9B}", "\\u{1B}[31m\\0\\u{7F}\\u{009B}"),
        ("a\u{202E}b\u{2028}", "a\\u{202E}b\\u{2028}"),
        (String(repeating: "x", count: 40), String(repeating: "x", count: 40)),
        (String(repeating: "x", count: 41), String(repeating: "x", count: 40) + "…"),
        (String(repeating: "\n", count: 41), String(repeating: "\\n", count: 40) + "…"),
        // A single character of any length.
        ("e" + String(repeating: "\u{301}", count: 5000), "e" + String(repeating: "\u{301}", count: 39) + "…"),
    ]

    @Test(arguments: excerpts) func cutsAndEscapes(text: String, shown: String) {
        #expect(Array(Excerpt.of(text).unicodeScalars) == Array(shown.unicodeScalars))
        #expect(Array(Excerpt.quoted(text).unicodeScalars) == Array("'\(shown)'".unicodeScalars))
        #expect(Array(Excerpt.quoted(utf8: text.utf8).unicodeScalars) == Array("'\(shown)'".unicodeScalars))
        #expect(Excerpt.of(text[...]) == Excerpt.of(text))
    }

    @Test func cutsBytesBetweenCharacters() {
        #expect(
            Excerpt.quoted(utf8: Array(String(repeating: "你", count: 41).utf8))
                == "'\(String(repeating: "你", count: 40))…'"
        )
        #expect(Excerpt.quoted(utf8: [0x61, 0xFF]) == "'a\u{FFFD}'")
    }

    @Test func showsAPath() {
        func keys(_ names: [String]) -> [any CodingKey] { names.map { CodingPathKey(stringValue: $0) } }
        #expect(Excerpt.path([]) == "")
        #expect(Excerpt.path(keys(["users"]) + [CodingPathKey(intValue: 2)] + keys(["name"])) == "users[2].name")
        #expect(Excerpt.path([CodingPathKey(intValue: 0)]) == "[0]")
        #expect(
            Excerpt.path(keys(["a\nb", String(repeating: "c", count: 50)]))
                == "a\\nb.\(String(repeating: "c", count: 40))…"
        )
        #expect(
            Excerpt.path(keys(Array(repeating: "d", count: 17))) == Array(repeating: "d", count: 16).joined(
                separator: "."
            ) + "…"
        )
    }

    @Test func cutsSentencesLater() {
        let text = String(repeating: "word ", count: 200)
        #expect(Excerpt.sentence(text).unicodeScalars.count == Excerpt.sentenceLimit + 1)
        #expect(Excerpt.sentence("one\ntwo") == "one\\ntwo")
    }
}

internal import ApusCore
internal import ApusDiagnostics
import Testing

@testable import ApusCore

@Suite struct ShellTextTests {
    @Test(arguments: [
        ("", "''"), ("a b", "'a b'"), ("it's", #"'it'\''s'"#), ("'", #"''\'''"#),
        ("$HOME `id` \"x\" \\ !", #"'$HOME `id` "x" \ !'"#),
        ("a\nb\tc\n", "'a\nb\tc\n'"), ("-x", "'-x'"), ("ü🚀", "'ü🚀'"),
        // Control characters for terminals, and a trailing line feed, which a substitution would remove.
        ("\u{1B}[2J", #""$(printf '\033')"'[2J'"#),
        ("a\u{9B}\u{202E}\n", #"'a'"$(printf '\302\233\342\200\256')"'"# + "\n'"),
        ("\r\n", #""$(printf '\015')"'"# + "\n'"), ("\u{7F}", #""$(printf '\177')""#),
    ])
    func quotesWords(text: String, expected: String) {
        #expect(ShellText.word(Array(text.utf8)) == expected)
    }

    @Test func quotesInvalidUTF8() {
        #expect(ShellText.word([0x61, 0xFF, 0xC3, 0x62, 0x0A]) == #"'a'"$(printf '\377\303')"'b"# + "\n'")
        #expect(ShellText.word([0xC3, 0xBC, 0x80]) == #""$(printf '\303\274\200')""#)
    }

    @Test(arguments: [
        ("", "printf ''"), ("-a-%s\\'\n\t", #"printf '\055a-%%s\\\047\n\t'"#),
        ("\u{0}1\u{1B}ü", #"printf '\0001\033\303\274'"#),
    ])
    func writesACommandThatPrintsBytes(text: String, expected: String) {
        #expect(ShellText.printing(Array(text.utf8)) == expected)
    }
}

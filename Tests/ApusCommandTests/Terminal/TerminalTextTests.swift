import Apus
import Testing

@testable import ApusCommand

@Suite struct TerminalTextTests {
    private func shown(_ bytes: [UInt8], pieces: Int = .max) -> String {
        var filter = TerminalText()
        var output: [UInt8] = []
        var remaining = bytes[...]
        while !remaining.isEmpty {
            filter.append(remaining.prefix(pieces), to: &output)
            remaining = remaining.dropFirst(pieces)
        }
        filter.finish(into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: [
        ("plain text\twith a tab\nand a line", "plain text\twith a tab\nand a line"),
        ("grüße 日本 👩‍🚀", "grüße 日本 👩‍🚀"),
        ("\u{1B}[2J\u{1B}]0;title\u{7}", #"\u001b[2J\u001b]0;title\u0007"#),
        ("a\rb", #"a\u000db"#),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\r", #"a\u000d"#),
        ("a\u{8}b\u{7F}", #"a\u0008b\u007f"#),
        ("\u{9B}31m", #"\u009b31m"#),
        ("\u{85}\u{90}", #"\u0085\u0090"#),
        ("\u{202E}evil\u{2066}\u{200F}\u{61C}\u{2028}", #"\u202eevil\u2066\u200f\u061c\u2028"#),
        ("\0", #"\u0000"#),
    ])
    func escapesControlCharacters(text: String, expected: String) {
        #expect(shown(Array(text.utf8)) == expected)
        // The division into pieces does not matter.
        for pieces in 1...3 { #expect(shown(Array(text.utf8), pieces: pieces) == expected) }
    }

    @Test(
        arguments: [
            ([0x9B, 0x33], "\u{FFFD}3"),
            ([0x61, 0xC3], "a\u{FFFD}"),
            ([0xE2, 0x82, 0x41], "\u{FFFD}A"),
            ([0xE2, 0x82, 0x1B], "\u{FFFD}\\u001b"),
            ([0xC0, 0x9B], "\u{FFFD}\u{FFFD}"),
            ([0xC1, 0x9B, 0x41], "\u{FFFD}\u{FFFD}A"),
            ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xE0, 0x82, 0x9B], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xF0, 0x9F, 0x98, 0x80], "😀"),
            ([0xFF, 0xFE], "\u{FFFD}\u{FFFD}"),
        ] as [([UInt8], String)]
    )
    func replacesInvalidUTF8(bytes: [UInt8], expected: String) {
        #expect(shown(bytes) == expected)
        #expect(shown(bytes, pieces: 1) == expected)
    }

    @Test func escapesControlsInRandomBytes() {
        var state: UInt64 = 7
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<40 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(UInt8(truncatingIfNeeded: state >> 40))
            }
            let text = shown(bytes)
            let isSafe = text.unicodeScalars.allSatisfy { !ControlCharacters.steers($0.value) }
            #expect(isSafe)
            #expect(shown(bytes, pieces: 7) == text)
        }
    }

    @Test func keepsALineOnOneLine() {
        #expect(TerminalText.line("a\nb\r\nc\u{1B}") == #"a\u000ab\u000d\u000ac\u001b"#)
    }
}

internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(1))) struct LinkParserTests {
    /// Returns the links as texts: `reference|name=value|…`.
    private func parse(_ value: [UInt8]) -> [String] {
        var parser = LinkParser(value)
        var links: [String] = []
        while let link = parser.next() {
            let parameters = link.parameters.map { "|\($0.name)=\($0.value)" }.joined()
            links.append(String(decoding: link.reference, as: UTF8.self) + parameters)
        }
        return links
    }

    private static let valid: [(String, [String])] = [
        ("", []), ("   ", []), (",,\t,", []), ("<a>", ["a"]), ("<>", [""]), ("<a>,<b>", ["a", "b"]),
        (#"<a>; rel="next", <b>; rel="last""#, ["a|rel=next", "b|rel=last"]),
        (#"<a>;rel=next;type=text/html,<b>;rel=prev"#, ["a|rel=next|type=text/html", "b|rel=prev"]),
        (#"<a,b;c> ; REL = "next start" ; title = "a, \"b\"; c""#, [#"a,b;c|rel=next start|title=a, "b"; c"#]),
        (#"<a>; crossorigin; rel=next"#, ["a|crossorigin=|rel=next"]),
        (#"<a>; title*=UTF-8''%e2%82%ac; rel=x"#, ["a|title*=UTF-8''%e2%82%ac|rel=x"]),
        (#"<a>; rel=next; rel=prev"#, ["a|rel=next|rel=prev"]),
        (#"<a>; rel="", <b>"#, ["a|rel=", "b"]),
    ]

    @Test(arguments: valid) func readsLinks(value: String, expected: [String]) {
        #expect(parse(Array(value.utf8)) == expected)
    }

    private static let invalid: [(String, [String])] = [
        ("a, <b>", ["b"]), ("<a", []), ("<a>; rel=\"next", ["a|rel=next"]), ("<a>; rel=\"next\\", ["a|rel=next\\"]),
        ("<a> junk; rel=next, <b>", ["a", "b"]), ("<a>;;; rel=next", ["a|rel=next"]),
        ("<a>; =x; rel=next", ["a|rel=next"]),
        ("<a>; rel=\"next\"junk, <b>", ["a|rel=next", "b"]), ("<a>; rel", ["a|rel="]), ("<a>; rel=", ["a|rel="]),
        ("<a>;", ["a"]), ("<a><b>, <c>", ["a", "c"]), ("\"<a>\", <b>", ["b"]),
    ]

    @Test(arguments: invalid) func skipsInvalidParts(value: String, expected: [String]) {
        #expect(parse(Array(value.utf8)) == expected)
    }

    @Test func acceptsAnyBytes() {
        #expect(parse([0x3C, 0xFF, 0x3E, 0x3B, 0xFE, 0x3D, 0xFD]) == ["\u{FFFD}|\u{FFFD}=\u{FFFD}"])
    }

    @Test(arguments: ["<", "<>", "<a>;", "<a>;a=\"", ",", "\"", "<a>;a=\"\\", "; ", "<a>,"])
    func takesLinearTime(piece: String) {
        // Quadratic time would take minutes.
        let value = Array(String(repeating: piece, count: 100_000).utf8)
        #expect(parse(value).count <= 100_000)
    }
}

import Testing

@testable import ApusCommand

@Suite struct NestedKeyTests {
    @Test(arguments: [
        ("", [NestedKey.Step.member("")]), ("a", [.member("a")]), ("[]", [.append]), ("[3]", [.element(3)]),
        ("a[b][0][]", [.member("a"), .member("b"), .element(0), .append]),
        (#"a\[b[\]]"#, [.member("a[b"), .member("]")]), (#"a\"#, [.member(#"a\"#)]),
        ("a[+1]", [.member("a"), .element(1)]),
        ("a[65535]", [.member("a"), .element(65535)]), ("a[1x]", [.member("a"), .member("1x")]),
        ("a[-]", [.member("a"), .member("-")]),
    ])
    func splitsNames(name: String, steps: [NestedKey.Step]) throws {
        #expect(try NestedKey(name).steps == steps)
    }

    @Test(arguments: [
        ("A[", "ends at character 3, where a text, a number or ']'"), ("A[1", "ends at character 4, where ']'"),
        ("A[text", "ends at character 7, where ']'"), ("A[text][", "ends at character 9, where a text"),
        ("A[text]1", "has '1' at character 8, where '['"), (#"A\[]"#, "has ']' at character 4, where '['"),
        (#"A[b\]"#, "ends at character 6, where ']'"), (#"f\[b\]\\[   x"#, "ends at character 14, where ']'"),
        ("f[b][1]][]", "has ']' at character 8, where '['"), ("f[b][1]x[]", "has 'x' at character 8, where '['"),
        ("f[b][1][12[]", "has '[' at character 11, where ']'"), ("]", "has ']' at character 1, where a text or '['"),
        ("[a]", "has 'a' at character 2, where a number or ']'"), ("[", "ends at character 2, where a number or ']'"),
        ("a[[", "has '[' at character 3, where a text, a number or ']'"), ("é[", "ends at character 3"),
        ("a[-1]", "has the index -1 at character 3"), ("a[65536]", "has the index 65536 at character 3"),
        ("a[99999999999999999999]", "has the index 99999999999999999999 at character 3"),
    ])
    func reportsThePositionOfAnError(name: String, expected: String) {
        let fault = #expect(throws: CommandFault.self) { try NestedKey(name) }
        #expect(fault?.sentence.contains("the name '\(name)' \(expected)") == true, "\(fault?.sentence ?? "")")
    }

    @Test func neverTraps() {
        let letters = Array(#"a1-\[]é"#)
        var state: UInt64 = 7
        for _ in 0..<20_000 {
            var name = ""
            for _ in 0..<9 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                name.append(letters[Int(state >> 33) % letters.count])
            }
            guard let key = try? NestedKey(name) else { continue }
            #expect(key.steps.indices.map(key.text).joined() == name)
        }
    }
}

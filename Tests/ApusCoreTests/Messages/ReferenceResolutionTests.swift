internal import Testing

@testable internal import ApusCore

/// The examples of RFC 3986 §5.4, with the base `http://a/b/c/d;p?q`. Fragments are dropped: they are never sent.
@Suite struct ReferenceResolutionTests {
    @Test(arguments: [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"),
        ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
    ])
    func resolvesNormalExamples(reference: String, expected: String) throws {
        #expect(try TargetURI("http://a/b/c/d;p?q").resolving(reference).uri == expected)
    }

    @Test(arguments: [
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g"),
        ("g#s/../x", "http://a/b/c/g"),
    ])
    func resolvesAbnormalExamples(reference: String, expected: String) throws {
        #expect(try TargetURI("http://a/b/c/d;p?q").resolving(reference).uri == expected)
    }

    /// `g:h` has another scheme, and `http:g` has no host in strict parsing. Neither is a valid target.
    @Test(arguments: ["g:h", "http:g", "mailto:a@b", "http://", "//", "//:80/", "http://x:y/", "/a\r\nb", "/\0"])
    func rejectsUnsupportedReferences(reference: String) throws {
        let base = try TargetURI("http://a/b/c/d;p?q")
        #expect(throws: ApusError.self) { try base.resolving(reference) }
    }

    @Test(arguments: [
        ("https://h/a?b", "?c", "https://h/a?c"),
        ("https://h", "x", "https://h/x"),
        ("https://h?q", "x", "https://h/x"),
        ("https://h?q", "", "https://h/?q"),
        ("https://h:8443/a/b", "/c", "https://h:8443/c"),
        ("https://h:8443/a/b", "//i/c", "https://i/c"),
        ("https://[::1]:8443/a", "b?c=/d/../e", "https://[::1]:8443/b?c=/d/../e"),
        ("http://h/a", "HTTPS://I/b", "https://i/b"),
        ("http://h/a/b", "/c//d/../e", "http://h/c//e"),
        ("http://h/a/b", "c d/ü", "http://h/a/c%20d/%C3%BC"),
        ("http://h/?u=/x/y", "z", "http://h/z"),
        ("http://h/a", "b:c/d", nil),
        ("http://h/a", "./b:c/d", "http://h/b:c/d"),
        ("http://h/a", "/\\evil.example/x", "http://h//evil.example/x"),
        ("http://h/a", "\\\\evil.example\\x", "http://h///evil.example/x"),
    ])
    func resolvesTheReferencesOfServers(base: String, reference: String, expected: String?) throws {
        #expect((try? TargetURI(base).resolving(reference))?.uri == expected)
    }

    /// A delimiter and a following combining mark form one character, but the delimiter still counts.
    @Test(arguments: [
        ("/?\u{301}/../x", "http://h/?%CC%81/../x"),
        ("?\u{301}x", "http://h/a/b?%CC%81x"),
        ("/c#\u{301}/../x", "http://h/c"),
        ("c/\u{301}d/../e", "http://h/a/c/e"),
        ("/\u{301}d/../e", "http://h/e"),
        ("http://i?\u{301}/../x", "http://i/?%CC%81/../x"),
    ])
    func findsDelimitersAheadOfCombiningMarks(reference: String, expected: String) throws {
        #expect(try TargetURI("http://h/a/b").resolving(reference).uri == expected)
    }

    /// RFC 3986 §5.2.2 removes the dot segments of every reference.
    @Test(arguments: [
        ("http://h/a/../../b", "http://h/b"),
        ("HTTP://i/a/./b/..", "http://i/a/"),
        ("http://i/..", "http://i/"),
        ("http://i/.", "http://i/"),
        ("http://i", "http://i/"),
        ("http://i?a/../b", "http://i/?a/../b"),
        ("http://i/a?b/../c", "http://i/a?b/../c"),
        ("https://u:p@i:81/a/../b#/../c", "https://i:81/b"),
        ("http://[::1]/a/../b", "http://[::1]/b"),
        ("//i/../b?c/../d", "http://i/b?c/../d"),
        ("//i/a/%2e%2e/b", "http://i/a/%2e%2e/b"),
        ("http://i/a\\..\\b", "http://i/b"),
        ("/a\\..\\b", "http://h/b"),
        ("a/..\\..\\b", "http://h/b"),
    ])
    func removesTheDotSegmentsOfEveryReference(reference: String, expected: String) throws {
        #expect(try TargetURI("http://h/a/b").resolving(reference).uri == expected)
    }
}

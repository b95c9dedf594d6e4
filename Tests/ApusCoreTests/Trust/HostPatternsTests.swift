internal import Testing

@testable internal import ApusCore

@Suite struct HostPatternsTests {
    private static let patterns = [
        "example.org": "exact", "*.example.org": "one", "**.example.org": "any", "*.a.example.org": "below a",
        "**.internal": "internal", "127.0.0.1": "IPv4", "2001:db8::1": "IPv6", "[::1]": "loopback",
        "Bücher.Example": "A-label", "under_score.example": "underscore", "dot.example.": "dot",
    ]

    @Test(
        arguments: [
            ("example.org", "exact"), ("EXAMPLE.org", "exact"), ("example.org.", "exact"), ("www.example.org", "one"),
            ("a.example.org", "one"), ("x.a.example.org", "below a"), ("x.y.a.example.org", "any"),
            ("x.b.example.org", "any"), ("x.internal", "internal"), ("x.y.z.internal", "internal"), ("internal", nil),
            ("example.com", nil), ("notexample.org", nil), ("127.0.0.1", "IPv4"), ("127.0.0.2", nil),
            ("2001:0DB8:0:0::1", "IPv6"), ("[2001:db8::1]", "IPv6"), ("::1", "loopback"),
            ("0:0:0:0:0:0:0:1", "loopback"),
            ("::2", nil), ("xn--bcher-kva.example", "A-label"), ("BÜCHER.example", "A-label"),
            ("under_score.example", "underscore"), ("dot.example", "dot"), ("", nil), (".example.org", nil),
            ("a..example.org", nil), ("*.example.org", nil),
            ("a/b.example.org", nil), ("a:443", nil), ("u@example.org", nil),
        ] as [(String, String?)]
    )
    func areFoundForAHost(host: String, value: String?) throws {
        #expect(try HostPatterns(Self.patterns).value(for: host) == value)
    }

    @Test(arguments: [
        "", "*", "**", "*.", "**.", "a.*.example.org", "a*.example.org", "***.example.org", "*.0.0.1", "*.::1",
        "https://example.org", "example.org:443", "example.org/", "a b", "a..b", ".example.org", "*..example.org",
        "*.*.example.org", "u@example.org", "exa%6Dple.org", "[::1", "::g", "?", "#", "fe80::1%2", "::1%", "::1\0",
    ])
    func areRejectedIfMalformed(pattern: String) {
        let error = #expect(throws: ApusError.self) { try HostPatterns([pattern: 1]) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(arguments: [
        ["a.example", "A.example"], ["a.example", "a.example."], ["*.a.example", "*.A.example"],
        ["**.a.example", "**.a.example."], ["::1", "[0::1]"],
    ])
    func areRejectedIfTwoMeanTheSame(patterns: [String]) {
        let error = #expect(throws: ApusError.self) {
            try HostPatterns(Dictionary(uniqueKeysWithValues: patterns.map { ($0, 1) }))
        }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func canHaveBothWildcards() throws {
        let patterns = try HostPatterns(["*.example": 1, "**.example": 2])
        #expect(patterns.value(for: "a.example") == 1)
        #expect(patterns.value(for: "b.a.example") == 2)
    }
}

internal import Testing

@testable internal import ApusTrust

@Suite struct DNSNameTests {
    private func names(_ name: String, _ host: String) -> Bool {
        guard let name = DNSName(name), let host = DNSName(host) else { return false }
        return host.certificateNames.contains(name)
    }

    @Test(arguments: [
        ("a.example", "A.Example."), ("*.a.example", "b.a.example"), ("*.A.example.", "b.a.EXAMPLE"),
        ("*.a.example", "xn--bcher-kva.a.example"), ("localhost", "localhost"), ("a_b.example", "A_B.example"),
    ])
    func namesTheHost(name: String, host: String) {
        #expect(names(name, host))
    }

    @Test(arguments: [
        ("a.example", "b.a.example"), ("*.a.example", "a.example"), ("*.a.example", "c.b.a.example"),
        ("*.example", "a.example"), ("*", "localhost"), ("*", "a"), ("b*.a.example", "bc.a.example"),
        ("a.*.example", "a.b.example"), ("*.*.example", "a.b.example"), ("*.a.example", "*.a.example"),
        ("a.*.example", "a.*.example"), ("xn--*.a.example", "xn--b.a.example"), ("a.example\0", "a.example"),
    ])
    func doesNotNameTheHost(name: String, host: String) {
        #expect(!names(name, host))
    }

    /// Such a name is none, not even its own.
    @Test(arguments: [
        "", ".", "..", ".a.example", "a..example", "a.example..", "b\u{FC}cher.example",
        // The Kelvin sign and the long s become ASCII letters if their case is changed. The others become ASCII if they
        // are normalized.
        "\u{212A}.a.example", "\u{17F}.a.example", "a\u{37E}.example", "a\u{1FEF}.example", "a\u{3002}example",
    ])
    func isNoName(text: String) {
        #expect(DNSName(text) == nil)
    }
}

internal import Testing

@testable internal import ApusEngine

@Suite struct TLSDNSNamesTests {
    @Test(arguments: [
        ("a.example", "a.example"), ("A.Example", "a.eXample"), ("a.example.", "a.example"),
        ("a.example", "a.example."),
        ("*.a.example", "b.a.example"), ("*.A.example", "b.a.EXAMPLE"), ("localhost", "localhost"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ])
    func matchesHost(name: String, host: String) {
        #expect(TLSDNSNames([name]).contains(host))
    }

    @Test(arguments: [
        ("a.example", "b.example"), ("a.example", "b.a.example"), ("a.example", "example"), ("", "a.example"),
        ("*.a.example", "a.example"), ("*.a.example", "c.b.a.example"), ("*.example", "a.example"), ("*", "localhost"),
        ("*", "a.example"), ("b*.a.example", "bc.a.example"), ("*b.a.example", "cb.a.example"),
        ("a.*.example", "a.b.example"), ("*.*.example", "a.b.example"), ("*.a.example", ".a.example"), ("", ""),
        (".", "."), ("127.0.0.1", "1.0.0.127"), ("a.example\0.b.example", "a.example"),
        // The Kelvin sign and the long s become ASCII letters if their case is changed.
        ("\u{212A}.a.example", "k.a.example"), ("\u{17F}.a.example", "s.a.example"), ("a..example", "a..example"),
        ("*.a.example", "*.a.example"),
    ])
    func rejectsHost(name: String, host: String) {
        #expect(!TLSDNSNames([name]).contains(host))
    }
}

internal import ApusCore
internal import Testing

@testable internal import ApusTrust

@Suite struct IPAddressCertificateHostTests {
    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("[1.2.3.4]", "1.2.3.4"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
        ("0:0:1::", "0:0:1::"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
        ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("::ffff:102:304", "::ffff:1.2.3.4"), ("[::1]", "::1"),
        ("fe80::1%2", "fe80::1"), ("[fe80::1%2]", "fe80::1"), ("fe80::1%", "fe80::1"), ("fe80::1%0", "fe80::1"),
        ("fe80::1%no-such-interface", "fe80::1"), ("::ffff:1.2.3.4%1", "::ffff:1.2.3.4"),
    ])
    func readsAnAddress(text: String, expected: String) {
        #expect(IPAddress(certificateHost: text)?.description == expected)
    }

    @Test(arguments: [
        "", "a.example", "1.2.3", "1.2.3.256", "1.2.3.4.", "01.2.3.4", "01.2.3.4.5", "1:2", ":::", "1.2.3.4\0",
        "::1%\0",
        "[]", "[", "]", "[::1", "::1]", "[[::1]]", "[fe80::1]%2", "1.2.3.4%1", "[1.2.3.4%1]", "%", "%1", "127.1",
        "0x7f.0.0.1", " ::1", "::1 ",
    ])
    func isNoAddress(text: String) {
        #expect(IPAddress(certificateHost: text) == nil)
    }
}

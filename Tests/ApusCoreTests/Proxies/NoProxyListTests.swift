internal import Testing

@testable internal import ApusCore

@Suite struct NoProxyListTests {
    typealias Row = (list: String, host: String, port: Int, isListed: Bool)

    /// The rows up to the first comment agree with curl: `tests/unit/unit1614.c` and the manual's `NO_PROXY`.
    static let rows: [Row] = [
        ("", "example.org", 80, false),
        ("*", "example.org", 80, true),
        ("*", "192.0.2.7", 80, true),
        ("example.org", "example.org", 80, true),
        ("example.org", "www.example.org", 80, true),
        ("example.org", "a.b.example.org", 443, true),
        ("example.org", "notexample.org", 80, false),
        ("example.org", "example.org.evil", 80, false),
        ("example.org", "org", 80, false),
        (".example.org", "example.org", 80, true),
        (".example.org", "www.example.org", 80, true),
        (".example.org", "notexample.org", 80, false),
        ("www.example.org", "example.org", 80, false),
        ("EXAMPLE.org", "example.ORG", 80, true),
        ("example.org.", "example.org", 80, true),
        ("example.org", "example.org.", 80, true),
        ("example.org.", "www.example.org.", 80, true),
        ("localhost,example.org", "example.org", 80, true),
        ("localhost, example.org", "example.org", 80, true),
        ("localhost example.org", "example.org", 80, true),
        ("localhost\texample.org", "localhost", 80, true),
        (",,localhost , ,example.org,", "example.org", 80, true),
        ("localhost,example.org", "example.com", 80, false),
        ("org", "example.org", 80, true),
        ("192.0.2.7", "192.0.2.7", 80, true),
        ("192.0.2.7", "192.0.2.70", 80, false),
        ("192.0.2.7", "192.0.2.8", 80, false),
        ("0.2.7", "192.0.2.7", 80, false),
        ("192.168.0.0/16", "192.168.0.1", 80, true),
        ("192.168.0.0/16", "192.168.255.255", 80, true),
        ("192.168.0.0/16", "192.169.0.1", 80, false),
        ("192.168.0.0/24", "192.168.1.1", 80, false),
        ("10.0.0.0/8", "10.255.0.1", 80, true),
        ("10.0.0.0/8", "11.0.0.1", 80, false),
        ("192.168.1.4/30", "192.168.1.7", 80, true),
        ("192.168.1.4/30", "192.168.1.8", 80, false),
        ("192.168.1.1/32", "192.168.1.1", 80, true),
        ("192.168.1.1/33", "192.168.1.1", 80, false),
        ("192.168.1.1/x", "192.168.1.1", 80, false),
        ("10.0.0.0/8", "10.example.org", 80, false),
        ("::1", "::1", 80, true),
        ("::1", "::2", 80, false),
        ("2001:DB8::7", "2001:db8:0:0:0:0:0:7", 80, true),
        ("2001:db8::/32", "2001:db8:1::1", 80, true),
        ("2001:db8::/32", "2001:db9::1", 80, false),
        ("2001:db8::/129", "2001:db8::", 80, false),
        ("fe80::/10", "febf::1", 80, true),
        ("fe80::/10", "fec0::1", 80, false),
        ("::ffff:192.0.2.7", "192.0.2.7", 80, false),
        // Other notations of an address. curl rewrites them in a URL before it reads the list.
        ("127.0.0.0/8", "127.1", 80, true),
        ("127.0.0.0/8", "0x7f.1", 80, true),
        ("127.0.0.0/8", "0177.0.0.1", 80, true),
        ("127.0.0.0/8", "2130706433", 80, true),
        ("127.0.0.0/8", "128.1", 80, false),
        ("127.0.0.1", "127.1", 80, true),
        ("::1", "0:0:0:0:0:0:0:1", 80, true),
        // In curl such an entry matches nothing, and an address with a dot at the end is a name.
        ("127.1", "127.0.0.1", 80, true),
        ("127.1", "127.1", 80, true),
        ("0x7f.1", "2130706433", 80, true),
        ("0X7F.1:81", "127.0.0.1", 81, true),
        ("127.1", "127.0.0.2", 80, false),
        ("127.0.0.1.", "127.0.0.1", 80, true),
        ("127.0.0.1", "127.0.0.1.", 80, true),
        ("127.1", "example.127.1", 80, false),
        ("10/8", "10.0.0.1", 80, false),
        ("10/8", "0.0.0.10", 80, false),
        ("fe80::1%2", "fe80::1", 80, false),
        ("fe80::1%2/64", "fe80::1", 80, false),
        ("fe80::1", "fe80::1%2", 80, false),
        // Dots at the end of names.
        (".example.org.", "www.example.org", 80, true),
        ("*.example.org.", "www.example.org.", 80, true),
        ("example.org.:8080", "example.org.", 8080, true),
        // Brackets.
        ("[::1]", "::1", 80, true),
        ("[2001:db8::]/32", "2001:db8::9", 80, true),
        ("[::1", "::1", 80, false),
        // Ports, which curl does not know, and Go does.
        ("example.org:8080", "example.org", 8080, true),
        ("example.org:8080", "www.example.org", 8080, true),
        ("example.org:8080", "example.org", 80, false),
        ("192.0.2.7:8080", "192.0.2.7", 8080, true),
        ("192.0.2.7:8080", "192.0.2.7", 80, false),
        ("[::1]:8080", "::1", 8080, true),
        ("[::1]:8080", "::1", 80, false),
        ("example.org:x", "example.org", 80, false),
        ("example.org:70000", "example.org", 70_000, false),
        // A star in a list, as in Go. In curl it must be the whole list.
        ("localhost,*", "example.org", 80, true),
        // A star before a name, as in Go. In curl it matches nothing.
        ("*.example.org", "www.example.org", 80, true),
        ("*.example.org", "example.org", 80, false),
        ("*.example.org:81", "www.example.org", 80, false),
        // All addresses. In curl a network of no bits is the address itself.
        ("0.0.0.0/0", "192.0.2.7", 80, true),
        ("0.0.0.0/0", "::1", 80, false),
        ("0.0.0.0/0", "example.org", 80, false),
        // Malformed entries match nothing, and spare the others.
        ("exa*ple.org,.,/8,[x],localhost", "localhost", 80, true),
        ("exa*ple.org", "example.org", 80, false),
    ]

    @Test(arguments: rows)
    func readsEntries(row: Row) {
        #expect(NoProxyList(row.list).contains(row.host, port: row.port) == row.isListed)
    }

    @Test func isALiteral() {
        let list: NoProxyList = "localhost, 10.0.0.0/8"
        #expect(list == NoProxyList("localhost,10.0.0.0/8"))
        #expect(list.contains("10.1.2.3", port: 1))
    }
}

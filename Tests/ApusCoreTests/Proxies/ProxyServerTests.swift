internal import Testing

@testable internal import ApusCore

@Suite struct ProxyServerTests {
    typealias Row = (url: String, kind: ProxyServer.Kind, host: String, port: Int, user: String?, password: String?)

    /// curl's manual: without a scheme it is an HTTP proxy, and without a port the port is 1080, or 443 over TLS.
    static let valid: [Row] = [
        ("http://proxy.example:3128", .http, "proxy.example", 3128, nil, nil),
        ("http://proxy.example:3128/", .http, "proxy.example", 3128, nil, nil),
        ("http://proxy.example", .http, "proxy.example", 1080, nil, nil),
        ("http://proxy.example:80", .http, "proxy.example", 80, nil, nil),
        ("https://proxy.example", .https, "proxy.example", 443, nil, nil),
        ("https://proxy.example:80", .https, "proxy.example", 80, nil, nil),
        ("socks5://proxy.example", .socks5, "proxy.example", 1080, nil, nil),
        ("socks5h://proxy.example:443", .socks5h, "proxy.example", 443, nil, nil),
        ("SOCKS5H://PROXY.example:9050", .socks5h, "proxy.example", 9050, nil, nil),
        ("proxy.example", .http, "proxy.example", 1080, nil, nil),
        ("proxy.example:8080", .http, "proxy.example", 8080, nil, nil),
        ("localhost:8080", .http, "localhost", 8080, nil, nil),
        ("127.0.0.1:8080", .http, "127.0.0.1", 8080, nil, nil),
        ("[::1]:8080", .http, "::1", 8080, nil, nil),
        ("http://[2001:DB8::1]", .http, "2001:db8::1", 1080, nil, nil),
        ("http://ada:secret@proxy.example:1", .http, "proxy.example", 1, "ada", "secret"),
        ("ada:secret@proxy.example:1", .http, "proxy.example", 1, "ada", "secret"),
        ("http://ada@proxy.example:1", .http, "proxy.example", 1, "ada", ""),
        ("http://a%3Ada:s%40cr%2Fet@proxy.example:1", .http, "proxy.example", 1, "a:da", "s@cr/et"),
        ("http://ada:s@cret@proxy.example:1", .http, "proxy.example", 1, "ada", "s@cret"),
        ("http://@proxy.example:1", .http, "proxy.example", 1, nil, nil),
        ("http://proxy.example:3128/ignored?x=y#z", .http, "proxy.example", 3128, nil, nil),
        ("http://proxy.example:65535", .http, "proxy.example", 65_535, nil, nil),
        ("http://proxy.example:", .http, "proxy.example", 1080, nil, nil),
    ]

    @Test(arguments: valid)
    func readsURLs(row: Row) throws {
        let server = try ProxyServer(row.url)
        #expect(server.kind == row.kind)
        #expect(server.host == row.host)
        #expect(server.port == row.port)
        #expect(server.user == row.user)
        #expect(server.password == row.password)
        #expect(server.authentication == .basic)
    }

    @Test(arguments: [
        "", "http://", "socks4://proxy.example", "socks://proxy.example", "ftp://proxy.example", "://proxy.example",
        "http://proxy.example:0", "http://proxy.example:65536", "http://proxy.example:x", "http://pro xy:1",
        "http://[::1:8080", "http://proxy.example\r\n:80", "http://:3128",
    ])
    func rejectsURLs(url: String) {
        let error = #expect(throws: ApusError.self) { try ProxyServer(url) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(arguments: [
        "http://ada:secret@proxy.example:x", "ada:secret://proxy.example", "http://ada:secret@", "ada:secret@pro xy",
    ])
    func hidesCredentialsInErrors(url: String) {
        let error = #expect(throws: ApusError.self) { try ProxyServer(url) }
        #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test func hidesCredentialsInDescriptions() throws {
        let server = try ProxyServer("http://ada:secret@[::1]:3128")
        #expect("\(server)" == "http://[::1]:3128")
        #expect(String(reflecting: server) == "http://[::1]:3128")
        var dumped = ""
        dump(server, to: &dumped)
        #expect(!dumped.contains("secret"))
        #expect(!dumped.contains("ada"))
    }

    @Test func differsByItsCredentials() throws {
        let server = try ProxyServer("http://ada:secret@h:1")
        #expect(server == ProxyServer(host: "H", port: 1, user: "ada", password: "secret"))
        #expect(server != ProxyServer(host: "h", port: 1, user: "ada", password: "other"))
        #expect(server != ProxyServer(host: "h", port: 1))
        #expect(server != (try ProxyServer("http://ada:secret@h:1", authentication: .digest)))
    }

    /// Some proxies take a token as the user.
    @Test func namesAUserThatIsNoToken() {
        func shown(_ user: String, password: String?) -> String {
            ProxyServer(host: "p", user: user, password: password).shownUser
        }
        #expect(shown("ada", password: "sesame") == "the user 'ada'")
        #expect(shown("a\nb", password: "sesame").contains("\n") == false)
        #expect(shown("x7Gh2kLq9Zt4Wv1Bn8Rm3Yc6", password: "sesame") == "its user")
        #expect(shown("k3y9f0a1", password: nil) == "its user")
        #expect(shown("k3y9f0a1", password: "") == "its user")
        #expect(ProxyServer(host: "p").shownUser == "its user")
    }
}

internal import Apus
internal import Testing

@testable internal import ApusCookies

@Suite struct CookieScopeTests {
    @Test(arguments: [
        ("example.org", "example.org", true), ("www.example.org", "example.org", true),
        ("a.b.example.org", "example.org", true),
        ("example.org", "www.example.org", false), ("badexample.org", "example.org", false),
        ("example.org", "example.com", false), ("example.org.", "example.org", false), ("example.org", "", false),
        ("www.example.org.", "example.org.", true), ("example.org", ".example.org", false),
        ("org", "example.org", false),
        // An IP address has no subdomains, in any notation.
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "0.0.1", false), ("1.127.0.0.1", "127.0.0.1", false),
        ("a.0x7f", "0x7f", false), ("::1", "::1", true), ("1::1", "::1", false), ("www.2.example", "2.example", true),
        ("a.1e100.net", "1e100.net", true), ("localhost", "localhost", true), ("app.localhost", "localhost", true),
    ])
    func matchesAHostWithADomain(host: String, domain: String, matches: Bool) {
        #expect(CookieScope.host(host, matches: domain) == matches)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
        ("/a/b", "/a/", true), ("/a", "/a/", false), ("/ab", "/a", false), ("/b", "/a", false), ("/A", "/a", false),
        ("/a%2Fb", "/a", false), ("/a?b", "/a", true), ("/a?/b", "/a/b", false), ("/?a", "/", true),
        ("/a/b?c=/d", "/a", true),
        ("/a//b", "/a/", true),
    ])
    func matchesAPath(path: String, cookiePath: String, matches: Bool) throws {
        let target = try TargetURI("http://h" + path)
        #expect(CookieScope.path(CookieScope.path(of: target), matches: cookiePath) == matches)
    }

    @Test(arguments: [
        ("http://h", "/"), ("http://h/", "/"), ("http://h/a", "/"), ("http://h/a/", "/a"), ("http://h/a/b", "/a"),
        ("http://h/a/b/", "/a/b"), ("http://h/?a/b", "/"), ("http://h/a/b?c/d", "/a"), ("http://h//", "/"),
        ("http://h/%20/b", "/%20"),
    ])
    func knowsTheDefaultPath(uri: String, path: String) throws {
        #expect(CookieScope.defaultPath(of: try TargetURI(uri)) == path)
    }

    @Test(arguments: [
        ("https://example.org/", true), ("http://example.org/", false), ("http://localhost:8080/", true),
        ("http://127.0.0.1/", true), ("http://127.255.3.4/", true), ("http://[::1]/", true),
        // A name server may have any address for it.
        ("http://app.localhost/", false),
        ("http://notlocalhost/", false), ("http://localhost.example.org/", false), ("http://127.example.org/", false),
        ("http://127.0.0.example/", false), ("http://128.0.0.1/", false), ("http://[::2]/", false),
        ("http://127.0.0.1.example/", false),
    ])
    func treatsTLSAndLoopbackAsSecure(uri: String, isSecure: Bool) throws {
        let origin = try TargetURI(uri).origin
        #expect(CookieScope.isSecure(origin) == isSecure)
        #expect(CookieScope.isSecure(origin, isDirect: false) == (origin.scheme == .https))
    }
}

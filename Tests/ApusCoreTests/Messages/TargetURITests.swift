internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite struct TargetURITests {
    @Test(arguments: [
        ("http://example.org", "http://example.org/"),
        ("https://example.org/", "https://example.org/"),
        ("HTTP://EXAMPLE.ORG/Path", "http://example.org/Path"),
        ("hTTpS://example.org/", "https://example.org/"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/x", "https://example.org/x"),
        ("http://example.org:443/", "http://example.org:443/"),
        ("https://example.org:80/", "https://example.org:80/"),
        ("http://example.org:/x", "http://example.org/x"),
        ("http://example.org:0/", "http://example.org:0/"),
        ("http://example.org:00080/", "http://example.org/"),
        ("http://example.org:65535/", "http://example.org:65535/"),
        ("http://127.0.0.1:8080/a?b=c", "http://127.0.0.1:8080/a?b=c"),
        ("http://under_score.example/", "http://under_score.example/"),
        ("http://example.org./", "http://example.org./"),
        ("http://xn--bcher-kva.de/", "http://xn--bcher-kva.de/"),
    ])
    func parsesSchemeHostAndPort(uri: String, expected: String) throws {
        #expect(try TargetURI(uri).uri == expected)
    }

    @Test(arguments: [
        ("http://[::1]/", "http://[::1]/", "::1"),
        ("http://[::1]", "http://[::1]/", "::1"),
        ("http://[::1]:80/", "http://[::1]/", "::1"),
        ("http://[::1]:/x", "http://[::1]/x", "::1"),
        ("http://[2001:DB8::A]:8080/x", "http://[2001:db8::a]:8080/x", "2001:db8::a"),
        ("https://[::ffff:192.0.2.1]/", "https://[::ffff:192.0.2.1]/", "::ffff:192.0.2.1"),
        ("http://user:pw@[::1]:81/", "http://[::1]:81/", "::1"),
    ])
    func removesTheBracketsOfIPv6Addresses(uri: String, expected: String, host: String) throws {
        let target = try TargetURI(uri)
        #expect(target.uri == expected)
        #expect(target.origin.host == host)
    }

    @Test(arguments: [
        ("http://example.org?q=1", "/?q=1"),
        ("http://example.org#f", "/"),
        ("http://example.org/a#f?g", "/a"),
        ("http://example.org/a?b#c", "/a?b"),
        ("http://example.org/a?#", "/a?"),
        ("http://example.org//a//", "//a//"),
        ("http://example.org/a b", "/a%20b"),
        ("http://example.org/a?b c", "/a?b%20c"),
        ("http://example.org/ü?q=é", "/%C3%BC?q=%C3%A9"),
        ("http://example.org/🦅", "/%F0%9F%A6%85"),
        ("http://example.org/%7euser/%2F", "/%7euser/%2F"),
        ("http://example.org/100%", "/100%"),
        ("http://example.org/\"<>^`{|}", "/%22%3C%3E%5E%60%7B%7C%7D"),
        ("http://example.org/a;b=c,d!$&'()*+:@~-._", "/a;b=c,d!$&'()*+:@~-._"),
        ("http://example.org/?a=b?c=d&e[]=f", "/?a=b?c=d&e[]=f"),
        ("http://example.org/a\\b?c\\d", "/a/b?c%5Cd"),
        ("http://example.org\\@evil.example/", "/@evil.example/"),
        ("http://example.org/@evil.example", "/@evil.example"),
        ("http://example.org/a\u{85}b", "/a%C2%85b"),
    ])
    func encodesPathAndQuery(uri: String, path: String) throws {
        let target = try TargetURI(uri)
        #expect(target.path == path)
        #expect(target.origin.host == "example.org")
    }

    @Test(arguments: [
        ("https://bücher.de/", "https://xn--bcher-kva.de/"),
        ("http://BÜCHER.de:8080/ü?x=y z", "http://xn--bcher-kva.de:8080/%C3%BC?x=y%20z"),
        ("http://bücher.de/a%20b/100%?q=%zz", "http://xn--bcher-kva.de/a%20b/100%?q=%zz"),
        ("http://日本語.jp", "http://xn--wgv71a119e.jp/"),
        ("http://ex%61mple.org/", "http://example.org/"),
        ("http://b%C3%BCcher.de/", "http://xn--bcher-kva.de/"),
        ("http://ｅｘａｍｐｌｅ.org/", "http://example.org/"),
    ])
    func encodesInternationalHosts(uri: String, expected: String) throws {
        #expect(try TargetURI(uri).uri == expected)
    }

    @Test func keepsUserInformationOfAnInternationalHost() throws {
        let target = try TargetURI("http://jürgen:sesame@bücher.de/")
        #expect(target.userInformation?.user == "jürgen")
        #expect(target.userInformation?.password == "sesame")
        #expect(target.origin.host == "xn--bcher-kva.de")
    }

    @Test(arguments: [
        "", "example.org", "/path", "//example.org/", "localhost:8080/x", "localhost:", " http://example.org/", "://x/",
        "?", "#", "http", "ht tp://x/",
    ])
    func rejectsURIsWithoutAScheme(uri: String) {
        expectRefusal(of: uri, "needs a scheme")
    }

    @Test func suggestsABaseURLForARelativeURL() {
        let error = #expect(throws: ApusError.self) { try TargetURI("/path") }
        #expect(error?.hint?.contains("configuration.baseURL") == true)
        let other = #expect(throws: ApusError.self) { try TargetURI("ftp://example.org/") }
        #expect(other?.hint == nil)
    }

    @Test(arguments: ["ftp://example.org/", "file:///etc/passwd", "javascript:alert(1)", "ws://example.org/", "h2:x"])
    func rejectsOtherSchemes(uri: String) {
        expectRefusal(of: uri, "is not supported")
    }

    @Test(arguments: [
        "http://", "http:///x", "http://:80/", "http://user@/", "http://user:pw@:80/", "http://?x", "http://#x",
        "http:example.org", "http:/example.org", "https:\\\\example.org/",
    ])
    func rejectsURIsWithoutAHost(uri: String) {
        expectRefusal(of: uri, "has no host")
    }

    @Test(arguments: [
        "http://exa mple.org/", "http://exa<mple.org/", "http://example.org|evil/", "http://[::1/", "http://[]/",
        "http://[::1]x/", "http://[::g]/", "http://[fe80::1%25eth0]/", "http://a*b/", "http://a;b/", "http://a,b/",
        "http://a\"b/",
    ])
    func rejectsHostsWithInvalidCharacters(uri: String) {
        expectRefusal(of: uri, "host has an invalid character")
    }

    @Test(arguments: [
        "http://ex%2Fample.org/", "http://ex%00ample.org/", "http://ex%40ample.org/", "http://%zz/", "http://%/",
        "http://ex／ample.org/", "http://%20/", "http://a%3A80/",
    ])
    func rejectsHostsThatCannotBeEncoded(uri: String) {
        expectRefusal(of: uri, "")
    }

    @Test(arguments: [
        "http://example.org:8o/", "http://example.org:65536/", "http://example.org:-1/", "http://example.org:+80/",
        "http://example.org:99999999999999999999999/", "http://[::1]:x/", "http://a:b:80/", "http://example.org:80:81/",
        "http://example.org:８０/",
    ])
    func rejectsInvalidPorts(uri: String) {
        expectRefusal(of: uri, "port is not a number")
    }

    @Test(arguments: [
        ("http://example.org/\r\nHost: evil", 19), ("http://example.org/\0", 19), ("http://example.org/\u{7F}", 19),
        ("http://exam\tple.org/", 11), ("\nhttp://example.org/", 0), ("http://example.org/a#\u{1}", 21),
    ])
    func rejectsControlCharactersWithTheirPosition(uri: String, offset: Int) {
        expectRefusal(of: uri, "control character at byte \(offset)")
    }

    @Test(arguments: [
        ("http://user:pw@h/", "user", "pw"), ("http://user@h/", "user", ""), ("http://:pw@h/", "", "pw"),
        ("http://u:p:q@h/", "u", "p:q"), ("http://a@b:c@h/", "a@b", "c"),
        ("http://us%65r:p%40%3A%2f@h/", "user", "p@:/"),
        ("http://%zz:%4@h/", "%zz", "%4"), ("http://ü:é@h/", "ü", "é"),
    ])
    func decodesUserInformation(uri: String, user: String, password: String) throws {
        let target = try TargetURI(uri)
        #expect(target.userInformation?.user == user)
        #expect(target.userInformation?.password == password)
        #expect(target.uri == "http://h/")
        #expect(!"\(target)".contains(password) || password.isEmpty)
    }

    @Test(arguments: ["http://h/", "http://@h/", "http://:@h/"])
    func ignoresEmptyUserInformation(uri: String) throws {
        #expect(try TargetURI(uri).userInformation == nil)
    }

    @Test func doesNotShowAPasswordWhenPrinted() throws {
        let target = try TargetURI("http://user:sesame@h/")
        let information = try #require(target.userInformation)
        #expect(!"\(target) \(information) \(String(reflecting: information))".contains("sesame"))
    }

    @Test(arguments: [
        ("http://h/", "/?a=b"), ("http://h/?", "/?a=b"), ("http://h/?c", "/?c&a=b"), ("http://h/?c=d&", "/?c=d&a=b"),
        ("http://h/x?c=d", "/x?c=d&a=b"), ("http://h", "/?a=b"),
    ])
    func addsQueryItems(uri: String, path: String) throws {
        #expect(try TargetURI(uri).adding(query: [URLQueryItem(name: "a", value: "b")]).path == path)
    }

    @Test func encodesAllButUnreservedCharactersInQueryItems() throws {
        let items = [
            URLQueryItem(name: "a b", value: "c&d=e+f/g?h#i"), URLQueryItem(name: "flag", value: nil),
            URLQueryItem(name: "ü", value: ""), URLQueryItem(name: "x", value: "-._~"),
        ]
        let target = try TargetURI("http://h/").adding(query: items)
        #expect(target.path == "/?a%20b=c%26d%3De%2Bf%2Fg%3Fh%23i&flag&%C3%BC=&x=-._~")
    }

    @Test func leavesTheTargetAloneWithoutQueryItems() throws {
        #expect(try TargetURI("http://h/a").adding(query: []).path == "/a")
    }

    private func expectRefusal(of uri: String, _ detail: String, location: SourceLocation = #_sourceLocation) {
        do throws(ApusError) {
            let target = try TargetURI(uri)
            Issue.record("\(uri) was taken for \(target)", sourceLocation: location)
        } catch {
            #expect(error.code == .invalidURL, sourceLocation: location)
            #expect(detail.isEmpty || error.detail.contains(detail), "\(error)", sourceLocation: location)
        }
    }
}

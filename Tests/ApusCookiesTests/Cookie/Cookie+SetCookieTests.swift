internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusCookies

@Suite struct CookieSetCookieTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)
    private static let day = 86_400.0

    private func cookie(
        _ field: String,
        from uri: String = "https://www.example.org/a/b?c",
        limits: CookieLimits = CookieLimits()
    ) throws -> Cookie {
        try Cookie(setCookie: field, from: TargetURI(uri), at: Self.now, limits: limits)
    }

    private func refusal(_ field: String, from uri: String = "https://www.example.org/a/b?c") throws -> CookieRefusal? {
        let target = try TargetURI(uri)
        do {
            _ = try Cookie(receiving: Array(field.utf8), from: target, at: Self.now, limits: CookieLimits())
            return nil
        } catch {
            return error
        }
    }

    // MARK: Name and value

    @Test(arguments: [
        ("a=b", "a", "b"), ("a=", "a", ""), ("a=b; x; =; ;;", "a", "b"), ("  a \t=\t b c  ;d", "a", "b c"),
        ("a==b=", "a", "=b="),
        ("a", "", "a"), ("=a", "", "a"), ("=a=b", "", "a=b"), ("a=\"b\"", "a", "\"b\""), ("a=\"b;c\"", "a", "\"b"),
        ("a=b, c=d", "a", "b, c=d"),
        ("å=ß…", "å", "ß…"), ("a b=c", "a b", "c"), ("\"a\"=b", "\"a\"", "b"), ("a=b\tc", "a", "b\tc"),
        ("$Version=1", "$Version", "1"),
    ])
    func splitsAtTheFirstEqualsSign(field: String, name: String, value: String) throws {
        let cookie = try cookie(field)
        #expect(cookie.name == name)
        #expect(cookie.value == value)
    }

    @Test(arguments: ["", "=", "   ", " = ", ";a=b", "; Secure", "=;a=b"])
    func rejectsCookiesWithoutNameAndValue(field: String) throws {
        #expect(try refusal(field) == .empty)
    }

    @Test(
        arguments: [0x00, 0x01, 0x08, 0x0A, 0x0D, 0x1F, 0x7F] as [UInt8],
        ["a=b%c", "a%=b", "a=b; Path=/%", "a=b; x%"]
    )
    func rejectsControlCharactersAnywhere(byte: UInt8, pattern: String) throws {
        let field = Array(pattern.utf8).map { $0 == UInt8(ascii: "%") ? byte : $0 }
        let target = try TargetURI("https://example.org/")
        #expect(throws: CookieRefusal.controlCharacter) {
            try Cookie(receiving: field, from: target, at: Self.now, limits: CookieLimits())
        }
    }

    @Test func rejectsInvalidUTF8() throws {
        let target = try TargetURI("https://example.org/")
        for field in [[0x61, 0x3D, 0xE4], [0xFF, 0x3D, 0x61]] as [[UInt8]] {
            #expect(throws: CookieRefusal.notText) {
                try Cookie(receiving: field, from: target, at: Self.now, limits: CookieLimits())
            }
        }
    }

    @Test func limitsTheBytesOfNameValueAndPath() throws {
        let value = String(repeating: "v", count: 4095)
        #expect(try cookie("n=\(value)").value == value)
        #expect(try refusal("nn=\(value)") == .tooLong)
        #expect(try refusal("\(value)xx") == .tooLong)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(try cookie("n=v; Path=\(path)").path == path)
        #expect(try cookie("n=v; Path=\(path)x").path == "/a")
        #expect(try cookie("n=v; Path=/b; Path=\(path)x").path == "/b")
    }

    // MARK: Attributes

    @Test(arguments: [
        ("a=b; Path=/x", "/x"), ("a=b; path = /x ", "/x"), ("a=b; PATH=/x; Path=/y", "/y"), ("a=b; Path=x", "/a"),
        ("a=b; Path", "/a"),
        ("a=b; Path=/x; Path=", "/a"), ("a=b; Path=\"/x\"", "/a"), ("a=b; Path=/x/", "/x/"), ("a=b", "/a"),
    ])
    func readsThePath(field: String, path: String) throws {
        #expect(try cookie(field).path == path)
    }

    @Test(arguments: [
        ("a=b; Domain=example.org", "example.org", false), ("a=b; domain=.EXAMPLE.org", "example.org", false),
        ("a=b; Domain=www.example.org", "www.example.org", false), ("a=b; Domain=", "www.example.org", true),
        ("a=b; Domain=.", "www.example.org", true),
        ("a=b; Domain=other.example; Domain=example.org", "example.org", false),
        ("a=b; Domain=example.org; Domain=", "www.example.org", true),
        ("a=b", "www.example.org", true), ("a=b; Domain", "www.example.org", true),
    ])
    func readsTheDomain(field: String, domain: String, isHostOnly: Bool) throws {
        let cookie = try cookie(field)
        #expect(cookie.domain == domain)
        #expect(cookie.isHostOnly == isHostOnly)
    }

    @Test(arguments: [
        ("https://www.example.org/", "other.example", CookieRefusal.foreignDomain),
        ("https://example.org/", "www.example.org", .foreignDomain),
        ("https://example.org/", "xample.org", .foreignDomain),
        ("https://example.org/", "..example.org", .foreignDomain),
        ("https://www.example.org/", "example.org.", .foreignDomain),
        ("https://www.example.org/", "org", .publicSuffix),
        ("https://www.example.co.uk/", "co.uk", .publicSuffix), ("https://me.github.io/", "github.io", .publicSuffix),
        ("https://www.example.org./", "org.", .publicSuffix), ("https://a.b.unheard-of/", "unheard-of", .publicSuffix),
        ("https://app.localhost/", "localhost", .publicSuffix), ("https://127.0.0.1/", "0.0.1", .foreignDomain),
        ("https://127.0.0.1/", "1", .foreignDomain),
        ("https://bücher.example/", "bücher.example", .domainNotASCII),
        // The Kelvin sign, whose lowercase form is k.
        ("https://kelvin.example/", "\u{212A}elvin.example", .domainNotASCII),
        ("https://www.example.org/", "www.example.org:443", .foreignDomain),
    ])
    func rejectsForeignDomainsAndPublicSuffixes(uri: String, domain: String, refusal: CookieRefusal) throws {
        #expect(try self.refusal("a=b; Domain=\(domain)", from: uri) == refusal)
    }

    @Test(arguments: [
        ("https://co.uk/", "co.uk", "co.uk", true), ("https://github.io/", ".github.io", "github.io", true),
        ("http://localhost/", "localhost", "localhost", true),
        ("https://127.0.0.1/", "127.0.0.1", "127.0.0.1", false), ("https://[::1]/", "[::1]", "::1", false),
        ("https://[::1]/", "::1", "::1", false),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", "xn--bcher-kva.example", false),
    ])
    func acceptsADomainEqualToTheHost(uri: String, attribute: String, domain: String, isHostOnly: Bool) throws {
        let cookie = try cookie("a=b; Domain=\(attribute)", from: uri)
        #expect(cookie.domain == domain)
        #expect(cookie.isHostOnly == isHostOnly)
    }

    @Test(arguments: [
        ("a=b; Max-Age=60", 60.0), ("a=b; max-age= 60 ", 60), ("a=b; Max-Age=60; Max-Age=90", 90),
        ("a=b; Max-Age=60; Max-Age=x", 60),
        ("a=b; Max-Age=60; Expires=Wed, 09 Nov 1994 08:49:37 GMT", 60),
        ("a=b; Expires=Wed, 15 Nov 2023 22:13:20 GMT", day),
        ("a=b; Expires=Wed, 15 Nov 2023 22:13:20 GMT; Expires=never", day),
        ("a=b; Expires=Wed, 15 Nov 2023 22:13:20 GMT; Max-Age=", day),
        ("a=b; Max-Age=99999999999999999999999999", 400 * day), ("a=b; Max-Age=34560001", 400 * day),
        ("a=b; Expires=1 Jan 9999 00:00:00", 400 * day),
    ])
    func readsTheExpiry(field: String, seconds: Double) throws {
        #expect(try cookie(field).expires == Self.now + seconds)
    }

    @Test(arguments: ["a=b; Max-Age=0", "a=b; Max-Age=-1", "a=b; Max-Age=-99999999999999999999999", "a=b; Max-Age=00"])
    func expiresImmediatelyForANonpositiveMaxAge(field: String) throws {
        #expect(try cookie(field).expires == .distantPast)
    }

    @Test(arguments: [
        "a=b", "a=b; Max-Age", "a=b; Max-Age=", "a=b; Max-Age=-", "a=b; Max-Age=1.5", "a=b; Max-Age=+60",
        "a=b; Max-Age=\"60\"",
        "a=b; Max-Age=6O", "a=b; Expires=soon", "a=b; Expires",
    ])
    func isASessionCookieWithoutAValidExpiry(field: String) throws {
        #expect(try cookie(field).expires == nil)
        #expect(try !cookie(field).isPersistent)
    }

    @Test func keepsTheDeclaredLifetimeWithoutALimit() throws {
        var limits = CookieLimits()
        limits.lifetime = nil
        #expect(try cookie("a=b; Max-Age=34560001", limits: limits).expires == Self.now + 34_560_001)
        #expect(
            try cookie("a=b; Max-Age=9\(String(repeating: "9", count: 900))", limits: limits).expires == .distantFuture
        )
    }

    @Test(arguments: [
        ("a=b", false, false, nil as Cookie.SameSite?), ("a=b; Secure; HttpOnly; SameSite=Lax", true, true, .lax),
        ("a=b;secure=no;httponly=no;samesite=STRICT", true, true, .strict),
        ("a=b; SameSite=Lax; SameSite=None", false, false, Cookie.SameSite.none),
        ("a=b; SameSite=Strict; SameSite=Other", false, false, nil),
        ("a=b; Secure x; \"HttpOnly\"; SameSite", false, false, nil),
        ("a=\"b; Secure\"", false, false, nil), ("a=b; x=\"y;Secure;z\"", true, false, nil),
    ])
    func readsTheFlags(field: String, isSecure: Bool, isHTTPOnly: Bool, sameSite: Cookie.SameSite?) throws {
        let cookie = try cookie(field)
        #expect(cookie.isSecure == isSecure)
        #expect(cookie.isHTTPOnly == isHTTPOnly)
        #expect(cookie.sameSite == sameSite)
    }

    // MARK: Security

    @Test func acceptsSecureCookiesOnlyOverTLSOrFromLoopback() throws {
        #expect(try refusal("a=b; Secure", from: "http://example.org/") == .insecureOrigin)
        #expect(try refusal("a=b; Secure", from: "https://example.org/") == nil)
        #expect(try refusal("a=b; Secure", from: "http://127.0.0.1:8080/") == nil)
    }

    @Test(arguments: [
        "__Secure-a=b; Secure", "__secure-a=b; Secure; Domain=example.org; Path=/x", "__Host-a=b; Secure; Path=/",
        "__HOST-a=b; Path=/; Secure; Domain=",
        "__Hosta=b", "__Secur-a=b", "a__Secure-=b", "a=__Secure-b",
    ])
    func acceptsCookiesThatMeetTheirPrefix(field: String) throws {
        #expect(try refusal(field) == nil)
    }

    @Test(arguments: [
        "__Secure-a=b", "__SECURE-a=b; Path=/", "__Host-a=b", "__Host-a=b; Secure", "__Host-a=b; Secure; Path=/x",
        "__Host-a=b; Path=/",
        "__host-a=b; Secure; Path=/; Domain=www.example.org", "__Host-a=b; Secure; Path=/; Path=/x",
        // A cookie without a name is sent as its value, which must not look like a prefixed name.
        "=__Secure-a=b; Secure", "__Host-a; Secure; Path=/", "=__HOST-a=b; Secure; Path=/",
    ])
    func rejectsCookiesThatViolateTheirPrefix(field: String) throws {
        #expect(try refusal(field) == .prefix)
    }

    @Test func requiresAPathAttributeForHostCookies() throws {
        #expect(try refusal("__Host-a=b; Secure", from: "https://example.org/") == .prefix)
        #expect(try refusal("__Host-a=b; Secure; Path=", from: "https://example.org/") == nil)
    }

    @Test func rejectsHostsThatAreTooLong() throws {
        let host = String(repeating: "a.", count: 126) + "org"
        #expect(try refusal("a=b", from: "https://\(host)/") == .hostTooLong)
    }

    @Test func reportsTheReasonWithoutTheValue() throws {
        let error = #expect(throws: ApusError.self) { try cookie("sid=sEcReT; Domain=org") }
        #expect(error?.code == .invalidField)
        #expect(error?.detail.contains("public suffix") == true)
        #expect(error.map { "\($0)" }?.contains("sEcReT") == false)
    }
}

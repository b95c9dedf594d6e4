internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusCookies

@Suite struct CookieTests {
    @Test(arguments: [
        ("a\r\nb", "v", "h", "/"), ("a", "v\nw", "h", "/"), ("a", "v\0", "h", "/"), ("a;b", "v", "h", "/"),
        ("a", "v;w", "h", "/"), ("a=b", "v", "h", "/"),
        (" a", "v", "h", "/"), ("a", "v\t", "h", "/"), ("", "", "h", "/"), ("a", "v", "", "/"), ("a", "v", "h h", "/"),
        ("a", "v", "h/", "/"), ("a", "v", "bücher.example", "/"), ("a", "v", "\u{212A}elvin.example", "/"),
        ("a", "v", "h\n", "/"), ("a", "v", "h", ""), ("a", "v", "h", "x"), ("a", "v", "h", "/\r"),
        ("__Host-a", "v", "h", "/"), ("__secure-a", "v", "h", "/"),
        ("", "__Host-a", "h", "/"), ("a\u{7F}", "v", "h", "/"), ("a", "v", String(repeating: "h", count: 254), "/"),
    ])
    func rejectsInvalidParts(name: String, value: String, domain: String, path: String) throws {
        let error = #expect(throws: ApusError.self) { try Cookie(name: name, value: value, domain: domain, path: path) }
        #expect(error?.code == .invalidField)
    }

    @Test func isCreatedFromItsParts() throws {
        let cookie = try Cookie(name: "a", value: "\"b\"", domain: ".Example.ORG", isHostOnly: false)
        #expect(cookie.domain == "example.org")
        #expect(cookie.path == "/")
        #expect(!cookie.isPersistent)
        #expect(cookie.lastAccessed == cookie.created)
        #expect(throws: Never.self) {
            try Cookie(name: "__Host-a", value: "b", domain: "::1", isSecure: true)
        }
    }

    @Test func neverRevealsItsValue() throws {
        let cookie = try Cookie(name: "sid", value: "sEcReT", domain: "example.org", isHostOnly: false, path: "/a")
        #expect(cookie.description == "sid=<redacted>; *.example.org/a")
        var dumped = ""
        dump(cookie, to: &dumped)
        let jar = CookieJar()
        try jar.set(cookie)
        dump(jar, to: &dumped)
        dump(CookieHandling.jar(jar), to: &dumped)
        for shown in [
            cookie.debugDescription, "\([cookie])", String(reflecting: cookie), dumped, "\(jar)",
            "\(CookieHandling.jar(jar))",
        ] {
            #expect(!shown.contains("sEcReT"), "\(shown)")
        }
    }

    @Test func expiresAtItsExpiryDate() throws {
        let end = Date(timeIntervalSince1970: 1_000)
        let cookie = try Cookie(name: "a", value: "b", domain: "h", expires: end)
        #expect(!cookie.isExpired(at: end - 1))
        #expect(cookie.isExpired(at: end))
        #expect(try !Cookie(name: "a", value: "b", domain: "h").isExpired(at: .distantFuture))
    }

    @Test func roundTripsThroughJSON() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let cookie = try Cookie(
            name: "a",
            value: "b",
            domain: "example.org",
            isHostOnly: false,
            path: "/c",
            expires: date + 60,
            isSecure: true,
            isHTTPOnly: true,
            sameSite: .strict,
            created: date,
            lastAccessed: date + 1
        )
        #expect(try JSONDecoder().decode(Cookie.self, from: JSONEncoder().encode(cookie)) == cookie)
    }
}

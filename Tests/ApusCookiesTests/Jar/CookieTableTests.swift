internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusCookies

@Suite struct CookieTableTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func cookie(
        _ name: String,
        domain: String = "example.org",
        isHostOnly: Bool = true,
        path: String = "/",
        isSecure: Bool = false,
        age: TimeInterval? = nil,
        at seconds: TimeInterval = 0
    ) throws -> Cookie {
        try Cookie(
            name: name,
            value: "v",
            domain: domain,
            isHostOnly: isHostOnly,
            path: path,
            expires: age.map { start + seconds + $0 },
            isSecure: isSecure,
            created: start + seconds
        )
    }

    private func sent(_ table: CookieTable, to uri: String, at seconds: TimeInterval = 0) throws -> [String] {
        var table = table
        return table.cookies(for: try TargetURI(uri), at: start + seconds).map(\.name)
    }

    /// Sends the cookies for a target.
    private func use(_ table: inout CookieTable, for uri: String, at seconds: TimeInterval) throws {
        _ = table.fieldValue(for: try TargetURI(uri), at: start + seconds, except: [])
    }

    /// Inserts cookies at their time of creation.
    private func table(_ cookies: [Cookie], limits: CookieLimits = CookieLimits()) -> CookieTable {
        var table = CookieTable()
        for cookie in cookies { insert(cookie, into: &table, limits: limits) }
        return table
    }

    private func insert(_ cookie: Cookie, into table: inout CookieTable, limits: CookieLimits = CookieLimits()) {
        let registrable = PublicSuffixList.embedded.registrableDomain(of: cookie.domain) ?? cookie.domain
        table.insert(cookie, registrable: registrable, at: cookie.created, limits: limits)
    }

    private func names(_ table: CookieTable, at seconds: TimeInterval = 100) -> [String] {
        var table = table
        return table.cookies(at: start + seconds).map(\.name)
    }

    // MARK: Lookup

    @Test(arguments: [
        ("https://example.org/", ["host", "domain", "secure"]), ("http://example.org/", ["host", "domain"]),
        ("http://www.example.org/", ["domain", "www"]), ("http://a.www.example.org/", ["domain"]),
        ("http://example.org/a/b", ["deep", "host", "domain"]), ("http://example.org/ab", ["host", "domain"]),
        ("http://badexample.org/", []), ("http://org/", []), ("http://127.0.0.1/", ["address"]),
        ("http://1.127.0.0.1/", []),
        ("http://localhost:8080/", ["local"]), ("http://app.localhost/", []), ("http://[::1]/", ["six"]),
        ("http://example.org./", []),
    ])
    func matchesHostPathAndSecurity(uri: String, expected: [String]) throws {
        var table = table([
            try cookie("host"), try cookie("domain", isHostOnly: false), try cookie("secure", isSecure: true),
            try cookie("www", domain: "www.example.org"), try cookie("deep", path: "/a"),
            try cookie("other", domain: "example.com"),
            try cookie("address", domain: "127.0.0.1", isHostOnly: false), try cookie("local", domain: "localhost"),
            try cookie("six", domain: "::1"),
        ])
        #expect(try sent(table, to: uri) == expected)
        #expect((table.fieldValue(for: try TargetURI(uri), at: start, except: []) == nil) == expected.isEmpty)
    }

    @Test func sendsTheLongestPathFirstAndThenTheOldest() throws {
        var table = table([
            try cookie("a", at: 3), try cookie("b", path: "/x/y", at: 4), try cookie("c", at: 1),
            try cookie("d", path: "/x", at: 5),
            try cookie("e", isHostOnly: false, at: 1), try cookie("f", path: "/x/", at: 6),
        ])
        #expect(try sent(table, to: "http://example.org/x/y/z", at: 10) == ["b", "f", "d", "c", "e", "a"])
        let target = try TargetURI("http://example.org/x")
        #expect(table.fieldValue(for: target, at: start + 10, except: []) == "d=v; c=v; e=v; a=v")
        #expect(table.fieldValue(for: target, at: start + 10, except: ["c", "a"]) == "d=v; e=v")
    }

    @Test func ordersCookiesOfSeveralDomains() throws {
        // No server can insert cookies of one host under several registrable domains, but an app can.
        var table = CookieTable()
        for (number, name) in ["a", "b", "c"].enumerated() {
            let cookie = try cookie(
                name,
                domain: "www.example.org",
                path: number == 1 ? "/x" : "/",
                at: Double(3 - number)
            )
            let registrable = number == 2 ? "www.example.org" : "example.org"
            table.insert(cookie, registrable: registrable, at: start, limits: CookieLimits())
        }
        #expect(try sent(table, to: "http://www.example.org/x") == ["b", "c", "a"])
        let target = try TargetURI("http://www.example.org/x")
        #expect(table.fieldValue(for: target, at: start, except: ["b"]) == "c=v; a=v")
        #expect(table.cookies(at: start).allSatisfy { $0.lastAccessed == start })
    }

    @Test func sendsNoExpiredCookies() throws {
        var table = table([try cookie("short", age: 10), try cookie("long", age: 20), try cookie("session")])
        #expect(try sent(table, to: "http://example.org/", at: 9).count == 3)
        #expect(try sent(table, to: "http://example.org/", at: 10) == ["long", "session"])
        #expect(names(table, at: 10) == ["long", "session"])
        #expect(table.count == 3)
        table.remove { $0.cookie.isExpired(at: start + 10) }
        #expect(table.count == 2)
    }

    @Test func recordsTheLastAccess() throws {
        var table = table([try cookie("a"), try cookie("b", path: "/b")])
        _ = try sent(table, to: "http://example.org/", at: 5)
        #expect(table.cookies(at: start).map(\.lastAccessed) == [start, start])
        try use(&table, for: "http://example.org/", at: 5)
        #expect(table.cookies(at: start).map(\.lastAccessed) == [start + 5, start])
    }

    @Test func findsNoCookiesForHostsThatAreTooLong() throws {
        let table = table([try cookie("a", isHostOnly: false)])
        let host = String(repeating: "a.", count: 10_000) + "example.org"
        #expect(try sent(table, to: "http://\(host)/").isEmpty)
    }

    // MARK: Replacement

    @Test func replacesACookieOfTheSameNameDomainAndPath() throws {
        var table = table([try cookie("a", at: 1), try cookie("b", at: 2)])
        insert(try Cookie(name: "a", value: "new", domain: "example.org", created: start + 3), into: &table)
        let cookies = table.cookies(at: start)
        #expect(cookies.map(\.name) == ["a", "b"])
        #expect(cookies[0].value == "new")
        #expect(cookies[0].created == start + 1)
        #expect(cookies[0].lastAccessed == start + 3)
        for other in [
            try cookie("a", isHostOnly: false), try cookie("a", path: "/x"), try cookie("a", domain: "www.example.org"),
            try cookie("A"),
            // The same letter, precomposed and decomposed.
            try cookie("\u{E9}"), try cookie("e\u{301}"),
        ] {
            insert(other, into: &table)
        }
        #expect(table.count == 8)
    }

    @Test func removesACookieThatIsSetToExpire() throws {
        var table = table([try cookie("a", age: 10), try cookie("b")])
        insert(try cookie("a", age: -1), into: &table)
        insert(try cookie("none", age: 0), into: &table)
        #expect(names(table) == ["b"])
        insert(try cookie("b", age: 0), into: &table)
        #expect(table.isEmpty)
        #expect(table.domains.isEmpty)
    }

    @Test(arguments: [
        ("sid", "example.org", "/login", true), ("sid", "example.org", "/login/en", true),
        ("sid", "www.example.org", "/login", true),
        ("sid", "example.org", "/", false), ("sid", "example.org", "/foo", false),
        ("sid", "example.com", "/login", false), ("SID", "example.org", "/login", false),
    ])
    func detectsCookiesThatOverlayASecureOne(name: String, domain: String, path: String, hides: Bool) throws {
        let table = table([try cookie("sid", isHostOnly: false, path: "/login", isSecure: true)])
        let registrable = PublicSuffixList.embedded.registrableDomain(of: domain) ?? ""
        #expect(
            table.hasSecure(overlaidBy: try cookie(name, domain: domain, path: path), registrable: registrable) == hides
        )
    }

    // MARK: Limits

    @Test func keepsSecureAndRecentlyUsedCookiesOfADomain() throws {
        var limits = CookieLimits()
        limits.cookiesPerDomain = 3
        var table = table(
            [
                try cookie("old secure", isSecure: true, at: 0), try cookie("old", domain: "www.example.org", at: 1),
                try cookie("used", domain: "a.example.org", at: 2),
            ],
            limits: limits
        )
        try use(&table, for: "http://www.example.org/", at: 3)
        insert(try cookie("other", domain: "example.com", at: 4), into: &table, limits: limits)
        #expect(table.count == 4)
        insert(try cookie("new", at: 5), into: &table, limits: limits)
        #expect(names(table) == ["old secure", "old", "other", "new"])
        insert(try cookie("s2", isSecure: true, at: 6), into: &table, limits: limits)
        insert(try cookie("s3", isSecure: true, at: 7), into: &table, limits: limits)
        #expect(names(table) == ["old secure", "other", "s2", "s3"])
        // An insecure cookie is evicted before secure ones. Of these, the least recently used is evicted first.
        insert(try cookie("plain", at: 8), into: &table, limits: limits)
        #expect(names(table) == ["old secure", "other", "s2", "s3"])
        insert(try cookie("s4", isSecure: true, at: 9), into: &table, limits: limits)
        #expect(names(table) == ["other", "s2", "s3", "s4"])
    }

    @Test func keepsUnexpiredAndRecentlyUsedCookies() throws {
        var limits = CookieLimits()
        limits.cookies = 3
        var table = table(
            [
                try cookie("secure", isSecure: true, at: 0), try cookie("expiring", domain: "a.example", age: 5, at: 1),
                try cookie("used", domain: "b.example", at: 2),
            ],
            limits: limits
        )
        insert(try cookie("new", domain: "c.example", at: 10), into: &table, limits: limits)
        #expect(names(table) == ["secure", "used", "new"])
        try use(&table, for: "https://example.org/", at: 11)
        insert(try cookie("newer", domain: "d.example", at: 12), into: &table, limits: limits)
        #expect(names(table) == ["secure", "new", "newer"])
        #expect(table.count == 3)
        #expect(table.domains.count == 3)
    }

    @Test func keepsItsCountCorrect() throws {
        var table = CookieTable()
        var random = SystemRandomNumberGenerator()
        var limits = CookieLimits()
        limits.cookies = 40
        limits.cookiesPerDomain = 6
        for step in 0..<2_000 {
            let name = "n\(Int.random(in: 0..<12, using: &random))"
            let domain = "d\(Int.random(in: 0..<12, using: &random)).example"
            let age = Double.random(in: -2...20, using: &random).rounded()
            insert(try cookie(name, domain: domain, age: age, at: Double(step)), into: &table, limits: limits)
            let entries = table.domains.values.joined()
            #expect(table.count == entries.count)
            #expect(table.count <= limits.cookies)
            #expect(table.domains.values.allSatisfy { !$0.isEmpty && $0.count <= limits.cookiesPerDomain })
        }
    }

    // MARK: Changes

    @Test func countsChangesOfPersistentCookies() throws {
        var table = CookieTable()
        var changes = 0
        func expectChange(_ isChange: Bool, _ line: Int = #line) {
            #expect((table.changes > changes) == isChange, "line \(line)")
            changes = table.changes
        }
        insert(try cookie("session"), into: &table)
        expectChange(false)
        insert(try cookie("a", age: 10), into: &table)
        expectChange(true)
        try use(&table, for: "http://example.org/", at: 0)
        expectChange(false)
        insert(try cookie("none", age: 0), into: &table)
        expectChange(false)
        insert(try cookie("a"), into: &table)
        expectChange(true)
        table.remove { $0.cookie.name == "session" }
        expectChange(false)
        // Evictions by the limit of the domain and by that of the table.
        for limit in [\CookieLimits.cookiesPerDomain, \.cookies] {
            var limits = CookieLimits()
            limits[keyPath: limit] = 1
            table = CookieTable()
            insert(try cookie("persistent", age: 1000), into: &table)
            changes = table.changes
            insert(try cookie("one", at: 1), into: &table, limits: limits)
            #expect(names(table) == ["one"])
            expectChange(true)
            insert(try cookie("another", at: 2), into: &table, limits: limits)
            #expect(names(table) == ["another"])
            expectChange(false)
        }
        var keeping = CookieTable(keepsSessionCookies: true)
        insert(try cookie("session"), into: &keeping)
        #expect(keeping.changes == 1)
        keeping.remove { _ in true }
        #expect(keeping.changes == 2)
    }
}

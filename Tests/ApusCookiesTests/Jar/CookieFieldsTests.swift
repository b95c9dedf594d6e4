internal import Apus
internal import Foundation
internal import Testing

@testable internal import ApusCookies

@Suite struct CookieFieldsTests {
    private let start = Date(timeIntervalSince1970: 1_700_000_000)

    private func cookie(
        _ name: String,
        _ value: String = "v",
        domain: String = "example.org",
        isHostOnly: Bool = true,
        path: String = "/",
        isSecure: Bool = false,
        age: TimeInterval? = nil
    ) throws -> Cookie {
        try Cookie(
            name: name,
            value: value,
            domain: domain,
            isHostOnly: isHostOnly,
            path: path,
            expires: age.map { start + $0 },
            isSecure: isSecure,
            created: start
        )
    }

    private func table(_ cookies: Cookie...) -> CookieTable {
        var table = CookieTable()
        for cookie in cookies { insert(cookie, into: &table) }
        return table
    }

    private func insert(_ cookie: Cookie, into table: inout CookieTable) {
        let registrable = PublicSuffixList.embedded.registrableDomain(of: cookie.domain) ?? cookie.domain
        table.insert(cookie, registrable: registrable, at: start, limits: CookieLimits())
    }

    private func field(_ table: inout CookieTable, _ uri: String, at seconds: TimeInterval = 0) throws -> String? {
        table.field(for: try TargetURI(uri), at: start + seconds)?.value
    }

    @Test func changesWithTheCookies() throws {
        var table = table(try cookie("a"), try cookie("b"))
        #expect(try field(&table, "http://example.org/") == "a=v; b=v")
        #expect(try field(&table, "http://example.org/") == "a=v; b=v")
        insert(try cookie("a", "w"), into: &table)
        #expect(try field(&table, "http://example.org/") == "a=w; b=v")
        table.remove { $0.cookie.name == "a" }
        #expect(try field(&table, "http://example.org/") == "b=v")
        table.remove { _ in true }
        #expect(try field(&table, "http://example.org/") == nil)
    }

    @Test func expiresWithTheFirstOfItsCookies() throws {
        var table = table(try cookie("short", age: 10), try cookie("long", age: 20), try cookie("session"))
        #expect(try field(&table, "http://example.org/", at: 9) == "short=v; long=v; session=v")
        #expect(try field(&table, "http://example.org/", at: 10) == "long=v; session=v")
        #expect(try field(&table, "http://example.org/", at: 19) == "long=v; session=v")
        #expect(try field(&table, "http://example.org/", at: 20) == "session=v")
        #expect(try field(&table, "http://example.org/", at: 1_000_000) == "session=v")
    }

    @Test func dependsOnThePath() throws {
        var table = table(try cookie("root"), try cookie("deep", path: "/deep"))
        for _ in 0..<2 {
            #expect(try field(&table, "http://example.org/other?deep") == "root=v")
            #expect(try field(&table, "http://example.org/deep/er") == "deep=v; root=v")
            #expect(try field(&table, "http://example.org/deep") == "deep=v; root=v")
        }
    }

    /// The cached field depends on the paths of the parent domain, even if none of them matches the first request.
    @Test func dependsOnThePathsOfParentDomains() throws {
        var table = table(
            try cookie("host", domain: "127.0.0.1"),
            try cookie("deep", domain: "0.0.1", path: "/deep"),
            try cookie("under", domain: "a.example.org", isHostOnly: false),
            try cookie("above", isHostOnly: false, path: "/deep")
        )
        for _ in 0..<2 {
            #expect(try field(&table, "http://a.example.org/") == "under=v")
            #expect(try field(&table, "http://a.example.org/deep") == "above=v; under=v")
        }
    }

    @Test func dependsOnTheOrigin() throws {
        var table = table(
            try cookie("plain"),
            try cookie("secure", isSecure: true),
            try cookie("domain", isHostOnly: false)
        )
        for _ in 0..<2 {
            #expect(try field(&table, "https://example.org/") == "plain=v; secure=v; domain=v")
            #expect(try field(&table, "http://example.org/") == "plain=v; domain=v")
            #expect(try field(&table, "http://www.example.org/") == "domain=v")
            #expect(try field(&table, "http://example.com/") == nil)
        }
    }

    @Test func recordsEachUse() throws {
        var table = table(try cookie("a"), try cookie("b", path: "/b"), try cookie("c", domain: "example.com"))
        for seconds in [5, 7] as [TimeInterval] {
            _ = try field(&table, "http://example.org/", at: seconds)
            #expect(table.cookies(at: start).map(\.lastAccessed) == [start + seconds, start, start])
        }
        _ = try field(&table, "http://example.org/", at: 9)
        // A new cookie shifts the positions that the cached field refers to.
        insert(try cookie("d", path: "/longer"), into: &table)
        let used = table.cookies(at: start).filter { $0.lastAccessed == start + 9 }.map(\.name)
        #expect(used == ["a"])
    }

    @Test func staysCorrectBeyondTheCacheCapacity() throws {
        let hosts = (0..<CookieFields.capacity * 3).map { "host-\($0).example" }
        var table = CookieTable()
        for host in hosts { insert(try cookie("of", host, domain: host), into: &table) }
        for seconds in [1, 2] as [TimeInterval] {
            for host in hosts { #expect(try field(&table, "http://\(host)/", at: seconds) == "of=\(host)") }
            for host in hosts.reversed() { #expect(try field(&table, "http://\(host)/", at: seconds) == "of=\(host)") }
        }
        #expect(table.cookies(at: start).allSatisfy { $0.lastAccessed == start + 2 })
    }
}

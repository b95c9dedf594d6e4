internal import Apus
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCookies

@Suite(.timeLimit(.minutes(5))) struct CookieJarTests {
    private let clock = ManualClock(wallClock: Date(timeIntervalSince1970: 1_700_000_000))

    private func jar(limits: CookieLimits = CookieLimits(), policy: CookieAcceptPolicy = .all) -> CookieJar {
        CookieJar(limits: limits, policy: policy, time: clock)
    }

    private func fields(_ values: String...) -> HTTPFields {
        HTTPFields(values.map { HTTPField(name: .setCookie, value: $0) })
    }

    /// Parity: AF-cookies-lines
    @Test func parsesEachFieldSeparately() throws {
        let jar = jar()
        let target = try TargetURI("https://example.org/")
        var response = fields(
            "a=1, x=2; Expires=Wed, 09 Nov 2044 08:49:37 GMT",
            "b=2",
            "=; bad",
            "c=3; Domain=com",
            "d=4"
        )
        response[.contentType] = "text/plain"
        jar.receive(response, from: target)
        #expect(jar.cookies.map(\.name) == ["a", "b", "d"])
        #expect(jar.fieldValue(for: target) == "a=1, x=2; b=2; d=4")
        #expect(jar.cookies(for: target).count == 3)
        #expect(jar.fieldValue(for: try TargetURI("https://example.com/")) == nil)
    }

    @Test func writesCookiesWithoutANameOrAValue() throws {
        let jar = jar()
        let target = try TargetURI("https://example.org/")
        jar.receive(fields("alone", "empty=", "ä=ö"), from: target)
        #expect(jar.fieldValue(for: target) == "alone; empty=; ä=ö")
        #expect(jar.fieldValue(for: target, except: ["", "ä"]) == "empty=")
        #expect(jar.fieldValue(for: target, except: ["", "ä", "empty"]) == nil)
    }

    @Test func removesExpiredAndSessionCookies() throws {
        let jar = jar()
        let target = try TargetURI("https://example.org/")
        jar.receive(fields("short=1; Max-Age=60", "long=1; Max-Age=120", "session=1"), from: target)
        clock.advance(by: .seconds(60))
        #expect(jar.fieldValue(for: target) == "long=1; session=1")
        jar.removeExpired()
        #expect(jar.cookies.count == 2)
        jar.removeSessionCookies()
        #expect(jar.cookies.map(\.name) == ["long"])
        clock.advance(by: .seconds(60))
        #expect(jar.cookies.isEmpty)
    }

    @Test func removesMatchingCookies() throws {
        let jar = jar()
        jar.receive(fields("a=1", "b=1", "b=2; Path=/x"), from: try TargetURI("https://example.org/"))
        jar.receive(fields("b=1"), from: try TargetURI("https://example.com/"))
        jar.remove { $0.name == "b" && $0.domain == "example.org" }
        #expect(jar.cookies.map(\.description) == ["a=<redacted>; example.org/", "b=<redacted>; example.com/"])
        jar.removeAll()
        #expect(jar.cookies.isEmpty)
        #expect(jar.description == "CookieJar(0 cookies)")
    }

    @Test func keepsCookiesThatChangeDuringRemoval() throws {
        let jar = jar()
        let target = try TargetURI("https://example.org/")
        jar.receive(fields("a=1", "b=1", "c=1"), from: target)
        jar.remove { cookie in
            if cookie.name == "a" { jar.receive(fields("a=2", "d=1"), from: target) }
            // Sending a cookie updates its last access, but does not count as a change.
            clock.advance(by: .seconds(1))
            _ = jar.fieldValue(for: target)
            return cookie.name != "c"
        }
        #expect(jar.fieldValue(for: target) == "a=2; c=1; d=1")
    }

    @Test func protectsSecureCookiesFromPlainOrigins() throws {
        let jar = jar()
        let secure = try TargetURI("https://www.example.org/login/")
        let plain = try TargetURI("http://www.example.org/login/")
        jar.receive(fields("sid=good; Secure; Domain=example.org; Path=/login"), from: secure)
        for field in [
            "sid=bad; Path=/login", "sid=bad", "sid=bad; Domain=example.org; Path=/login",
            "sid=; Max-Age=0; Path=/login; Domain=example.org",
        ] {
            let error = #expect(throws: ApusError.self) { try jar.receive(setCookie: field, from: plain) }
            #expect(error?.detail.contains("secure cookie") == true)
        }
        #expect(jar.fieldValue(for: plain) == nil)
        #expect(jar.fieldValue(for: secure) == "sid=good")
        try jar.receive(setCookie: "sid=other; Path=/", from: plain)
        try jar.receive(setCookie: "sid=new; Domain=example.org; Path=/login", from: secure)
        #expect(jar.fieldValue(for: plain) == "sid=new; sid=other")
    }

    @Test func appliesItsPolicy() throws {
        let target = try TargetURI("https://example.org/")
        let none = jar(policy: .none)
        none.receive(fields("a=1"), from: target)
        #expect(none.cookies.isEmpty)
        try none.set(Cookie(name: "own", value: "1", domain: "example.org"))
        #expect(none.fieldValue(for: target) == "own=1")
        let some = jar(
            policy: .filtered { cookie, target in cookie.name == "a" && target.origin.host == "example.org" }
        )
        some.receive(fields("a=1", "b=1"), from: target)
        some.receive(fields("a=1"), from: try TargetURI("https://example.com/"))
        #expect(some.cookies.map(\.description) == ["a=<redacted>; example.org/"])
    }

    @Test func letsTheAppSetCookiesThatServersMayNot() throws {
        let jar = jar()
        try jar.set(Cookie(name: "__Secure-a", value: "1", domain: "example.org", isSecure: true))
        try jar.set(Cookie(name: "b", value: "1", domain: "com"))
        #expect(jar.cookies.count == 2)
        #expect(jar.fieldValue(for: try TargetURI("https://example.com/")) == nil)
        for suffix in ["com", "co.uk", "github.io"] {
            #expect(throws: ApusError.self) {
                try jar.set(Cookie(name: "a", value: "1", domain: suffix, isHostOnly: false))
            }
        }
    }

    @Test func enforcesItsLimits() throws {
        var limits = CookieLimits()
        limits.cookies = 10
        limits.cookiesPerDomain = 4
        limits.nameAndValueBytes = 8
        let jar = jar(limits: limits)
        for host in 0..<20 {
            let target = try TargetURI("https://h\(host).site\(host / 10).example/")
            jar.receive(fields("a=1", "b=1", "toolong=1"), from: target)
        }
        #expect(jar.cookies.count == 8)
        for site in 0..<20 { jar.receive(fields("a=1"), from: try TargetURI("https://site\(site).example/")) }
        #expect(jar.cookies.count == 10)
        #expect(jar.fieldValue(for: try TargetURI("https://site19.example/")) == "a=1")
    }

    @Test func supportsConcurrentUse() async throws {
        let jar = jar()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    guard let target = try? TargetURI("https://h\(worker % 3).example.org/") else { return }
                    for round in 0..<200 {
                        jar.receive(
                            HTTPFields([HTTPField(name: .setCookie, value: "n\(round % 7)=\(worker)")]),
                            from: target
                        )
                        _ = jar.fieldValue(for: target)
                        if round % 50 == 0 { jar.remove { $0.name == "n0" } }
                    }
                }
            }
        }
        #expect(jar.cookies.count <= 21)
        #expect(jar.cookies.count >= 18)
    }
}

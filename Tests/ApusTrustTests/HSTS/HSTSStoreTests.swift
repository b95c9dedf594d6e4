internal import ApusCore
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusTrust

@Suite(.timeLimit(.minutes(5))) struct HSTSStoreTests {
    private let clock = ManualClock(wallClock: Date(timeIntervalSince1970: 1_700_000_000))
    private let store: HSTSStore

    init() {
        store = HSTSStore(time: clock)
    }

    private func receive(_ fields: String..., from url: String) throws {
        var all = HTTPFields()
        for field in fields { all.append(HTTPField(name: .strictTransportSecurity, value: field)) }
        store.receive(all, from: try TargetURI(url))
    }

    private func upgraded(_ url: String) throws -> String? { store.upgrade(try TargetURI(url))?.uri }

    // MARK: Upgrades

    @Test(
        arguments: [
            ("http://example.org/a?b=c", "https://example.org/a?b=c"), ("http://EXAMPLE.org/", "https://example.org/"),
            ("http://example.org:80/", "https://example.org/"),
            ("http://example.org:8080/", "https://example.org:8080/"),
            ("http://example.org:443/", "https://example.org/"), ("http://example.org./", "https://example.org./"),
            ("https://example.org/", nil), ("http://a.example.org/", nil), ("http://org/", nil),
            ("http://example.com/", nil),
            ("http://xexample.org/", nil), ("http://below.example/", "https://below.example/"),
            ("http://a.below.example/", "https://a.below.example/"), ("http://xbelow.example/", nil),
            ("http://a.b.c.below.example:81/", "https://a.b.c.below.example:81/"), ("http://127.0.0.1/", nil),
            ("http://[::1]/", nil), ("http://example/", nil),
        ] as [(String, String?)]
    )
    func upgradesTargets(url: String, expected: String?) throws {
        try store.set("example.org")
        try store.set("below.example", includesSubdomains: true)
        #expect(try upgraded(url) == expected)
    }

    @Test func keepsTheUserInformation() throws {
        try store.set("example.org")
        let target = try TargetURI("http://ada:secret@example.org/")
        #expect(store.upgrade(target)?.userInformation?.password == "secret")
    }

    @Test func hasNoEntriesForAddresses() throws {
        for host in ["127.0.0.1", "::1", "[::1]", "", "a b"] {
            let error = #expect(throws: ApusError.self) { try store.set(host) }
            #expect(error?.code == .invalidConfiguration)
        }
        try receive("max-age=60", from: "https://127.0.0.1/")
        try receive("max-age=60", from: "https://[::1]/")
        #expect(store.entries.isEmpty)
    }

    // MARK: Policies

    @Test func remembersPolicies() throws {
        try receive("max-age=60", from: "https://Example.org:8443/a")
        try receive("max-age=120; includeSubDomains", from: "https://below.example./")
        try receive("max-age=60", from: "http://plain.example/")
        try receive("max-age=x", "max-age=60", from: "https://malformed.example/")
        try receive("max-age=60", "max-age=0", from: "https://first.example/")
        #expect(store.entries.map(\.host) == ["below.example", "example.org", "first.example"])
        #expect(store.entries.map(\.includesSubdomains) == [true, false, false])
        #expect(store.entry(forHost: "EXAMPLE.ORG.")?.expires == clock.wallClock + 60)
        #expect(store.description == "HSTSStore(3 hosts)")
    }

    @Test func replacesAndRemovesPolicies() throws {
        try receive("max-age=60; includeSubDomains", from: "https://example.org/")
        try receive("max-age=30", from: "https://example.org/")
        #expect(store.entries.map(\.includesSubdomains) == [false])
        #expect(store.entries.map(\.expires) == [clock.wallClock + 30])
        try receive("max-age=0", from: "https://example.org/")
        #expect(store.entries.isEmpty)
        try store.set("example.org")
        store.remove("Example.org")
        #expect(store.entries.isEmpty)
        try store.set("example.org")
        try store.set("example.com")
        try store.set("example.com", for: .zero)
        #expect(store.entries.map(\.host) == ["example.org"])
        store.removeAll()
        #expect(store.entries.isEmpty)
    }

    @Test func limitsAgesToTenYears() throws {
        try receive("max-age=99999999999999999999", from: "https://example.org/")
        #expect(store.entries.map(\.expires) == [clock.wallClock + 10 * 365 * 86_400])
    }

    @Test func endsEntries() throws {
        try receive("max-age=60", from: "https://a.example.org/")
        try receive("max-age=120; includeSubDomains", from: "https://example.org/")
        clock.advance(by: .seconds(59))
        #expect(store.entry(forHost: "a.example.org")?.host == "a.example.org")
        clock.advance(by: .seconds(1))
        #expect(store.entries.map(\.host) == ["example.org"])
        // The host above still applies.
        #expect(store.entry(forHost: "a.example.org")?.host == "example.org")
        clock.advance(by: .seconds(60))
        #expect(store.entry(forHost: "a.example.org") == nil)
        #expect(try upgraded("http://example.org/") == nil)
    }

    // MARK: Limits

    /// A server with many subdomains must not remove the entries of others.
    @Test func keepsItsEntriesAtTheLimit() throws {
        let small = HSTSStore(limit: 3, time: clock)
        try small.set("b.example", for: .seconds(20))
        try small.set("a.example", for: .seconds(10))
        try small.set("c.example", for: .seconds(30))
        try small.set("c.example", for: .seconds(40))
        #expect(small.entries.count == 3)
        try small.set("d.example", for: .seconds(5))
        #expect(small.entries.map(\.host) == ["a.example", "b.example", "c.example"])
        clock.advance(by: .seconds(20))
        try small.set("e.example")
        #expect(small.entries.map(\.host) == ["c.example", "e.example"])
        #expect(HSTSStore(limit: 0).limit == 1)
        #expect(store.limit == 10_000)
    }

    // MARK: Files

    @Test func keepsEntriesInAFile() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let url = folder.url("hsts.txt")
        let first = try HSTSStore(file: url, time: clock)
        #expect(first.file == url && first.entries.isEmpty)
        try first.set("example.org", includesSubdomains: true, for: .seconds(60))
        try first.set("example.com")
        try await first.save()
        #expect(first.savingFailure == nil)
        #expect(try folder.names == ["hsts.txt"])
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let second = try HSTSStore(file: url, time: clock)
        #expect(second.entries == first.entries)
        clock.advance(by: .seconds(60))
        #expect(try HSTSStore(file: url, time: clock).entries.map(\.host) == ["example.com"])
    }

    @Test func savesByItself() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let url = folder.url("hsts.txt")
        let saver = HSTSSaver(HSTSFile(url: url), delay: .zero)
        let kept = HSTSStore(limit: 10, time: clock, saver: saver)
        try kept.set("example.org")
        await saver.wait()
        #expect(saver.failure == nil)
        #expect(try HSTSStore(file: url, time: clock).entries == kept.entries)
        kept.removeAll()
        await saver.wait()
        #expect(try HSTSStore(file: url, time: clock).entries.isEmpty)
    }

    @Test func readsTheLineThatEndsLast() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let lines =
            "a.example \"20300102 00:00:00\"\n.a.example \"20300101 00:00:00\"\nb.example \"20200101 00:00:00\"\n"
        let url = try folder.write(lines, to: "hsts.txt")
        let kept = try HSTSStore(file: url, time: clock)
        #expect(kept.entries.map(\.host) == ["a.example"])
        #expect(kept.entries.map(\.includesSubdomains) == [false])
    }

    @Test func rejectsDamagedFilesAndLeavesThemUnchanged() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let url = try folder.write("example.org \"soon\"\n", to: "hsts.txt")
        let error = #expect(throws: ApusError.self) { try HSTSStore(file: url) }
        #expect(error?.code == .fileUnreadable)
        #expect(error?.detail.contains("hsts.txt' is not an HSTS file: line 1 does not end with a time") == true)
        #expect(error?.fileURL == url)
        #expect(try ApusTestSupport.text(url) == "example.org \"soon\"\n")
        let unreadable = #expect(throws: ApusError.self) { try HSTSStore(file: folder.url) }
        #expect(unreadable?.code == .fileUnreadable)
    }

    @Test func reportsAFileThatCannotBeWritten() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let kept = try HSTSStore(file: folder.url("missing/hsts.txt"), time: clock)
        let error = await #expect(throws: ApusError.self) { try await kept.save() }
        #expect(error?.code == .fileUnwritable)
        #expect(kept.savingFailure?.code == .fileUnwritable)
    }

    /// A server repeats its policy in each response.
    @Test func writesARepeatedPolicyAtMostOnceAMinute() {
        var table = HSTSTable(limit: 10)
        func insert(_ second: Double, includesSubdomains: Bool = false) -> Bool {
            let now = Date(timeIntervalSince1970: second)
            let entry = HSTSEntry(
                normalized: "example.org",
                includesSubdomains: includesSubdomains,
                expires: now + 1000
            )
            return table.insert(entry, at: now)
        }
        let dues = [insert(0), insert(1), insert(59), insert(60), insert(119), insert(120)]
        #expect(dues == [true, false, false, true, false, true])
        let changed = insert(121, includesSubdomains: true)
        #expect(changed)
        #expect(table.entries(at: Date(timeIntervalSince1970: 0)).map(\.expires.timeIntervalSince1970) == [1121])
    }
}

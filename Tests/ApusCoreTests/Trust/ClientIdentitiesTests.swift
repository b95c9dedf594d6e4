internal import Testing

@testable internal import ApusCore

@Suite struct ClientIdentitiesTests {
    private static func identity(_ name: String) -> ClientIdentity { .pem(name) }

    static let hosts: [(host: String, pattern: String?)] = [
        ("a.example", "a.example"), ("A.EXAMPLE", "a.example"), ("a.example.", "a.example"),
        ("b.a.example", "*.a.example"), ("c.b.a.example", "**.a.example"), ("c.a.example", "*.a.example"),
        ("d.b.a.example", "d.b.a.example"), ("example", nil), ("b.example", nil), ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"), ("1.0.0.127", nil), ("", nil),
    ]

    @Test(arguments: hosts)
    func findsTheIdentityOfAHost(host: String, pattern: String?) throws {
        let identities = ClientIdentities()
        for known in Set(Self.hosts.compactMap { $0.pattern }) { try identities.set(Self.identity(known), for: known) }
        #expect(identities.identity(forHost: host) == pattern.map { Self.identity($0) })
    }

    @Test(arguments: ["", "*.", "a b", "a/b", "*.1.2.3", "a:b", "http://a"])
    func rejectsAMalformedPattern(pattern: String) {
        let identities = ClientIdentities()
        let error = #expect(throws: ApusError.self) { try identities.set(.pem("a"), for: pattern) }
        #expect(error?.code == .invalidConfiguration)
        #expect(identities.identity(forHost: pattern) == nil)
    }

    @Test func replacesAndRemoves() throws {
        let identities = ClientIdentities()
        #expect(identities.identity(forHost: "a.example") == nil)
        try identities.set(.pem("old"), for: "a.example")
        try identities.set(.pem("new"), for: "a.example")
        #expect(identities.identity(forHost: "a.example") == .pem("new"))
        try identities.set(nil, for: "a.example")
        #expect(identities.identity(forHost: "a.example") == nil)
    }
}

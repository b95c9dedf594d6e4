internal import ApusCore
internal import Testing

@testable internal import ApusReachability

@Suite struct HostLookupTests {
    @Test(
        arguments: [
            ("example.org", true), ("localhost", true), ("a_b.example.", true), ("xn--bcher-kva.example", true),
            ("", false), ("...", false), ("a b", false), ("bücher.example", false), ("a\0b", false), ("a%b", false),
            (String(repeating: "a", count: 253), true), (String(repeating: "a", count: 254), false),
        ] as [(String, Bool)]
    )
    func knowsNames(text: String, isName: Bool) {
        #expect(HostLookup.isName(text) == isName)
    }

    @Test func asksTheOperatingSystem() throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        #expect(HostLookup.querySystem("127.0.0.1") == .found([loopback]))
    }
}

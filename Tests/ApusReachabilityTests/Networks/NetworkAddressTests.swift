internal import Testing

@testable internal import ApusReachability

@Suite struct NetworkAddressTests {
    @Test func parsesBothFamilies() throws {
        let ipv4 = try #require(NetworkAddress("192.0.2.1"))
        #expect(ipv4.bytes == [192, 0, 2, 1])
        #expect(!ipv4.isIPv6)
        let ipv6 = try #require(NetworkAddress("2001:db8::1"))
        #expect(ipv6.bytes == [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(ipv6.isIPv6 && ipv6.scope == 0)
        let scoped = try #require(NetworkAddress("fe80::1%7"))
        #expect(scoped.scope == 7)
    }

    @Test(
        arguments: [
            "", "localhost", "1", "127.1", "1.2.3.4.5", "1.2.3.256", " 1.2.3.4", "1.2.3.4%1", "::1%", "::1%0", "[::1]",
            "::1\0", "::g", "fe80::1%no-such-interface",
        ]
    )
    func rejectsOtherTexts(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test(arguments: [0, 1, 3, 5, 15, 17]) func hasFourOrSixteenBytes(count: Int) {
        #expect(NetworkAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test(
        arguments: [
            ("192.168.1.2", true), ("10.0.0.1", true), ("0.0.0.0", false), ("127.0.0.1", false),
            ("169.254.3.4", false), ("169.253.3.4", true), ("2001::1", true), ("fd00::1", true), ("fe80::1", false),
            ("febf::1", false), ("fec0::1", true), ("::1", false), ("::", false), ("::2", true),
        ] as [(String, Bool)]
    )
    func knowsAssignedAddresses(text: String, isAssigned: Bool) throws {
        #expect(try #require(NetworkAddress(text)).isAssigned == isAssigned)
    }
}

internal import ApusCore
internal import Testing

@testable internal import ApusReachability

@Suite struct IPAddressNetworkTests {
    @Test(
        arguments: [
            ("192.168.1.2", true), ("10.0.0.1", true), ("0.0.0.0", false), ("127.0.0.1", false),
            ("169.254.3.4", false), ("169.253.3.4", true), ("2001::1", true), ("fd00::1", true), ("fe80::1", false),
            ("febf::1", false), ("fec0::1", true), ("::1", false), ("::", false), ("::2", true), ("0.0.0.1", true),
            ("127.255.255.255", false), ("128.0.0.1", true), ("fe80::1%7", false), ("::ffff:127.0.0.1", false),
            ("::ffff:10.0.0.1", true),
        ] as [(String, Bool)]
    )
    func knowsAssignedAddresses(text: String, isAssigned: Bool) throws {
        #expect(try #require(IPAddress(text)).isAssigned == isAssigned)
    }
}

internal import ApusCore
internal import Testing

/// The registries of special-purpose addresses of IANA.
@Suite struct IPAddressKindTests {
    static let table: [(String, IPAddress.Kind)] = [
        // IPv4, at the edges of each block.
        ("0.0.0.0", .unspecified), ("0.0.0.1", .thisNetwork), ("0.255.255.255", .thisNetwork), ("1.0.0.0", .global),
        ("9.255.255.255", .global), ("10.0.0.0", .privateUse), ("10.255.255.255", .privateUse), ("11.0.0.0", .global),
        ("100.63.255.255", .global), ("100.64.0.0", .shared), ("100.127.255.255", .shared), ("100.128.0.0", .global),
        ("126.255.255.255", .global), ("127.0.0.0", .loopback), ("127.0.0.1", .loopback),
        ("127.255.255.255", .loopback), ("128.0.0.0", .global), ("169.253.255.255", .global),
        ("169.254.0.0", .linkLocal), ("169.254.169.254", .linkLocal), ("169.254.255.255", .linkLocal),
        ("169.255.0.0", .global), ("172.15.255.255", .global), ("172.16.0.0", .privateUse),
        ("172.31.255.255", .privateUse), ("172.32.0.0", .global), ("192.0.0.0", .protocolAssignment),
        ("192.0.0.8", .protocolAssignment), ("192.0.0.9", .global), ("192.0.0.10", .global),
        ("192.0.0.170", .protocolAssignment), ("192.0.0.255", .protocolAssignment), ("192.0.1.0", .global),
        ("192.0.2.0", .documentation), ("192.0.2.255", .documentation), ("192.0.3.0", .global),
        ("192.31.196.1", .global), ("192.52.193.1", .global), ("192.88.98.255", .global), ("192.88.99.1", .tunnel),
        ("192.88.100.0", .global), ("192.167.255.255", .global), ("192.168.0.0", .privateUse),
        ("192.168.255.255", .privateUse), ("192.169.0.0", .global), ("192.175.48.1", .global),
        ("198.17.255.255", .global), ("198.18.0.0", .benchmarking), ("198.19.255.255", .benchmarking),
        ("198.20.0.0", .global), ("198.51.99.255", .global), ("198.51.100.0", .documentation),
        ("198.51.100.255", .documentation), ("198.51.101.0", .global), ("203.0.112.255", .global),
        ("203.0.113.0", .documentation), ("203.0.113.255", .documentation), ("203.0.114.0", .global),
        ("223.255.255.255", .global), ("224.0.0.0", .multicast), ("239.255.255.255", .multicast),
        ("240.0.0.0", .reserved), ("255.255.255.254", .reserved), ("255.255.255.255", .broadcast),
        ("8.8.8.8", .global), ("93.184.215.14", .global),
        // Addresses at which clouds serve their machines.
        ("168.63.129.15", .global), ("168.63.129.16", .azureWireServer), ("168.63.129.17", .global),
        ("100.100.100.200", .shared), ("192.0.0.192", .protocolAssignment), ("fd20:ce::254", .privateUse),
        // IPv6.
        ("::", .unspecified), ("::1", .loopback), ("::2", .reserved), ("::127.0.0.1", .reserved),
        ("::8.8.8.8", .reserved), ("100::1", .reserved), ("100:0:0:1::1", .reserved), ("1fff:ffff::1", .reserved),
        ("2001::1", .tunnel), ("2001:0:ffff::1", .tunnel), ("2001:1::1", .global), ("2001:1::2", .global),
        ("2001:1::3", .global), ("2001:1::4", .protocolAssignment), ("2001:2::1", .benchmarking),
        ("2001:2:1::1", .protocolAssignment), ("2001:3::1", .global), ("2001:4:112::1", .global),
        ("2001:4:113::1", .protocolAssignment), ("2001:10::1", .protocolAssignment), ("2001:20::1", .global),
        ("2001:2f:ffff::1", .global), ("2001:30::1", .global), ("2001:40::1", .protocolAssignment),
        ("2001:1ff:ffff::1", .protocolAssignment), ("2001:200::1", .global), ("2001:db7::1", .global),
        ("2001:db8::1", .documentation), ("2001:db8:ffff::1", .documentation), ("2001:db9::1", .global),
        ("2001:4860:4860::8888", .global), ("2002:7f00:1::", .tunnel), ("2002:808:808::1", .tunnel),
        ("2003::1", .global), ("2620:4f:8000::1", .global), ("3ffe:ffff::1", .global), ("3fff::1", .documentation),
        ("3fff:fff::1", .documentation), ("3fff:1000::1", .global), ("4000::1", .reserved), ("5f00::1", .reserved),
        ("fbff::1", .reserved), ("fc00::1", .privateUse), ("fd12:3456::1", .privateUse), ("fe00::1", .reserved),
        ("fe80::1", .linkLocal), ("fe80::1%2", .linkLocal), ("febf::1", .linkLocal), ("fec0::1", .privateUse),
        ("feff::1", .privateUse), ("ff00::1", .multicast), ("ff02::1", .multicast), ("fd00:ec2::254", .privateUse),
        // Identifiers of ISATAP.
        ("2001:4860::5efe:10.0.0.1", .tunnel), ("2001:4860::200:5efe:808:808", .tunnel),
        ("2001:4860::100:5efe:808:808", .global), ("2001:4860::5eff:808:808", .global),
        ("2001:4860::5efe:0:808:808", .global), ("fe80::5efe:10.0.0.1", .linkLocal),
        ("fd00::5efe:8.8.8.8", .privateUse),
        // IPv4 addresses inside.
        ("::ffff:127.0.0.1", .loopback), ("::ffff:7f00:1", .loopback), ("::ffff:10.0.0.1", .privateUse),
        ("::ffff:169.254.169.254", .linkLocal), ("::ffff:0.0.0.0", .unspecified), ("::ffff:8.8.8.8", .global),
        ("::fffe:8.8.8.8", .reserved), ("64:ff9b::127.0.0.1", .loopback), ("64:ff9b::10.1.2.3", .privateUse),
        ("64:ff9b::a9fe:a9fe", .linkLocal), ("64:ff9b::8.8.8.8", .global), ("64:ff9b:1::8.8.8.8", .reserved),
        ("64:ff9b:0:0:0:1:808:808", .reserved), ("::ffff:168.63.129.16", .azureWireServer),
        ("64:ff9b::168.63.129.16", .azureWireServer), ("::ffff:0:8.8.8.8", .reserved), ("192.88.99.2", .tunnel),
    ]

    @Test(arguments: table) func followsTheRegistries(text: String, kind: IPAddress.Kind) throws {
        let address = try #require(IPAddress(text))
        #expect(address.kind == kind, "\(address) is \(address.kind)")
        #expect(address.isPublic == (kind == .global))
    }

    @Test func hasPredicates() {
        #expect(IPAddress.loopback.isLoopback && IPAddress.ipv6Loopback.isLoopback)
        #expect(IPAddress("::ffff:127.9.9.9")?.isLoopback == true)
        #expect(IPAddress("fd00::1")?.isPrivate == true)
        #expect(IPAddress("169.254.1.1")?.isLinkLocal == true)
        #expect(IPAddress("ff02::fb")?.isMulticast == true)
        #expect(IPAddress("::")?.isUnspecified == true)
        #expect(!IPAddress.loopback.isPrivate && !IPAddress.loopback.isPublic)
    }
}

internal import SwiftASN1
internal import Testing
internal import X509

@testable internal import ApusTrust

@Suite struct ServerIdentityTests {
    @Test(arguments: [
        ("a.example", "a.example"), ("A.Example", "a.eXample"), ("a.example.", "a.example"),
        ("a.example", "a.example."), ("*.a.example", "b.a.example"), ("*.A.example", "b.a.EXAMPLE"),
        ("*.a.example", "xn--bcher-kva.a.example"), ("localhost", "localhost"),
        ("xn--bcher-kva.example", "XN--bcher-kva.example"), ("a_b.example", "a_b.example"),
        ("*.a.example", "a_b.a.example"), ("_a.example", "_a.example"),
    ])
    func isTheName(name: String, host: String) throws {
        #expect(ServerIdentity.matches(name, host))
        #expect(ServerIdentity.matches(try certificate([.dnsName(name)]), host: host))
    }

    @Test(arguments: [
        ("a.example", "b.example"), ("a.example", "b.a.example"), ("a.example", "example"), ("", "a.example"),
        ("*.a.example", "a.example"), ("*.a.example", "c.b.a.example"), ("*.example", "a.example"), ("*", "localhost"),
        ("*", "a.example"), ("b*.a.example", "bc.a.example"), ("*b.a.example", "cb.a.example"),
        ("a.*.example", "a.b.example"), ("*.*.example", "a.b.example"), ("*.a.example", ".a.example"), ("", ""),
        (".", "."), ("127.0.0.1", "127.0.0.1"), ("*.0.0.1", "127.0.0.1"), ("::1", "::1"),
        ("a.example\0.b.example", "a.example"), ("a.example", "a.example.."), ("xn--*.example", "xn--a.example"),
        ("*.a.example", "*.a.example"), ("a..example", "a..example"),
    ])
    func isAnotherName(name: String, host: String) throws {
        #expect(!ServerIdentity.matches(try certificate([.dnsName(name)]), host: host))
    }

    private static let loopback: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    private static let linkLocal: [UInt8] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]

    static let addresses: [([UInt8], String)] = [
        ([127, 0, 0, 1], "127.0.0.1"), ([127, 0, 0, 1], "127.0.0.1."), (loopback, "::1"), (loopback, "[0:0::0:1]"),
        (linkLocal, "fe80::9%eth0"),
    ]

    @Test(arguments: addresses)
    func isTheAddress(bytes: [UInt8], host: String) throws {
        let address = GeneralName.ipAddress(ASN1OctetString(contentBytes: bytes[...]))
        #expect(ServerIdentity.matches(try certificate([.dnsName("b.example"), address]), host: host))
    }

    @Test(
        arguments: [
            ([127, 0, 0, 1], "127.0.0.2"), ([127, 0, 0, 1], "::ffff:127.0.0.1"), ([127, 0, 0, 1], "a.example"),
            ([127, 0, 0], "127.0.0"), ([127, 0, 0, 1], "127.1"), ([127, 0, 0, 1], "127.0.0.1\0"), ([], ""),
        ] as [([UInt8], String)]
    )
    func isAnotherAddress(bytes: [UInt8], host: String) throws {
        let address = GeneralName.ipAddress(ASN1OctetString(contentBytes: bytes[...]))
        #expect(!ServerIdentity.matches(try certificate([address]), host: host))
    }

    @Test func findsANameAmongMany() throws {
        let names = (0..<1000).map { GeneralName.dnsName("h\($0).example") }
        #expect(ServerIdentity.matches(try certificate(names), host: "h999.example"))
        #expect(!ServerIdentity.matches(try certificate(names), host: "h1000.example"))
    }

    private func certificate(_ names: [GeneralName]) throws -> ParsedCertificate {
        try TestAuthority("Root").server {
            $0.subject = TestAuthority.name("a.example")
            try $0.setNames(names)
        }
    }
}

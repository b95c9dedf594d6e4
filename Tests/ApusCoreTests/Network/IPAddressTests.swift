internal import ApusCore
internal import Foundation
internal import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        "0.0.0.0", "127.0.0.1", "192.0.2.7", "255.255.255.255", "::", "::1", "1::", "2001:db8::1", "1:2:3:4:5:6:7:8",
        "2001:db8:0:1:1:1:1:1", "2001:db8::1:0:0:1", "1:0:0:2::3", "fe80::1%7", "::ffff:192.0.2.7", "64:ff9b::c000:207",
    ])
    func printsTheNotationThatItParses(text: String) {
        #expect(IPAddress(text)?.description == text)
    }

    @Test(arguments: [
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("0001:0::0", "1::"), ("::ffff:c000:207", "::ffff:192.0.2.7"),
        ("64:ff9b::192.0.2.7", "64:ff9b::c000:207"), ("1::2:0:0:0:3", "1:0:0:2::3"), ("::192.0.2.7", "::c000:207"),
        ("0:0:1:0:0:1:0:0", "::1:0:0:1:0:0"), ("1:2:3:4:5:6:192.0.2.7", "1:2:3:4:5:6:c000:207"),
    ])
    func printsTheNotationOfRFC5952(text: String, expected: String) {
        #expect(IPAddress(text)?.description == expected)
        #expect(IPAddress(expected) == IPAddress(text))
    }

    @Test(arguments: [
        "", ".", "1", "1.2.3", "1.2.3.4.", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04", "1..2.3", " 1.2.3.4",
        "1.2.3.4 ", "0x7f.0.0.1", "+1.2.3.4", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8:9",
        "::1::", "1::2::3", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:", "12345::", "g::", "+1::", "::1.2.3", "1.2.3.4::",
        "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "[::1]", "::1%", "::1%0", "::1%no-such-interface", "127.0.0.1%1",
        "example.org", "1:2:3:4:5:6:7:8::", "127.1", "a.b.c.d", "00.0.0.0", "1.2.3.4\t", "1.2.3.4\n", "1.2.3.4\0",
        "::1\0", "fe80::1%lo\0", "fe80::1%+7", "fe80::1%1%2", "1.2.3.4%1", "%1", "[1.2.3.4]", "[::1", "::00001",
        "::1.2.3.4.", "::01.2.3.4", "1:2:3:4::5:6:7:8", "\u{FF11}.2.3.4", "1:2:3:4:5:6:7:8%0",
        String(repeating: "1", count: 1_000),
    ])
    func rejectsOtherTexts(text: String) {
        #expect(IPAddress(text) == nil)
    }

    #if os(Linux)
        /// Addresses, and all texts that differ from one of them by a character.
        private static var variants: Set<String> {
            let addresses = [
                "192.0.2.7", "0.0.0.0", "255.255.255.255", "::", "::1", "1::", "2001:db8::1", "1:2:3:4:5:6:7:8",
                "::ffff:192.0.2.7", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:192.0.2.7", "FE80::ABCD",
            ]
            var variants = Set(addresses)
            for address in addresses {
                for index in 0...address.count {
                    let (before, after) = (address.prefix(index), address.dropFirst(index))
                    variants.insert("\(before)\(after.dropFirst())")
                    for other in ".:0179aFgx []-" {
                        variants.insert("\(before)\(other)\(after)")
                        variants.insert("\(before)\(other)\(after.dropFirst())")
                    }
                }
            }
            return variants
        }

        private static func systemBytes(_ text: String) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: 16)
            if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
            return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
        }

        @Test func agreesWithTheOperatingSystem() {
            for text in Self.variants {
                #expect(IPAddress(text)?.bytes == Self.systemBytes(text), "'\(text)'")
            }
        }
    #endif

    @Test func readsEightGroupsWithAGapOfOne() {
        #expect(IPAddress("1:2:3:4:5:6:7::") == .v6(1, 2, 3, 4, 5, 6, 7, 0))
        #expect(IPAddress("::2:3:4:5:6:7:8") == .v6(0, 2, 3, 4, 5, 6, 7, 8))
    }

    @Test(
        arguments: [
            ("127.1", .loopback), ("127.0.1", .loopback), ("0x7f.1", .loopback), ("0177.0.0.1", .loopback),
            ("2130706433", .loopback), ("0x7F000001", .loopback), ("017700000001", .loopback),
            ("127.0.0.1.", .loopback),
            ("127.0.0.1", .loopback), ("0", .v4(0, 0, 0, 0)), ("0x", .v4(0, 0, 0, 0)), ("10.258", .v4(10, 0, 1, 2)),
            ("1.2.772", .v4(1, 2, 3, 4)), ("4294967295", .v4(255, 255, 255, 255)), ("::1", .ipv6Loopback),
            ("0xa9.0xfe.0251.254", .v4(169, 254, 169, 254)), ("1.", .v4(0, 0, 0, 1)),
        ] as [(String, IPAddress)]
    )
    func readsTheNotationsOfSystems(text: String, expected: IPAddress) {
        #expect(IPAddress(hostNotation: text) == expected)
    }

    @Test(arguments: [
        "", ".", "a", "example.org", "4294967296", "256.1", "1.2.3.4.5", "1.2.65536", "08", "0x1g", "-1", "1..2",
        "99999999999999999999999999", "localhost",
    ])
    func takesOtherHostsForNames(text: String) {
        #expect(IPAddress(hostNotation: text) == nil)
    }

    @Test func convertsBytes() {
        #expect(IPAddress(bytes: [192, 0, 2, 7]) == IPAddress("192.0.2.7"))
        #expect(IPAddress.v4(192, 0, 2, 7).bytes == [192, 0, 2, 7])
        let bytes: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(IPAddress(bytes: bytes) == IPAddress("2001:db8::1"))
        #expect(IPAddress("2001:db8::1")?.bytes == bytes)
    }

    @Test(arguments: [0, 1, 3, 5, 8, 15, 17, 32]) func hasFourOrSixteenBytes(count: Int) {
        #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func comparesFamiliesAndScopes() {
        #expect(IPAddress("127.0.0.1") != IPAddress("::ffff:127.0.0.1"))
        #expect(IPAddress("0.0.0.1") != IPAddress("::1"))
        #expect(IPAddress("fe80::1%1") != IPAddress("fe80::1%2"))
        #expect(IPAddress("fe80::1%3")?.scope == 3)
        #expect(IPAddress("::1")?.isIPv6 == true)
        #expect(IPAddress("127.0.0.1")?.isIPv6 == false)
    }
}

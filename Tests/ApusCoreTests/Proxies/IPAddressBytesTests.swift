internal import Testing

@testable internal import ApusCore

@Suite struct IPAddressBytesTests {
    @Test func readsAddresses() {
        #expect(IPAddressBytes("192.0.2.7")?.bytes == [192, 0, 2, 7])
        #expect(IPAddressBytes("::1")?.bytes == [UInt8](repeating: 0, count: 15) + [1])
    }

    @Test(arguments: ["", "127.1", "0x7f.0.0.1", "1.2.3.4.5", "256.0.0.1", "::1%eth0", "[::1]", "a.b.c.d", "1.2.3.4\0"])
    func rejectsOtherTexts(text: String) {
        #expect(IPAddressBytes(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.255.0.3", true), ("128.0.0.1", false), ("0.0.0.0", false), ("::1", true),
        ("::2", false), ("::ffff:127.0.0.1", true), ("::ffff:10.0.0.1", false), ("fe80::1", false),
    ])
    func recognizesThisMachine(text: String, isLoopback: Bool) {
        #expect(IPAddressBytes(text)?.isLoopback == isLoopback)
    }
}

internal import Testing

@testable internal import ApusTrust

@Suite struct AddressTextTests {
    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("0:0:1::", "0:0:1::"),
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
        ("::ffff:1.2.3.4", "::ffff:102:304"), ("[::1]", "::1"), ("fe80::1%2", "fe80::1"),
    ])
    func readsAndWritesAnAddress(text: String, canonical: String) throws {
        let bytes = try #require(AddressText.bytes(of: text))
        #expect(AddressText.text(of: bytes[...]) == canonical)
    }

    @Test(arguments: ["", "a.example", "1.2.3", "1.2.3.256", "1.2.3.4.", "01.2.3.4.5", "1:2", ":::", "1.2.3.4\0", "[]"])
    func isNoAddress(text: String) {
        #expect(AddressText.bytes(of: text) == nil)
    }

    @Test(arguments: [0, 3, 5, 8, 15, 17])
    func writesNoBytesOfAnotherLength(count: Int) {
        #expect(AddressText.text(of: [UInt8](repeating: 0, count: count)[...]) == nil)
    }
}

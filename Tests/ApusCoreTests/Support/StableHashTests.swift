internal import Testing

@testable internal import ApusCore

@Suite struct StableHashTests {
    /// The test vectors of the authors of FNV.
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)]
    )
    func hashes(text: String, expected: UInt64) {
        #expect(StableHash.fnv1a(text.utf8) == expected)
    }
}

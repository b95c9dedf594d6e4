internal import Testing

@testable internal import ApusTransfers

@Suite struct RecordChecksumTests {
    /// The check value of CRC-32, and the checksums of gzip.
    @Test(
        arguments: [
            ("123456789", 0xCBF4_3926), ("", 0), ("a", 0xE8B7_BE43),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)]
    )
    func isThatOfGzip(text: String, checksum: UInt32) {
        #expect(RecordChecksum.of(text.utf8) == checksum)
    }

    @Test func changesWithEachBit() {
        let bytes = Array("a record of a transfer".utf8)
        var checksums = [RecordChecksum.of(bytes)]
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                checksums.append(RecordChecksum.of(changed))
            }
        }
        #expect(Set(checksums).count == checksums.count)
    }
}

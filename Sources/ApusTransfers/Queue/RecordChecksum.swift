/// The checksum of a record: CRC-32, as in gzip. It finds each damage of up to 32 successive bits.
enum RecordChecksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    /// Returns the checksum of some bytes.
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var value = UInt32.max
        for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
        return ~value
    }
}

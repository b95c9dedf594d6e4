/// Encodes gzip (RFC 1952) without compression, so that tests can stack codings.
enum StoredGzip {
    static func coded(_ input: [UInt8], times: Int = 1) -> [UInt8] {
        (0..<times).reduce(input) { input, _ in coded(once: input) }
    }

    private static func coded(once input: [UInt8]) -> [UInt8] {
        precondition(input.count < 65536, "one stored block")
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        let length = UInt16(input.count)
        let block = [1] + bytes(UInt32(length) | UInt32(~length) << 16)
        return head + block + input + bytes(crc32(input)) + bytes(UInt32(input.count))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func crc32(_ input: [UInt8]) -> UInt32 {
        var remainder: UInt32 = .max
        for byte in input {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
        }
        return ~remainder
    }
}

/// gzip of RFC 1952 that compresses nothing: what a test needs to put codings on top of each other.
enum StoredGzip {
    static func coded(_ content: [UInt8], times: Int = 1) -> [UInt8] {
        (0..<times).reduce(content) { content, _ in coded(once: content) }
    }

    private static func coded(once content: [UInt8]) -> [UInt8] {
        precondition(content.count < 65536, "one stored block")
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        let length = UInt16(content.count)
        let block = [1] + bytes(UInt32(length) | UInt32(~length) << 16)
        return head + block + content + bytes(crc32(content)) + bytes(UInt32(content.count))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func crc32(_ content: [UInt8]) -> UInt32 {
        var remainder: UInt32 = .max
        for byte in content {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
        }
        return ~remainder
    }
}

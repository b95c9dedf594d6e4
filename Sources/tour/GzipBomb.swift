/// 4 MiB of zeros as a gzip member of 4 KiB, close to the maximum compression of gzip.
///
/// See RFC 1952 §2.3, https://www.rfc-editor.org/rfc/rfc1952.html#section-2.3
enum GzipBomb {
    static let bytes: [UInt8] = head + block + trailer

    private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// One block: the codes, a literal, then one bit for the length and one for the distance of each run of 258 bytes.
    private static let block: [UInt8] =
        [0xED, 0xC1, 0x01, 0x01, 0, 0, 0, 0x82, 0x20, 0xFF, 0xAF, 0x6E, 0x48, 0x40, 0x01]
        + [UInt8](repeating: 0, count: 4063) + [0x7C, 0x1B]

    /// The CRC of the uncompressed data, and its length.
    private static let trailer: [UInt8] = [0x6A, 0x40, 0x47, 0x11, 0, 0, 0x40, 0]
}

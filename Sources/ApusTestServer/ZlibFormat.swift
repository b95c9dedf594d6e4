internal import CZlib

/// Compresses and decompresses whole buffers with zlib.
enum ZlibFormat: Int32 {
    case gzip = 31
    /// The registered `deflate` content coding: DEFLATE in the zlib format.
    case zlib = 15
    /// DEFLATE without the zlib format. Some servers send it as `deflate`.
    case raw = -15

    /// zlib's value for detecting gzip or zlib from the data.
    private static let eitherWindowBits: Int32 = 47

    func compress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                &stream,
                Z_DEFAULT_COMPRESSION,
                Z_DEFLATED,
                rawValue,
                8,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                size
            ) == Z_OK
        else { return [] }
        defer { deflateEnd(&stream) }
        return Self.run(bytes, limit: .max, &stream) { deflate(&$0, $1 ? Z_FINISH : Z_NO_FLUSH) } ?? []
    }

    /// Decompresses gzip or zlib. Returns nil for other data, or if the result exceeds the limit.
    static func decompress(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, eitherWindowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            return nil
        }
        defer { inflateEnd(&stream) }
        return run(bytes, limit: limit, &stream) { stream, _ in inflate(&stream, Z_NO_FLUSH) }
    }

    private static func run(
        _ bytes: [UInt8],
        limit: Int,
        _ stream: inout z_stream,
        step: (inout z_stream, _ isLast: Bool) -> Int32
    ) -> [UInt8]? {
        var input = bytes
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        var offset = 0
        while output.count <= limit {
            let (result, taken, made) = input.withUnsafeMutableBufferPointer { source in
                piece.withUnsafeMutableBufferPointer { target -> (Int32, Int, Int) in
                    let available = min(source.count - offset, 1 << 30)
                    stream.next_in = source.baseAddress.map { $0 + offset }
                    stream.avail_in = UInt32(available)
                    stream.next_out = target.baseAddress
                    stream.avail_out = UInt32(target.count)
                    let result = step(&stream, offset + available == source.count)
                    return (result, available - Int(stream.avail_in), target.count - Int(stream.avail_out))
                }
            }
            offset += taken
            output += piece[..<made]
            if result == Z_STREAM_END { return output }
            guard result == Z_OK, taken > 0 || made > 0 else { return nil }
        }
        return nil
    }
}

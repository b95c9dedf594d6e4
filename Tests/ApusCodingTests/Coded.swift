internal import CZlib
internal import Testing

@testable internal import ApusCoding
@testable internal import ApusCore

/// Compresses test content with zlib.
enum Coded {
    /// Text that deflate compresses moderately.
    static func text(_ count: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count + 64)
        var seed: UInt32 = 1
        while text.count < count {
            seed = seed &* 1_664_525 &+ 1_013_904_223
            text += Array("{\"id\": \(seed >> 8), \"name\": \"Apus apus\"}, ".utf8)
        }
        return Array(text.prefix(count))
    }

    static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    static func deflated(_ content: [UInt8], windowBits: Int32, flush: Int32 = Z_FINISH) -> [UInt8] {
        var stream = z_stream()
        let version = Int32(MemoryLayout<z_stream>.size)
        var output: [UInt8] = []
        // zlib keeps the address of the stream, so the stream must not move while it is in use.
        withUnsafeMutablePointer(to: &stream) { stream in
            let status = deflateInit2_(
                stream,
                9,
                Z_DEFLATED,
                windowBits,
                9,
                Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                version
            )
            #expect(status == Z_OK)
            defer { deflateEnd(stream) }
            var content = content
            content.withUnsafeMutableBufferPointer { input in
                let room = Int(deflateBound(stream, UInt(input.count))) + 64
                output = [UInt8](unsafeUninitializedCapacity: room) { output, count in
                    stream.pointee.next_in = input.baseAddress
                    stream.pointee.avail_in = UInt32(input.count)
                    stream.pointee.next_out = output.baseAddress
                    stream.pointee.avail_out = UInt32(room)
                    #expect(deflate(stream, flush) == (flush == Z_FINISH ? Z_STREAM_END : Z_OK))
                    count = room - Int(stream.pointee.avail_out)
                }
            }
        }
        return output
    }

    static func raw(_ content: [UInt8]) -> [UInt8] { deflated(content, windowBits: -15) }

    static func zlib(_ content: [UInt8]) -> [UInt8] { deflated(content, windowBits: 15) }

    /// One member, filled up to `size` with an extra field in the header.
    static func gzip(_ content: [UInt8], filledUpTo size: Int? = nil) -> [UInt8] {
        let body = raw(content)
        let checksum = crc32(0, content, UInt32(content.count))
        var extra: [UInt8] = []
        if let size {
            let length = size - body.count - 20
            precondition(0...0xFFFF ~= length)
            extra = littleEndian(UInt32(length)).prefix(2) + zeros(length)
        }
        let flags: UInt8 = size == nil ? 0 : 4
        return [0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 2, 255] + extra + body
            + littleEndian(UInt32(truncatingIfNeeded: checksum)) + littleEndian(UInt32(content.count))
    }

    /// The beginning of a gzip stream of zeros, about a thousand times smaller than its content. It has no end.
    static func bomb(mebibytes: Int) -> [UInt8] {
        let mebibyte = deflated(zeros(1 << 20), windowBits: -15, flush: Z_FULL_FLUSH)
        var bomb: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 255]
        for _ in 0..<mebibytes { bomb += mebibyte }
        return bomb
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

/// Decodes pieces with the library's decoder.
func inflate(
    _ pieces: [[UInt8]],
    _ format: Inflater.Format,
    by inflater: Inflater? = nil
) throws(ApusError) -> [UInt8] {
    let inflater = inflater ?? Inflater(format)
    var rest = pieces[...]
    var content: [UInt8] = []
    while true {
        switch try inflater.next() {
        case .chunk(let piece): content += piece.bytes
        case .needsInput:
            if let piece = rest.popFirst() { inflater.feed(BodyChunk(piece)) } else { inflater.finish() }
        case .ended: return content
        }
    }
}

extension [UInt8] {
    /// The bytes in pieces of `size`. The last piece may be smaller.
    func pieces(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}

extension BodyChunk {
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

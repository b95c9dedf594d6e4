internal import ApusCore
internal import CZlib
internal import Foundation

/// Compresses a body with one deflate coding, piece by piece on demand.
///
/// It holds at most one chunk, the state of zlib (256 KiB), and one piece of `pieceBytes`. A piece is returned when it
/// is full or the body ends, so a slow stream may produce no output for a long time.
///
/// Not safe for concurrent use: one caller at a time.
///
/// See RFC 1950, RFC 1951, RFC 1952 and RFC 9110 §8.4.1,
/// https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4.1
final class Deflater {
    enum Format: Sendable {
        /// RFC 1952.
        case gzip
        /// RFC 1950, the format that RFC 9110 calls `deflate`.
        case zlib

        fileprivate var windowBits: Int32 {
            switch self {
            case .gzip: MAX_WBITS + 16
            case .zlib: MAX_WBITS
            }
        }
    }

    enum Step {
        /// Coded bytes, never empty.
        case chunk(BodyChunk)
        /// One step's share of the input was used, and more remains.
        case unfinished
        /// No output until the next call of `feed` or `finish`.
        case needsInput
        /// All input is coded.
        case ended
    }

    /// The maximum size of a coded chunk, in bytes.
    static let pieceBytes = 64 << 10
    /// The maximum input of one step, in bytes: a few milliseconds of work.
    static let stepBytes = 256 << 10

    private var input: BodyChunk?
    private var offset = 0
    private var isInputOver = false
    private var isEnded = false
    /// On the heap, since zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
    private var filled = 0

    /// - Parameters:
    ///   - format: The format around the deflate data.
    ///   - level: The compression level, from 0 (stored) to 9.
    /// - Throws: `ApusError` with the code `requestBodyFailed` if memory is short or the level is invalid.
    init(_ format: Format, level: Int) throws(ApusError) {
        self.stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream,
            Int32(level),
            Z_DEFLATED,
            format.windowBits,
            // The default of zlib.
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else { throw Self.fault(status) }
    }

    deinit {
        // Has no effect on a stream that could not be set up.
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        output.deallocate()
    }

    /// The number of bytes that were fed but not used yet.
    private var unreadCount: Int { (input?.count ?? 0) - offset }

    /// Takes a chunk. The previous one must be used up.
    func feed(_ chunk: BodyChunk) {
        precondition(unreadCount == 0 && !isInputOver, "the previous chunk is not consumed yet")
        input = chunk
        offset = 0
    }

    /// Marks the end of the input.
    func finish() {
        isInputOver = true
    }

    /// Compresses until a piece is full, more input is needed, or `stepBytes` are used up.
    func next() throws(ApusError) -> Step {
        guard !isEnded else { return .ended }
        let offered = min(unreadCount, Self.stepBytes)
        guard offered > 0 || isInputOver else { return .needsInput }
        let isLast = isInputOver && offered == unreadCount
        let used = try run(offered, flush: isLast ? Z_FINISH : Z_NO_FLUSH)
        offset += used
        if filled == Self.pieceBytes || isEnded, filled > 0 { return .chunk(takePiece()) }
        // With output space left, zlib stops only when its input is used up.
        guard used == offered, !isLast || isEnded else { throw Self.fault(Z_STREAM_ERROR) }
        return unreadCount > 0 || isInputOver ? .unfinished : .needsInput
    }

    /// Compresses a body that is completely in memory.
    static func deflate(_ content: BodyChunk, _ format: Format, level: Int) throws(ApusError) -> BodyChunk {
        let deflater = try Deflater(format, level: level)
        deflater.feed(content)
        deflater.finish()
        var pieces: [BodyChunk] = []
        while true {
            switch try deflater.next() {
            case .chunk(let piece): pieces.append(piece)
            case .unfinished, .needsInput: continue
            case .ended: return BodyChunk(joining: pieces)
            }
        }
    }

    /// Runs zlib once over the next `count` bytes.
    ///
    /// - Returns: The number of bytes that zlib used.
    private func run(_ count: Int, flush: Int32) throws(ApusError) -> Int {
        let room = output.dropFirst(filled)
        let status = (input ?? BodyChunk("")).withUnsafeBytes { bytes in
            let unread = bytes.dropFirst(offset).prefix(count)
            // zlib only reads through `next_in`, although its header does not declare it const.
            let address = UnsafeRawBufferPointer(rebasing: unread).baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: address)
            stream.pointee.avail_in = UInt32(count)
            stream.pointee.next_out =
                UnsafeMutableRawBufferPointer(rebasing: room).baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(room.count)
            return CZlib.deflate(stream, flush)
        }
        filled = Self.pieceBytes - Int(stream.pointee.avail_out)
        switch status {
        case Z_STREAM_END: isEnded = true
        case Z_OK, Z_BUF_ERROR: break
        default: throw Self.fault(status)
        }
        return count - Int(stream.pointee.avail_in)
    }

    private func takePiece() -> BodyChunk {
        defer { filled = 0 }
        return BodyChunk(UnsafeRawBufferPointer(output)[..<filled])
    }

    private static func fault(_ status: Int32) -> ApusError {
        ApusError(
            .requestBodyFailed,
            status == Z_MEM_ERROR
                ? "there is not enough memory to compress it" : "it could not be compressed: zlib status \(status)"
        )
    }
}

extension BodyChunk {
    /// Joins several chunks into one. A single chunk is not copied.
    fileprivate init(joining pieces: [BodyChunk]) {
        if pieces.count == 1 {
            self = pieces[0]
        } else {
            var all = Data()
            for piece in pieces { all.append(piece) }
            self.init(all)
        }
    }
}

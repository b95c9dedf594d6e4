internal import ApusCore
internal import CZlib
internal import Foundation

/// Applies one deflate coding, piece by piece, as it is asked for.
///
/// At most one chunk is held, what zlib remembers of those before (a quarter of a mebibyte), and one piece of
/// `pieceBytes`, which is handed out when it is full or the content ends. So of a stream that comes slowly nothing may
/// go out for long.
///
/// It is confined to its owner: one caller at a time.
///
/// See RFC 1950, RFC 1951, RFC 1952 and RFC 9110 §8.4.1,
/// https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4.1
final class Deflater {
    enum Format: Sendable {
        /// RFC 1952.
        case gzip
        /// RFC 1950: what RFC 9110 calls `deflate`.
        case zlib

        fileprivate var windowBits: Int32 {
            switch self {
            case .gzip: MAX_WBITS + 16
            case .zlib: MAX_WBITS
            }
        }
    }

    enum Step {
        /// Coded bytes, never none.
        case chunk(BodyChunk)
        /// As much was used up as is at once, and there is more.
        case unfinished
        /// There is nothing without another `feed` or `finish`.
        case needsInput
        /// All is coded.
        case ended
    }

    /// The most bytes of a coded chunk.
    static let pieceBytes = 64 << 10
    /// How much is used up in one step: some milliseconds of work.
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
    ///   - format: The wrapping.
    ///   - level: From 0, which stores, to 9.
    /// - Throws: `ApusError` with the code `requestBodyFailed` where there is no memory, or no such level.
    init(_ format: Format, level: Int) throws(ApusError) {
        self.stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream,
            Int32(level),
            Z_DEFLATED,
            format.windowBits,
            // zlib's own default.
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else { throw Self.fault(status) }
    }

    deinit {
        // Of a stream that could not be set up it does nothing.
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        output.deallocate()
    }

    /// How many bytes are here but not used yet.
    private var unreadCount: Int { (input?.count ?? 0) - offset }

    /// Takes a chunk, once the one before is used up.
    func feed(_ chunk: BodyChunk) {
        precondition(unreadCount == 0 && !isInputOver, "the chunk before is not used up")
        input = chunk
        offset = 0
    }

    /// No other chunk comes.
    func finish() {
        isInputOver = true
    }

    /// Codes until there is a piece, more input is needed, or `stepBytes` are used up.
    func next() throws(ApusError) -> Step {
        guard !isEnded else { return .ended }
        let offered = min(unreadCount, Self.stepBytes)
        guard offered > 0 || isInputOver else { return .needsInput }
        let isLast = isInputOver && offered == unreadCount
        let used = try run(offered, flush: isLast ? Z_FINISH : Z_NO_FLUSH)
        offset += used
        if filled == Self.pieceBytes || isEnded, filled > 0 { return .chunk(takePiece()) }
        // With room left, zlib has no reason to stop but the end of what it was given.
        guard used == offered, !isLast || isEnded else { throw Self.fault(Z_STREAM_ERROR) }
        return unreadCount > 0 || isInputOver ? .unfinished : .needsInput
    }

    /// Codes a content that is all here.
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
    /// - Returns: How many of them were used up.
    private func run(_ count: Int, flush: Int32) throws(ApusError) -> Int {
        let room = output.dropFirst(filled)
        let status = (input ?? BodyChunk("")).withUnsafeBytes { bytes in
            let unread = bytes.dropFirst(offset).prefix(count)
            // zlib only reads what `next_in` points to, though its header does not say so.
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
                ? "there is no memory to compress it with" : "it could not be compressed: zlib status \(status)"
        )
    }
}

extension BodyChunk {
    /// One chunk of several, without a copy where there is but one.
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

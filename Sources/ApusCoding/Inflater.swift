internal import ApusCore
internal import CZlib

/// Decodes one deflate coding, piece by piece on demand.
///
/// It holds at most one coded chunk. A decoded chunk has at most `pieceBytes` and is made only on demand, so a small
/// input that expands to a large output is never in memory as a whole.
///
/// Not safe for concurrent use: one caller at a time.
///
/// See RFC 1950, RFC 1951, RFC 1952 and RFC 9110 §8.4.1,
/// https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4.1
final class Inflater {
    enum Format: String, Sendable {
        /// RFC 1952, with one or more members.
        case gzip
        /// RFC 1950.
        case zlib
        /// RFC 1951 without a wrapper.
        case raw = "raw deflate"
        /// The coding that servers call `deflate`: zlib, or raw deflate by an old mistake. The first two bytes decide.
        case deflate
    }

    enum Step {
        /// Decoded bytes, never empty.
        case chunk(BodyChunk)
        /// No output until the next call of `feed` or `finish`.
        case needsInput
        /// All input is decoded, and it was complete.
        case ended
    }

    /// ```
    /// untouched ─→ ambiguous ─→ inside ─→ behind ─→ padding
    ///     └──────────────────────↑  ↑───────┘ (gzip: another member)
    ///
    /// behind ─→ magic ─→ inside     (gzip, if bytes behind the content are ignored)
    ///    └────────┴────→ ignoring
    /// ```
    private enum Phase {
        case untouched
        /// The first byte may begin a zlib header. The second byte decides.
        case ambiguous(UInt8)
        case inside
        /// After a complete member or stream.
        case behind
        /// After zeros that pad a block. Only more zeros may follow.
        case padding
        /// After a member and a byte that may begin another member. The second byte decides.
        case magic
        /// After bytes that begin no member.
        case ignoring
    }

    /// The first two bytes of each gzip member.
    private static let magic: (UInt8, UInt8) = (0x1F, 0x8B)
    /// The maximum size of a decoded chunk, in bytes.
    static let pieceBytes = 64 << 10

    private var format: Format
    private let ignoresRest: Bool
    private var phase = Phase.untouched
    private var input: BodyChunk?
    private var offset = 0
    private var isInputOver = false
    /// The capacity of the last piece if it was filled. Then zlib may produce more output without input.
    private var filledCapacity: Int?
    /// On the heap, since zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isStreamSetUp = false
    /// The number of bytes dropped after a complete gzip body.
    private(set) var ignoredCount = 0

    /// - Parameters:
    ///   - format: The coding.
    ///   - ignoresRest: Whether bytes after a complete gzip body are dropped. Otherwise they are an error.
    init(_ format: Format, ignoresRest: Bool = false) {
        self.format = format
        self.ignoresRest = ignoresRest
        self.stream = .allocate(capacity: 1)
        self.stream.initialize(to: z_stream())
    }

    deinit {
        if isStreamSetUp { inflateEnd(stream) }
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// The number of coded bytes that were fed but not used yet.
    var unreadCount: Int { (input?.count ?? 0) - offset }

    /// Whether more output is possible without more input.
    var hasWork: Bool { unreadCount > 0 || filledCapacity != nil }

    /// Takes a coded chunk. The previous one must be used up.
    func feed(_ chunk: BodyChunk) {
        precondition(unreadCount == 0, "the previous chunk is not consumed yet")
        input = chunk
        offset = 0
    }

    /// Marks the end of the input.
    func finish() {
        isInputOver = true
    }

    /// Decodes until there is a piece, or until more input is needed.
    ///
    /// An empty input is valid and decodes to nothing.
    ///
    /// - Throws: `ApusError` with the code `contentCodingFailed` and a description of the problem.
    func next() throws(ApusError) -> Step {
        while true {
            switch phase {
            case .untouched:
                guard let first = peek() else { return isInputOver ? .ended : .needsInput }
                try begin(with: first)
            case .ambiguous(let first):
                guard let second = peek() else { return try starved() }
                format = (Int(first) << 8 | Int(second)).isMultiple(of: 31) ? .zlib : .raw
                try setUp()
                try inflate(alone: first)
            case .inside:
                guard hasWork else { return try starved() }
                if let piece = try inflatePiece() { return .chunk(piece) }
            case .behind:
                guard let first = peek() else { return isInputOver ? .ended : .needsInput }
                guard format == .gzip else {
                    phase = .padding
                    continue
                }
                switch (first == Self.magic.0, ignoresRest) {
                case (true, true):
                    offset += 1
                    phase = .magic
                case (true, false):
                    inflateReset(stream)
                    phase = .inside
                case (false, true): phase = .ignoring
                case (false, false): phase = .padding
                }
            case .magic:
                guard let second = peek() else { return try starved() }
                if second == Self.magic.1 {
                    inflateReset(stream)
                    phase = .inside
                    try inflate(alone: Self.magic.0)
                } else {
                    ignoredCount += 1
                    phase = .ignoring
                }
            case .ignoring:
                ignoredCount += unreadCount
                dropInput()
                return isInputOver ? .ended : .needsInput
            case .padding:
                try skipZeros()
                return isInputOver ? .ended : .needsInput
            }
        }
    }

    private func peek() -> UInt8? {
        unreadCount > 0 ? input?.withUnsafeBytes { $0[offset] } : nil
    }

    private func begin(with first: UInt8) throws(ApusError) {
        if format == .deflate {
            // A zlib header begins with the deflate method and a valid window size: CM = 8, CINFO ≤ 7.
            if first & 0x0F == 8, first >> 4 <= 7 {
                offset += 1
                phase = .ambiguous(first)
                return
            }
            format = .raw
        }
        try setUp()
    }

    private func setUp() throws(ApusError) {
        let largestWindow: Int32 = 15
        let bits =
            switch format {
            case .gzip: largestWindow + 16
            case .zlib, .deflate: largestWindow
            case .raw: -largestWindow
            }
        guard inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw ApusError(.contentCodingFailed, "zlib could not be set up: out of memory")
        }
        isStreamSetUp = true
        phase = .inside
    }

    /// Feeds one header byte to zlib, which produces no output.
    private func inflate(alone byte: UInt8) throws(ApusError) {
        var byte = byte
        var nowhere: UInt8 = 0
        let status = withUnsafeMutablePointer(to: &byte) { input in
            withUnsafeMutablePointer(to: &nowhere) { output in
                stream.pointee.next_in = input
                stream.pointee.avail_in = 1
                stream.pointee.next_out = output
                stream.pointee.avail_out = 0
                return CZlib.inflate(stream, Z_NO_FLUSH)
            }
        }
        guard status == Z_OK || status == Z_BUF_ERROR, stream.pointee.avail_in == 0 else { throw fault(status) }
    }

    /// Runs zlib once over the current input.
    private func inflatePiece() throws(ApusError) -> BodyChunk? {
        let unread = unreadCount
        let capacity = capacity(for: unread)
        var status = Z_OK
        let piece = BodyChunk(unsafeUninitializedCapacity: capacity) { output in
            guard let input else { return run(nil, output, capacity, &status) }
            return input.withUnsafeBytes { bytes in
                run(UnsafeRawBufferPointer(rebasing: bytes[offset...]), output, capacity, &status)
            }
        }
        let used = unread - unreadCount
        switch status {
        case Z_STREAM_END:
            phase = .behind
            filledCapacity = nil
        case Z_OK:
            filledCapacity = piece.count == capacity ? capacity : nil
        case Z_BUF_ERROR where piece.isEmpty && used == 0 && unread == 0:
            filledCapacity = nil
        default:
            throw fault(status)
        }
        return piece.isEmpty ? nil : piece
    }

    /// Text often expands sixfold, so that a short body fits into one piece. Greater expansion gets larger pieces.
    private func capacity(for unread: Int) -> Int {
        let guess = max(min(unread, Self.pieceBytes / 8) * 8, 4 << 10)
        return min(max(guess, (filledCapacity ?? 0) * 4), Self.pieceBytes)
    }

    /// - Returns: The number of bytes written.
    private func run(
        _ input: UnsafeRawBufferPointer?,
        _ output: UnsafeMutableRawBufferPointer,
        _ capacity: Int,
        _ status: inout Int32
    ) -> Int {
        let offered = UInt32(clamping: input?.count ?? 0)
        let bytes = input?.baseAddress?.assumingMemoryBound(to: UInt8.self)
        // zlib only reads through `next_in`, although its header does not declare it const.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes)
        stream.pointee.avail_in = offered
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(capacity)
        status = CZlib.inflate(stream, Z_NO_FLUSH)
        offset += Int(offered - stream.pointee.avail_in)
        return capacity - Int(stream.pointee.avail_out)
    }

    private func skipZeros() throws(ApusError) {
        let isPadding = input?.withUnsafeBytes { bytes in bytes[offset...].allSatisfy { $0 == 0 } } ?? true
        guard isPadding else {
            throw ApusError(.contentCodingFailed, "unexpected bytes follow the \(format.rawValue) data")
        }
        dropInput()
    }

    private func dropInput() {
        input = nil
        offset = 0
    }

    /// Handles missing input within the body: requests more, or throws if the input is over.
    private func starved() throws(ApusError) -> Step {
        guard isInputOver else { return .needsInput }
        throw ApusError(.contentCodingFailed, "the \(format.rawValue) data is incomplete")
    }

    private func fault(_ status: Int32) -> ApusError {
        let message = stream.pointee.msg.map { String(cString: $0) } ?? ""
        let detail =
            switch (status, message) {
            case (Z_NEED_DICT, _):
                "the \(format.rawValue) data needs a dictionary, which is not supported"
            case (Z_MEM_ERROR, _):
                "there is not enough memory to decode the \(format.rawValue) data"
            case (_, "incorrect data check"):
                "the checksum of the \(format.rawValue) data is wrong"
            case (_, "incorrect length check"):
                "the length at the end of the \(format.rawValue) data is wrong"
            case (_, "incorrect header check"):
                "the data does not begin with a \(format.rawValue) header"
            default:
                "the \(format.rawValue) data is damaged (\(message.isEmpty ? "zlib status \(status)" : message))"
            }
        return ApusError(.contentCodingFailed, detail)
    }
}

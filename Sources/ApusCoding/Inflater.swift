internal import ApusCore
internal import CZlib

/// Undoes one deflate coding, piece by piece, as it is asked for.
///
/// At most one coded chunk is held; a decoded chunk has at most `pieceBytes`, and none is made before it is asked for.
/// So what a small input grows to never lies in memory as a whole.
///
/// It is confined to its owner: one caller at a time.
///
/// See RFC 1950, RFC 1951, RFC 1952 and RFC 9110 §8.4.1,
/// https://www.rfc-editor.org/rfc/rfc9110.html#section-8.4.1
final class Inflater {
    enum Format: String, Sendable {
        /// RFC 1952: one member or several, one behind the other.
        case gzip
        /// RFC 1950.
        case zlib
        /// RFC 1951 bare.
        case raw = "raw deflate"
        /// What servers send under the name `deflate`: zlib, or raw by an old mistake. The first bytes tell.
        case deflate
    }

    enum Step {
        /// Decoded bytes, never none.
        case chunk(BodyChunk)
        /// There is nothing without another `feed` or `finish`.
        case needsInput
        /// All is decoded, and it was complete.
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
        /// The first byte may begin a zlib header; the second decides.
        case ambiguous(UInt8)
        case inside
        /// Behind a complete member or stream.
        case behind
        /// Behind zeros that fill up a block; only more of them may follow.
        case padding
        /// Behind a member and a byte that may begin another one; the second byte decides.
        case magic
        /// Behind bytes that begin no member.
        case ignoring
    }

    /// The bytes that each gzip member begins with.
    private static let magic: (UInt8, UInt8) = (0x1F, 0x8B)
    /// The most bytes of a decoded chunk.
    static let pieceBytes = 64 << 10

    private var format: Format
    private let ignoresRest: Bool
    private var phase = Phase.untouched
    private var input: BodyChunk?
    private var offset = 0
    private var isInputOver = false
    /// The room of the last piece, where it was filled to its end: zlib may then hold more without any input.
    private var filledCapacity: Int?
    /// On the heap, since zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isStreamSetUp = false
    /// How many bytes behind a complete gzip content were dropped.
    private(set) var ignoredCount = 0

    /// - Parameters:
    ///   - format: The coding.
    ///   - ignoresRest: Whether bytes behind a complete gzip content are dropped; else they are an error.
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

    /// How many coded bytes are here but not used yet.
    var unreadCount: Int { (input?.count ?? 0) - offset }

    /// Whether something can be decoded without more input.
    var hasWork: Bool { unreadCount > 0 || filledCapacity != nil }

    /// Takes a coded chunk, once the one before is used up.
    func feed(_ chunk: BodyChunk) {
        precondition(unreadCount == 0, "the chunk before is not used up")
        input = chunk
        offset = 0
    }

    /// No other chunk comes.
    func finish() {
        isInputOver = true
    }

    /// Decodes until there is a piece, or until more input is needed.
    ///
    /// No input at all is no error: it decodes to nothing.
    ///
    /// - Throws: `ApusError` with the code `contentCodingFailed`, saying what was wrong.
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
            // Only a deflate method with a window that exists can begin zlib: CM = 8, CINFO ≤ 7.
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
            throw ApusError(.contentCodingFailed, "zlib could not be set up, for lack of memory")
        }
        isStreamSetUp = true
        phase = .inside
    }

    /// Feeds a byte that is part of a header, of which nothing comes out.
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

    /// Runs zlib once over the input that is here.
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

    /// Text shrinks to a sixth or so: a short content then comes out in one piece. What grows more gets larger pieces.
    private func capacity(for unread: Int) -> Int {
        let guess = max(min(unread, Self.pieceBytes / 8) * 8, 4 << 10)
        return min(max(guess, (filledCapacity ?? 0) * 4), Self.pieceBytes)
    }

    /// - Returns: How many bytes were written.
    private func run(
        _ input: UnsafeRawBufferPointer?,
        _ output: UnsafeMutableRawBufferPointer,
        _ capacity: Int,
        _ status: inout Int32
    ) -> Int {
        let offered = UInt32(clamping: input?.count ?? 0)
        let bytes = input?.baseAddress?.assumingMemoryBound(to: UInt8.self)
        // zlib only reads what `next_in` points to, though its header does not say so.
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
            throw ApusError(.contentCodingFailed, "something else follows the \(format.rawValue) content")
        }
        dropInput()
    }

    private func dropInput() {
        input = nil
        offset = 0
    }

    /// There is no input in the middle of the content.
    private func starved() throws(ApusError) -> Step {
        guard isInputOver else { return .needsInput }
        throw ApusError(.contentCodingFailed, "the \(format.rawValue) content ends in the middle")
    }

    private func fault(_ status: Int32) -> ApusError {
        let message = stream.pointee.msg.map { String(cString: $0) } ?? ""
        let detail =
            switch (status, message) {
            case (Z_NEED_DICT, _):
                "the \(format.rawValue) content needs a dictionary that nobody has named"
            case (Z_MEM_ERROR, _):
                "there is no memory to decode the \(format.rawValue) content with"
            case (_, "incorrect data check"):
                "the checksum of the \(format.rawValue) content is wrong"
            case (_, "incorrect length check"):
                "the length at the end of the \(format.rawValue) content is wrong"
            case (_, "incorrect header check"):
                "the content does not begin like \(format.rawValue)"
            default:
                "the \(format.rawValue) content is damaged (\(message.isEmpty ? "zlib status \(status)" : message))"
            }
        return ApusError(.contentCodingFailed, detail)
    }
}

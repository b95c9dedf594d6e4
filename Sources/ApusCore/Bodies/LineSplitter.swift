internal import ApusPlatform

/// Splits bytes that arrive in chunks into lines, which end with LF or CRLF.
///
/// A line within one chunk is a slice of it. Only a line that spans several chunks is copied. No character is cut,
/// since a multi-byte UTF-8 sequence contains neither LF nor CR.
struct LineSplitter {
    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The maximum number of bytes in a line, without its end.
    private let limit: Int
    /// The unread part of the latest chunk.
    private var rest: BodyChunk?
    /// The beginning of the current line, from earlier chunks.
    private var beginning: [UInt8] = []
    /// The number of lines so far.
    private(set) var lineCount = 0

    init(limitBytes: Int) {
        // One byte more must be countable.
        self.limit = min(max(0, limitBytes), Int.max - 1)
    }

    /// Adds the next chunk. The lines of the chunk before it must have been taken.
    mutating func add(_ chunk: BodyChunk) {
        rest = chunk
    }

    /// Returns the next line without its end, or `nil` if it needs another chunk.
    mutating func next() throws(ApusError) -> BodyChunk? {
        guard let chunk = rest else { return nil }
        guard let end = chunk.firstIndex(of: Self.lineFeed) else {
            rest = nil
            try keep(chunk)
            return nil
        }
        rest = chunk.dropFirst(end + 1)
        var line = chunk.prefix(end)
        if !beginning.isEmpty {
            try keep(line)
            line = takeBeginning()
        }
        if line.last == Self.carriageReturn { line = line.prefix(line.count - 1) }
        return try counted(line)
    }

    /// Returns the last line if it has no end, or `nil` if there is no such line. Called after the last chunk.
    mutating func finish() throws(ApusError) -> BodyChunk? {
        guard !beginning.isEmpty else { return nil }
        let line = try counted(takeBeginning())
        return line.isEmpty ? nil : line
    }

    /// Appends to the current line. One byte more than the limit is allowed, since a CR may belong to the line's end.
    private mutating func keep(_ piece: BodyChunk) throws(ApusError) {
        guard beginning.count + piece.count <= limit + 1 else { throw tooLong }
        piece.withUnsafeBytes { beginning.append(contentsOf: $0) }
    }

    private mutating func takeBeginning() -> BodyChunk {
        defer { beginning.removeAll(keepingCapacity: true) }
        return BodyChunk(beginning)
    }

    /// Counts a complete line. Returns it, the first one without a byte order mark.
    private mutating func counted(_ line: BodyChunk) throws(ApusError) -> BodyChunk {
        guard line.count <= limit else { throw tooLong }
        lineCount += 1
        guard lineCount == 1, line.withUnsafeBytes({ $0.starts(with: Self.byteOrderMark) }) else { return line }
        return line.dropFirst(Self.byteOrderMark.count)
    }

    private var tooLong: ApusError {
        ApusError(.bodyTooLarge, "line \(lineCount + 1) has more than \(limit) bytes; raise limitBytes to read it")
    }
}

extension BodyChunk {
    /// Returns the number of bytes before the first `byte`, or `nil` if there is none.
    fileprivate func firstIndex(of byte: UInt8) -> Int? {
        withUnsafeBytes { bytes -> Int? in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
            return start.distance(to: UnsafeRawPointer(found))
        }
    }

    fileprivate var last: UInt8? { withUnsafeBytes { $0.last } }
}

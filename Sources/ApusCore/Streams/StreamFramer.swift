/// A part of a body that a stream handler turns into one value.
struct StreamPiece: Sendable {
    let bytes: BodyChunk
    /// The number of the line, from 1 on. 0 for other pieces.
    var lineNumber = 0
}

/// Divides the chunks of a body into the pieces that one stream handler gets.
struct StreamFramer: Sendable {
    /// The boundaries of the pieces.
    enum Kind: Sendable {
        /// Each chunk is a piece.
        case chunks
        /// A chunk without the beginning of a character at its end. That begins the next piece.
        case characters
        /// Each line with content is a piece.
        case lines(limitBytes: Int)
    }

    /// The pieces of a chunk, and the error that ends them.
    struct Batch: Sendable {
        var pieces: [StreamPiece] = []
        var fault: ApusError?
    }

    private let kind: Kind
    /// The beginning of a character, at most three bytes.
    private var held: [UInt8] = []
    private var splitter: LineSplitter

    init(_ kind: Kind) {
        self.kind = kind
        if case .lines(let limitBytes) = kind {
            self.splitter = LineSplitter(limitBytes: limitBytes)
        } else {
            self.splitter = LineSplitter(limitBytes: 0)
        }
    }

    mutating func add(_ chunk: BodyChunk) -> Batch {
        switch kind {
        case .chunks:
            return Batch(pieces: [StreamPiece(bytes: chunk)])
        case .characters:
            let whole = wholeCharacters(of: chunk)
            return whole.isEmpty ? Batch() : Batch(pieces: [StreamPiece(bytes: whole)])
        case .lines:
            splitter.add(chunk)
            return lines { splitter throws(ApusError) in try splitter.next() }
        }
    }

    /// Returns the pieces that are left after the last chunk.
    mutating func finish() -> Batch {
        switch kind {
        case .chunks:
            return Batch()
        case .characters:
            defer { held = [] }
            return held.isEmpty ? Batch() : Batch(pieces: [StreamPiece(bytes: BodyChunk(held))])
        case .lines:
            var isOver = false
            return lines { splitter throws(ApusError) in
                guard !isOver else { return nil }
                isOver = true
                return try splitter.finish()
            }
        }
    }

    private mutating func lines(_ next: (inout LineSplitter) throws(ApusError) -> BodyChunk?) -> Batch {
        var batch = Batch()
        do throws(ApusError) {
            while let line = try next(&splitter) {
                guard !line.isBlank else { continue }
                batch.pieces.append(StreamPiece(bytes: line, lineNumber: splitter.lineCount))
            }
        } catch {
            batch.fault = error
        }
        return batch
    }

    /// Returns the held bytes and those of the chunk, up to the last character that is complete. A cut before the first
    /// byte of a character never changes how the bytes are decoded, valid or not.
    private mutating func wholeCharacters(of chunk: BodyChunk) -> BodyChunk {
        let bytes = held.isEmpty ? chunk : BodyChunk(held + chunk.withUnsafeBytes { Array($0) })
        let count = bytes.withUnsafeBytes { $0.count - Self.unfinishedCount(in: $0) }
        held = bytes.dropFirst(count).withUnsafeBytes { Array($0) }
        return bytes.prefix(count)
    }

    /// Returns the number of bytes at the end that begin a character and do not complete it. RFC 3629 §3.
    private static func unfinishedCount(in bytes: UnsafeRawBufferPointer) -> Int {
        for count in 1...3 where count <= bytes.count {
            let length: Int
            switch bytes[bytes.count - count] {
            case 0x80...0xBF: continue
            case 0xC2...0xDF: length = 2
            case 0xE0...0xEF: length = 3
            case 0xF0...0xF4: length = 4
            default: length = 1
            }
            return length > count ? count : 0
        }
        return 0
    }
}

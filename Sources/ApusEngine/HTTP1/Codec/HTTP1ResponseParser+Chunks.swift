internal import HTTPTypes
internal import NIOCore

extension HTTP1ResponseParser {
    /// Takes one event of a chunked body off the buffer: a part of a chunk's data, or the end with its trailers.
    mutating func takeChunked(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Event? {
        while true {
            switch phase {
            case .chunkSize:
                guard let size = try takeChunkSize(&buffer) else { return nil }
                phase = size == 0 ? .trailers : .chunkData(remaining: size)
                if size == 0 { beginSection() }
            case .chunkData(let remaining):
                guard let slice = takeBody(&buffer, atMost: remaining) else { return nil }
                let left = remaining - slice.readableBytes
                phase = left == 0 ? .chunkEnd : .chunkData(remaining: left)
                return .body(slice)
            case .chunkEnd:
                guard try takeChunkEnd(&buffer) else { return nil }
                phase = .chunkSize
            default:
                guard try takeTrailers(&buffer) else { return nil }
                phase = .idle
                return .end(trailers: fields.isEmpty ? nil : fields)
            }
        }
    }

    /// Takes the CRLF after a chunk's data.
    private func takeChunkEnd(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Bool {
        let isComplete = try buffer.withUnsafeReadableBytes { bytes throws(HTTP1ParseError) in
            guard bytes.count > 0 else { return false }
            guard bytes[0] == HTTP1Octets.carriageReturn else { throw .chunkDataUnterminated }
            guard bytes.count > 1 else { return false }
            guard bytes[1] == HTTP1Octets.lineFeed else { throw .chunkDataUnterminated }
            return true
        }
        if isComplete { buffer.moveReaderIndex(forwardBy: 2) }
        return isComplete
    }

    /// Takes one chunk-size line and skips its extensions.
    private mutating func takeChunkSize(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Int? {
        var length = 0
        let size = try buffer.withUnsafeReadableBytes { bytes throws(HTTP1ParseError) -> Int? in
            guard let end = try lineEnd(bytes, from: 0, of: .chunkSize) else { return nil }
            length = end + 2
            return try Self.chunkSize(bytes, end)
        }
        buffer.moveReaderIndex(forwardBy: length)
        return size
    }

    /// Reads `1*16HEXDIG [BWS ";" extensions]`.
    ///
    /// White space that no extension follows is refused: only BWS ahead of the semicolon is in the grammar
    /// (RFC 9112 §7.1.1).
    private static func chunkSize(_ bytes: UnsafeRawBufferPointer, _ end: Int) throws(HTTP1ParseError) -> Int {
        var size = 0
        var index = 0
        while index < end, let digit = HTTP1Octets.hexValue(bytes[index]) {
            guard index < 16, size <= Int.max >> 4 else { throw .chunkSizeInvalid }
            size = size << 4 | digit
            index += 1
        }
        guard index > 0 else { throw .chunkSizeInvalid }
        while index < end, HTTP1Octets.isBlank(bytes[index]) {
            index += 1
            guard index < end else { throw .chunkSizeInvalid }
        }
        guard index == end || bytes[index] == HTTP1Octets.semicolon else { throw .chunkSizeInvalid }
        return size
    }
}

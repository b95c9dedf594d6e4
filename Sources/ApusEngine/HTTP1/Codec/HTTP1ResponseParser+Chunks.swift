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
                if size == 0 {
                    beginSection()
                    section.begin(isFinalHead: false)
                }
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
            guard bytes[0] == HTTPOctets.carriageReturn else { throw .chunkDataUnterminated }
            guard bytes.count > 1 else { return false }
            guard bytes[1] == HTTPOctets.lineFeed else { throw .chunkDataUnterminated }
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
            return try chunkSize(bytes, end)
        }
        buffer.moveReaderIndex(forwardBy: length)
        return size
    }

    /// Reads `1*16HEXDIG [extensions]`, or white space instead of extensions: some servers pad sizes to the same width.
    private func chunkSize(_ bytes: UnsafeRawBufferPointer, _ end: Int) throws(HTTP1ParseError) -> Int {
        var size = 0
        var index = 0
        while index < end, let digit = HTTPOctets.hexValue(bytes[index]) {
            guard index < 16, size <= Int.max >> 4 else { throw .chunkSizeInvalid }
            size = size << 4 | digit
            index += 1
        }
        guard index > 0, index == end || isPadding(bytes, index, end) || Self.areExtensions(bytes, index, end) else {
            throw .chunkSizeInvalid
        }
        return size
    }

    private func isPadding(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        !limits.isStrict && bytes[start..<end].allSatisfy(HTTPOctets.isBlank)
    }

    /// Returns whether `start..<end` is `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112
    /// §7.1.1).
    ///
    /// Extensions are ignored, as required. They must be well formed, as a peer that reads them differently may find
    /// the end of the line elsewhere. White space after the last extension is not well formed.
    private static func areExtensions(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
        var index = start
        func skipBlanks() {
            while index < end, HTTPOctets.isBlank(bytes[index]) { index += 1 }
        }
        func skipToken() -> Bool {
            let first = index
            while index < end, HTTPOctets.isToken(bytes[index]) { index += 1 }
            return index > first
        }
        func skipQuotedString() -> Bool {
            index += 1
            while index < end, bytes[index] != UInt8(ascii: "\"") {
                index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            index += 1
            return index <= end
        }
        while index < end {
            skipBlanks()
            guard index < end, bytes[index] == UInt8(ascii: ";") else { return false }
            index += 1
            skipBlanks()
            guard skipToken() else { return false }
            let afterName = index
            skipBlanks()
            guard index < end, bytes[index] == UInt8(ascii: "=") else {
                index = afterName
                continue
            }
            index += 1
            skipBlanks()
            guard index < end, bytes[index] == UInt8(ascii: "\"") ? skipQuotedString() : skipToken() else {
                return false
            }
        }
        return true
    }
}

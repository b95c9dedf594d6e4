internal import HTTPTypes
internal import NIOCore

extension HTTP1ResponseParser {
    /// The kinds of lines, which differ in their limits and errors.
    enum Line {
        case status
        case field
        case trailer
        case chunkSize
    }

    /// Takes complete lines of a head off the buffer.
    ///
    /// - Returns: Whether the head is complete.
    mutating func takeHead(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Bool {
        var position = 0
        let isComplete = try buffer.withUnsafeReadableBytes { bytes throws(HTTP1ParseError) in
            var sectionStart: Int?
            if case .statusLine = phase {
                try checkPrefix(bytes)
                guard let end = try lineEnd(bytes, from: 0, of: .status) else { return false }
                try readStatusLine(bytes, end)
                position = Self.afterLine(bytes, end)
                phase = .fields
                sectionStart = position
                section.begin(isFinalHead: status.code >= 200)
            }
            guard let sectionEnd = try takeFieldLines(bytes, &position, .field) else { return false }
            fields = section.end(sectionStart.map { UnsafeRawBufferPointer(rebasing: bytes[$0..<sectionEnd]) })
            return true
        }
        buffer.moveReaderIndex(forwardBy: position)
        return isComplete
    }

    /// Takes complete lines of a trailer section off the buffer.
    ///
    /// - Returns: Whether the trailer section is complete.
    mutating func takeTrailers(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Bool {
        var position = 0
        let isComplete = try buffer.withUnsafeReadableBytes { bytes throws(HTTP1ParseError) in
            guard try takeFieldLines(bytes, &position, .trailer) != nil else { return false }
            fields = section.end(nil)
            return true
        }
        buffer.moveReaderIndex(forwardBy: position)
        return isComplete
    }

    /// Reads complete field lines, and moves `position` after them.
    ///
    /// - Returns: The start of the empty line that ends the section, or `nil` if the section is incomplete.
    private mutating func takeFieldLines(
        _ bytes: UnsafeRawBufferPointer,
        _ position: inout Int,
        _ line: Line
    ) throws(HTTP1ParseError) -> Int? {
        while true {
            let start = position
            if let known = section.knownLine(at: start, in: bytes) {
                position += known.byteCount
                try countLine(known.byteCount, of: line)
                try countField()
                readKnownLine(bytes, start, position - 2, known.role)
                continue
            }
            guard let end = try lineEnd(bytes, from: start, of: line) else { return nil }
            position = Self.afterLine(bytes, end)
            if end == start { return start }
            try countField()
            if isFolded {
                try readFoldedLine(bytes, start, end, line)
            } else {
                try readFieldLine(bytes, start, end, line)
            }
        }
    }

    /// Returns the index after the CRLF or lone LF at `end`.
    @inline(__always)
    private static func afterLine(_ bytes: UnsafeRawBufferPointer, _ end: Int) -> Int {
        bytes[end] == HTTPOctets.lineFeed ? end &+ 1 : end &+ 2
    }

    /// Counts a complete line including its line end towards the limits.
    @inline(__always)
    private mutating func countLine(_ count: Int, of line: Line) throws(HTTP1ParseError) {
        scanned = 0
        sectionBytes += count
        guard sectionBytes <= sectionLimit(of: line) else { throw sectionTooLarge(line) }
    }

    @inline(__always)
    private mutating func countField() throws(HTTP1ParseError) {
        sectionLines += 1
        guard sectionLines <= limits.fieldCount else { throw .tooManyFields(limit: limits.fieldCount) }
    }

    /// Finds the end of the line at `start`, and counts the line towards the limits. A folded field counts as one line.
    ///
    /// Errors are detected in the order of the bytes, so the result does not depend on the split of the bytes into
    /// reads.
    ///
    /// - Returns: The index of the CRLF or the lone LF, or `nil` if the line is incomplete.
    mutating func lineEnd(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        of line: Line
    ) throws(HTTP1ParseError) -> Int? {
        while true {
            let end = HTTPOctets.firstControl(in: bytes, from: start + scanned)
            guard end - start <= budget(of: line) else { throw tooLong(line) }
            guard end < bytes.count else {
                scanned = end - start
                return nil
            }
            var next = end + 1
            if bytes[end] == HTTPOctets.carriageReturn {
                guard next < bytes.count else {
                    scanned = end - start
                    return nil
                }
                guard bytes[next] == HTTPOctets.lineFeed else { throw .bareCarriageReturn }
                next += 1
            } else {
                guard bytes[end] == HTTPOctets.lineFeed, !limits.isStrict, line != .chunkSize else {
                    throw control(bytes, start, end, line)
                }
                // Remembered lines end in CRLF.
                section.stopRemembering()
            }
            if end > start, line == .field || line == .trailer, !limits.isStrict {
                // Only the byte after a field line shows whether the field continues.
                guard next < bytes.count else {
                    scanned = end - start
                    return nil
                }
                if HTTPOctets.isBlank(bytes[next]) {
                    try noteFold(bytes, start, end)
                    scanned = next - start
                    continue
                }
            }
            if line == .chunkSize { scanned = 0 } else { try countLine(next - start, of: line) }
            return end
        }
    }

    /// Records that the field at `start` continues after `end`.
    private mutating func noteFold(
        _ bytes: UnsafeRawBufferPointer,
        _ start: Int,
        _ end: Int
    ) throws(HTTP1ParseError) {
        guard !isFolded else { return }
        guard !HTTPOctets.isBlank(bytes[start]) else { throw leadingBlank }
        guard HTTPOctets.firstColon(in: bytes, from: start, to: end) < end else { throw .fieldNameInvalid }
        isFolded = true
        section.stopRemembering()
    }

    /// The error for a line that starts with white space and continues no field.
    var leadingBlank: HTTP1ParseError { limits.isStrict ? .obsoleteFold : .whiteSpaceAheadOfFields }

    /// Returns the maximum remaining length of a line, without its line end.
    @inline(__always)
    private func budget(of line: Line) -> Int {
        if line == .chunkSize { return limits.chunkSizeLineBytes }
        return min(limits.fieldBytes, sectionLimit(of: line) - sectionBytes)
    }

    @inline(__always)
    private func sectionLimit(of line: Line) -> Int {
        line == .trailer ? limits.trailerBytes : limits.responseHeadBytes
    }

    private func sectionTooLarge(_ line: Line) -> HTTP1ParseError {
        line == .trailer
            ? .trailersTooLarge(limit: limits.trailerBytes) : .headTooLarge(limit: limits.responseHeadBytes)
    }

    /// Returns the error for a line that exceeds its budget, which names the limit reached first.
    private func tooLong(_ line: Line) -> HTTP1ParseError {
        if line == .chunkSize { return .chunkSizeLineTooLong(limit: limits.chunkSizeLineBytes) }
        if sectionLimit(of: line) - sectionBytes < limits.fieldBytes { return sectionTooLarge(line) }
        return line == .status
            ? .statusLineTooLong(limit: limits.fieldBytes) : .fieldTooLarge(limit: limits.fieldBytes)
    }

    /// Returns the error for a control character inside a line.
    private func control(
        _ bytes: UnsafeRawBufferPointer,
        _ start: Int,
        _ index: Int,
        _ line: Line
    ) -> HTTP1ParseError {
        if bytes[index] == HTTPOctets.lineFeed { return .bareLineFeed }
        switch line {
        case .status: return .statusLineInvalid
        case .chunkSize: return .chunkSizeInvalid
        case .field, .trailer:
            if start < index, HTTPOctets.isBlank(bytes[start]) { return leadingBlank }
            let colon = HTTPOctets.firstColon(in: bytes, from: start, to: index)
            guard colon < index else { return .fieldNameInvalid }
            return .fieldValueInvalid(name: String(decoding: bytes[start..<colon].prefix(64), as: UTF8.self))
        }
    }
}

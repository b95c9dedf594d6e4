internal import HTTPTypes
internal import NIOCore

extension HTTP1ResponseParser {
    /// The kinds of lines, which differ in their limits and in what their faults are called.
    enum Line {
        case status
        case field
        case trailer
        case chunkSize
    }

    /// Takes complete lines of a head off the buffer.
    ///
    /// - Returns: Whether the empty line that ends the head was among them.
    mutating func takeHead(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Bool {
        var position = 0
        let isComplete = try buffer.withUnsafeReadableBytes { bytes throws(HTTP1ParseError) in
            var sectionStart: Int?
            if case .statusLine = phase {
                try checkPrefix(bytes)
                guard let end = try lineEnd(bytes, from: 0, of: .status) else { return false }
                try readStatusLine(bytes, end)
                position = end + 2
                phase = .fields
                sectionStart = position
                section.begin(isFinalHead: status.code >= 200)
            }
            guard try takeFieldLines(bytes, &position, .field) else { return false }
            fields = section.end(sectionStart.map { UnsafeRawBufferPointer(rebasing: bytes[$0..<(position - 2)]) })
            return true
        }
        buffer.moveReaderIndex(forwardBy: position)
        return isComplete
    }

    /// Takes complete lines of a trailer section off the buffer.
    ///
    /// - Returns: Whether the empty line that ends the message was among them.
    mutating func takeTrailers(_ buffer: inout ByteBuffer) throws(HTTP1ParseError) -> Bool {
        var position = 0
        let isComplete = try buffer.withUnsafeReadableBytes { bytes throws(HTTP1ParseError) in
            guard try takeFieldLines(bytes, &position, .trailer) else { return false }
            fields = section.end(nil)
            return true
        }
        buffer.moveReaderIndex(forwardBy: position)
        return isComplete
    }

    private mutating func takeFieldLines(
        _ bytes: UnsafeRawBufferPointer,
        _ position: inout Int,
        _ line: Line
    ) throws(HTTP1ParseError) -> Bool {
        while true {
            let start = position
            if let known = section.knownLine(at: start, in: bytes) {
                position += known.byteCount
                try countLine(known.byteCount, of: line)
                try countField()
                readKnownLine(bytes, start, position - 2, known.role)
                continue
            }
            guard let end = try lineEnd(bytes, from: start, of: line) else { return false }
            position = end + 2
            if end == start { return true }
            try countField()
            try readFieldLine(bytes, start, end, line)
        }
    }

    /// Takes a complete line with its CRLF into account.
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

    /// Finds the CRLF that ends the line at `start`, and takes the line into account.
    ///
    /// Faults are found in the order of the bytes, each at its own byte, so the verdict is the same however the
    /// bytes were cut into reads.
    ///
    /// - Returns: The index of the CR, or nil: the line is incomplete.
    mutating func lineEnd(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        of line: Line
    ) throws(HTTP1ParseError) -> Int? {
        let end = HTTP1Octets.firstControl(in: bytes, from: start + scanned)
        guard end - start <= budget(of: line) else { throw tooLong(line) }
        guard end < bytes.count else {
            scanned = end - start
            return nil
        }
        guard bytes[end] == HTTP1Octets.carriageReturn else { throw control(bytes, start, end, line) }
        guard end + 1 < bytes.count else {
            scanned = end - start
            return nil
        }
        guard bytes[end + 1] == HTTP1Octets.lineFeed else { throw .bareCarriageReturn }
        if line == .chunkSize { scanned = 0 } else { try countLine(end - start + 2, of: line) }
        return end
    }

    /// The most bytes a line may still have, without its CRLF.
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

    /// The fault of a line above its budget, named after the limit that is met first.
    private func tooLong(_ line: Line) -> HTTP1ParseError {
        if line == .chunkSize { return .chunkSizeLineTooLong(limit: limits.chunkSizeLineBytes) }
        if sectionLimit(of: line) - sectionBytes < limits.fieldBytes { return sectionTooLarge(line) }
        return line == .status
            ? .statusLineTooLong(limit: limits.fieldBytes) : .fieldTooLarge(limit: limits.fieldBytes)
    }

    /// The fault of a control character other than CR inside a line.
    private func control(
        _ bytes: UnsafeRawBufferPointer,
        _ start: Int,
        _ index: Int,
        _ line: Line
    ) -> HTTP1ParseError {
        if bytes[index] == HTTP1Octets.lineFeed { return .bareLineFeed }
        switch line {
        case .status: return .statusLineInvalid
        case .chunkSize: return .chunkSizeInvalid
        case .field, .trailer:
            if start < index, HTTP1Octets.isBlank(bytes[start]) { return .obsoleteFold }
            let colon = HTTP1Octets.firstColon(in: bytes, from: start, to: index)
            guard colon < index else { return .fieldNameInvalid }
            return .fieldValueInvalid(name: String(decoding: bytes[start..<colon].prefix(64), as: UTF8.self))
        }
    }
}

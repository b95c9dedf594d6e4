internal import HTTPTypes

extension HTTP1ResponseParser {
    /// Rejects input at the first byte that can't belong to a status line, so that a server of another protocol is
    /// distinguished from a slow one.
    ///
    /// That includes empty lines: RFC 9112 §2.2 lets servers skip them before a request, but before a response they can
    /// only be the rest of a body that was longer than announced.
    func checkPrefix(_ bytes: UnsafeRawBufferPointer) throws(HTTP1ParseError) {
        let expected: StaticString = "HTTP/"
        for index in scanned..<max(scanned, min(bytes.count, 5)) where bytes[index] != expected.utf8Start[index] {
            throw .statusLineInvalid
        }
    }

    /// Reads `HTTP/1.x SP 3DIGIT [SP reason]`. `checkPrefix` has checked the first five bytes.
    ///
    /// RFC 9112 §4 requires the second SP even before an empty reason. Servers omit it, and all clients accept that.
    mutating func readStatusLine(_ bytes: UnsafeRawBufferPointer, _ end: Int) throws(HTTP1ParseError) {
        guard end >= 7, bytes[5] == UInt8(ascii: "1"), bytes[6] == UInt8(ascii: ".") else {
            guard end >= 6, HTTPOctets.isDigit(bytes[5]), bytes[5] != UInt8(ascii: "1") else {
                throw .statusLineInvalid
            }
            throw .versionUnsupported
        }
        guard end >= 12, HTTPOctets.isDigit(bytes[7]), bytes[8] == HTTPOctets.space,
            HTTPOctets.isDigit(bytes[9]), HTTPOctets.isDigit(bytes[10]), HTTPOctets.isDigit(bytes[11]),
            end == 12 || bytes[12] == HTTPOctets.space
        else { throw .statusLineInvalid }
        let code = Int(bytes[9] &- 0x30) * 100 + Int(bytes[10] &- 0x30) * 10 + Int(bytes[11] &- 0x30)
        guard code >= 100 else { throw .statusLineInvalid }
        minorVersion = bytes[7] == UInt8(ascii: "0") ? 0 : 1
        status = Self.status(code, UnsafeRawBufferPointer(rebasing: bytes[min(13, end)..<end]))
    }

    /// Returns the status with its reason phrase as received, without a new String for the usual one.
    private static func status(_ code: Int, _ reason: UnsafeRawBufferPointer) -> HTTPResponse.Status {
        if code == 200, reason.count == 2, reason[0] == UInt8(ascii: "O"), reason[1] == UInt8(ascii: "K") { return .ok }
        if reason.isEmpty { return HTTPResponse.Status(code: code) }
        return HTTPResponse.Status(code: code, reasonPhrase: String(decoding: reason, as: UTF8.self))
    }

    /// Reads one field line without its line end. `lineEnd` has checked that HTAB is its only control character.
    mutating func readFieldLine(
        _ bytes: UnsafeRawBufferPointer,
        _ start: Int,
        _ end: Int,
        _ line: Line
    ) throws(HTTP1ParseError) {
        guard !HTTPOctets.isBlank(bytes[start]) else { throw leadingBlank }
        let colon = HTTPOctets.firstColon(in: bytes, from: start, to: end)
        guard colon < end else { throw .fieldNameInvalid }
        let value = HTTPOctets.trimmed(bytes, colon + 1, end)
        let name: HTTPField.Name
        let role: HTTPFieldRole
        if let entry = HTTPFieldNames.known.entry(bytes, start..<colon) {
            (name, role) = (entry.name, entry.role)
        } else {
            // The initializer rejects names that are not tokens, such as empty names.
            let spelling = String(decoding: bytes[start..<colon], as: UTF8.self)
            guard let built = HTTPField.Name(spelling) else { throw .fieldNameInvalid }
            (name, role) = (built, HTTPFieldNames.known.role(of: built))
        }
        if line == .trailer {
            if !role.isForbiddenInTrailers { section.take(Self.field(name, bytes, value), end - start + 2, role) }
            return
        }
        // The value kept from a list of lengths depends on earlier lines, which may differ next time.
        if role == .contentLength, bytes[value].contains(HTTPOctets.comma) { section.stopRemembering() }
        if isFolded, role == .contentLength || role == .transferEncoding { framing.noteFold() }
        guard let value = readFraming(bytes, value, role) else { return section.leaveOutLine() }
        section.take(Self.field(name, bytes, value), end - start + 2, role)
    }

    /// Reads a field that is folded over several lines: the line with its name and those that begin with white space.
    mutating func readFoldedLine(
        _ bytes: UnsafeRawBufferPointer,
        _ start: Int,
        _ end: Int,
        _ line: Line
    ) throws(HTTP1ParseError) {
        let unfolded = Self.unfolded(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        try unfolded.withUnsafeBufferPointer { bytes throws(HTTP1ParseError) in
            try readFieldLine(UnsafeRawBufferPointer(bytes), 0, bytes.count, line)
        }
        isFolded = false
    }

    /// Returns the line with each inner line end and the white space around it replaced by one SP (RFC 9112 §5.2).
    private static func unfolded(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        func isLineEnd(_ byte: UInt8) -> Bool { byte == HTTPOctets.carriageReturn || byte == HTTPOctets.lineFeed }
        var line: [UInt8] = []
        line.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard isLineEnd(bytes[index]) else {
                line.append(bytes[index])
                index += 1
                continue
            }
            while let last = line.last, HTTPOctets.isBlank(last) { line.removeLast() }
            while index < bytes.count, isLineEnd(bytes[index]) || HTTPOctets.isBlank(bytes[index]) { index += 1 }
            line.append(HTTPOctets.space)
        }
        return line
    }

    /// Reads a line that the last head also had at this position.
    @inline(__always)
    mutating func readKnownLine(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ role: HTTPFieldRole) {
        if role == .contentLength || role == .transferEncoding || role == .connection {
            let colon = HTTPOctets.firstColon(in: bytes, from: start, to: end)
            let value = HTTPOctets.trimmed(bytes, colon + 1, end)
            guard readFraming(bytes, value, role) != nil else { return section.leaveOutLine() }
        }
        section.takeKnownLine(end - start + 2, role)
    }

    /// Reads a field that affects the framing of the message.
    ///
    /// - Returns: The value to keep in the fields, or `nil` to leave out the line.
    @inline(__always)
    private mutating func readFraming(
        _ bytes: UnsafeRawBufferPointer,
        _ value: Range<Int>,
        _ role: HTTPFieldRole
    ) -> Range<Int>? {
        switch role {
        case .contentLength: return framing.addContentLength(bytes, value)
        case .transferEncoding: framing.addTransferEncoding(bytes, value)
        case .connection: framing.addConnection(bytes, value)
        case .plain, .host, .upgrade, .demanding, .headOnly: break
        }
        return value
    }

    /// Creates a field with its value as received: bytes outside ASCII are kept, whether UTF-8 or not.
    private static func field(_ name: HTTPField.Name, _ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) -> HTTPField
    {
        let value = UnsafeRawBufferPointer(rebasing: bytes[value])
        // Creating a field from a String is fastest, but replaces bytes that are not valid UTF-8.
        return HTTPOctets.isASCII(value)
            ? HTTPField(name: name, value: String(decoding: value, as: UTF8.self)) : HTTPField(name: name, value: value)
    }
}

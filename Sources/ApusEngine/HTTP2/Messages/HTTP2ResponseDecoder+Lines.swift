internal import HTTPTypes

extension HTTP2ResponseDecoder {
    /// Reads one line of a header list.
    mutating func read(_ line: HPACKHeader) throws(HTTP2StreamError) {
        section.byteCount += line.byteCount
        try checkSize()
        switch line.name {
        case .pseudo(let field): try readPseudoField(field, line)
        case .field(let name, let role): try readField(name, role, line)
        case .invalid: throw .malformed("A field name of the response is empty or has a character that is not allowed.")
        }
    }

    private var isInTrailers: Bool { phase != .head }

    private func checkSize() throws(HTTP2StreamError) {
        if isInTrailers {
            guard section.byteCount <= limits.trailerBytes else {
                throw .exceeded(.trailersTooLarge(limit: limits.trailerBytes))
            }
        } else {
            guard section.byteCount <= limits.headerListBytes else {
                throw .exceeded(.headTooLarge(limit: limits.headerListBytes))
            }
        }
    }

    private mutating func readPseudoField(
        _ field: HTTP2PseudoField,
        _ line: HPACKHeader
    ) throws(HTTP2StreamError) {
        guard !isInTrailers else { throw .malformed("The trailers of the response have a pseudo field.") }
        guard section.fieldCount == 0 else { throw .malformed("A pseudo field of the response follows other fields.") }
        guard case .status = field else { throw .malformed("The response has a pseudo field other than :status.") }
        guard section.status == nil else { throw .malformed("The response has more than one :status.") }
        guard let status = Self.status(line.value) else {
            throw .malformed("The :status of the response is not a number of three digits.")
        }
        section.status = status
        // Most heads have fewer fields than this. Growing in steps costs more than the fields.
        if status >= 200 { section.fields.reserveCapacity(12) }
    }

    private mutating func readField(
        _ name: HTTPField.Name,
        _ role: HTTPFieldRole,
        _ line: HPACKHeader
    ) throws(HTTP2StreamError) {
        section.fieldCount += 1
        guard section.fieldCount <= limits.fieldCount else {
            throw .exceeded(.tooManyFields(limit: limits.fieldCount))
        }
        guard line.isValueValid else {
            let name = name.rawName.prefix(64)
            throw .malformed("The value of the response field \(name) has a control character, or blanks at its ends.")
        }
        switch role {
        case .connection, .transferEncoding, .upgrade:
            throw Self.connectionSpecific(name)
        case .headOnly:
            guard !Self.isConnectionSpecific(name.canonicalName) else { throw Self.connectionSpecific(name) }
        case .contentLength where !isInTrailers:
            return takeContentLength(name, line)
        case .demanding:
            section.isPlain = false
        case .plain, .host, .contentLength: break
        }
        if isInTrailers, role.isForbiddenInTrailers { return }
        section.fields.append(line.field ?? HTTPField(name: name, value: line.value))
    }

    /// Takes a Content-Length. A repeated one is kept once.
    private mutating func takeContentLength(_ name: HTTPField.Name, _ line: HPACKHeader) {
        var value = line.value
        var text: String?
        var isWhole = true
        value.withUTF8 { (bytes: UnsafeBufferPointer<UInt8>) -> Void in
            let all = UnsafeRawBufferPointer(bytes)
            guard let kept = section.framing.addContentLength(all, 0..<all.count) else { return }
            isWhole = kept.count == all.count
            text = String(decoding: all[kept], as: UTF8.self)
        }
        guard let text else { return }
        if isWhole, let field = line.field {
            section.fields.append(field)
        } else {
            section.fields.append(HTTPField(name: name, value: text))
        }
    }

    /// Returns the number of a status. `nil` unless it has three digits and is at least 100.
    private static func status(_ value: String) -> Int? {
        guard value.utf8.count == 3 else { return nil }
        var number = 0
        for byte in value.utf8 {
            guard HTTPOctets.isDigit(byte) else { return nil }
            number = number * 10 + Int(byte &- 0x30)
        }
        return number >= 100 ? number : nil
    }

    /// Returns whether the field concerns a single HTTP/1.1 connection. Compares the length first.
    private static func isConnectionSpecific(_ name: String) -> Bool {
        switch name.utf8.count {
        case 10: name == "keep-alive"
        case 16: name == "proxy-connection"
        default: false
        }
    }

    private static func connectionSpecific(_ name: HTTPField.Name) -> HTTP2StreamError {
        .malformed("The response has the field \(name.canonicalName), which HTTP/2 forbids.")
    }
}

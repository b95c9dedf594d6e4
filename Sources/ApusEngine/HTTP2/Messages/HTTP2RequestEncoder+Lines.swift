internal import HTTPTypes
internal import NIOCore

extension HTTP2RequestEncoder {
    /// A shorter cookie could be guessed byte by byte if it were in the table (RFC 7541 §7.1.3).
    private static let guessableCookieBytes = 20

    /// Writes the fields of a request, which were checked.
    static func write(
        _ fields: HTTPFields,
        _ survey: HTTP2FieldSurvey,
        hasBody: Bool,
        with encoder: inout HPACKEncoder,
        into buffer: inout ByteBuffer
    ) {
        var hasTE = false
        for index in fields.indices {
            // Read once, since each read copies the field.
            let field = fields[index]
            let name = field.name.canonicalName
            let rule = HTTP2FieldRule(name)
            // In HTTP/1.1, Connection must name TE. The part of TE that HTTP/2 allows is kept.
            if rule != .te, survey.isNamedByConnection(name) { continue }
            var indexing = HPACKEncoder.Indexing.indexed
            switch rule {
            case .indexed: break
            case .notIndexed: indexing = .notIndexed
            case .neverIndexed: indexing = .never
            case .cookie:
                writeCookies(field, with: &encoder, into: &buffer)
                continue
            case .expect:
                // RFC 9110 §10.1.1: Expect is left out if no body will be sent.
                if !hasBody { continue }
            case .te:
                if !hasTE, acceptsTrailers(field) {
                    hasTE = true
                    encoder.encode(name: "te", value: "trailers", .indexed, into: &buffer)
                }
                continue
            case .host, .framing, .connection, .leftOut: continue
            }
            write(field, indexing, with: &encoder, into: &buffer)
        }
    }

    /// Writes a line without the blanks around its value, which HTTP/2 forbids (RFC 9113 §8.2.1).
    ///
    /// The value is passed as bytes, since a String could not hold those that are not UTF-8.
    static func write(
        _ field: HTTPField,
        _ indexing: HPACKEncoder.Indexing,
        with encoder: inout HPACKEncoder,
        into buffer: inout ByteBuffer
    ) {
        let indexing = Self.indexing(of: field, usual: indexing)
        field.withUnsafeBytesOfValue { (bytes: UnsafeBufferPointer<UInt8>) -> Void in
            let all = UnsafeRawBufferPointer(bytes)
            let value = UnsafeRawBufferPointer(rebasing: all[HTTPOctets.trimmed(all, 0, all.count)])
            encoder.encode(name: field.name.canonicalName, value: value, indexing, into: &buffer)
        }
    }

    /// Writes each cookie of a Cookie field as a line, so that only changed ones are sent as text (RFC 9113 §8.2.3).
    private static func writeCookies(
        _ field: HTTPField,
        with encoder: inout HPACKEncoder,
        into buffer: inout ByteBuffer
    ) {
        field.withUnsafeBytesOfValue { (bytes: UnsafeBufferPointer<UInt8>) -> Void in
            let all = UnsafeRawBufferPointer(bytes)
            var start = 0
            while start < all.count {
                let end = cookieEnd(all, from: start)
                let cookie = UnsafeRawBufferPointer(rebasing: all[HTTPOctets.trimmed(all, start, end)])
                start = end + 2
                if cookie.isEmpty { continue }
                let isGuessable = cookie.count < guessableCookieBytes
                let indexing = Self.indexing(of: field, usual: isGuessable ? .never : .indexed)
                encoder.encode(name: "cookie", value: cookie, indexing, into: &buffer)
            }
        }
    }

    /// Returns the index of the first `; ` at or after `start`, or the number of bytes.
    private static func cookieEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var end = start
        while end < bytes.count {
            let isSeparator = bytes[end] == UInt8(ascii: ";") && end + 1 < bytes.count
            if isSeparator, bytes[end + 1] == HTTPOctets.space { return end }
            end += 1
        }
        return end
    }

    /// Returns the treatment of a line, which the caller may have set on its field.
    private static func indexing(of field: HTTPField, usual: HPACKEncoder.Indexing) -> HPACKEncoder.Indexing {
        let strategy = field.indexingStrategy
        if strategy == .automatic { return usual }
        if strategy == .disallow || usual == .never { return .never }
        return strategy == .avoid ? .notIndexed : .indexed
    }

    /// Returns whether a TE field has the member `trailers`.
    private static func acceptsTrailers(_ field: HTTPField) -> Bool {
        field.withUnsafeBytesOfValue { (bytes: UnsafeBufferPointer<UInt8>) -> Bool in
            var hasTrailers = false
            forEachMember(of: UnsafeRawBufferPointer(bytes)) { (member: UnsafeRawBufferPointer) in
                if HTTPOctets.matches(member, 0..<member.count, "trailers") { hasTrailers = true }
            }
            return hasTrailers
        }
    }

    /// Calls `body` for each member of a list that is separated by commas, without the blanks around it.
    static func forEachMember(of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != HTTPOctets.comma { end += 1 }
            body(UnsafeRawBufferPointer(rebasing: bytes[HTTPOctets.trimmed(bytes, start, end)]))
            start = end + 1
        }
    }
}

package import HTTPTypes
package import NIOCore

/// Encodes the requests of an HTTP/2 connection as header blocks, and rejects input that a server would read as
/// something else.
///
/// It accepts and rejects the same requests as the encoder of HTTP/1.1, with two exceptions: the authority must be a
/// host with an optional port, and the path must be in origin-form, or `*` for OPTIONS.
///
/// Everything is checked before the first byte is written, since the peer's table of lines can't be reverted. If an
/// error is thrown, the encoder and the buffer are unchanged.
///
/// https://www.rfc-editor.org/rfc/rfc9113.html#section-8
package enum HTTP2RequestEncoder {
    /// Appends the header block of a request to `buffer`.
    ///
    /// `framing` alone determines Content-Length. Such a field in `fields`, or Transfer-Encoding, is left out if it
    /// agrees, and is an error if it contradicts. Fields that concern a single HTTP/1.1 connection or a proxy are left
    /// out too, as are the blanks around values.
    ///
    /// - Parameters:
    ///   - method: The method. CONNECT has neither scheme nor path.
    ///   - scheme: The scheme of the target.
    ///   - authority: The host, and the port if it is not the scheme's default. A Host field in `fields` replaces it.
    ///   - path: The path and the query of the target.
    ///   - fields: The fields, in the order in which they are written.
    ///   - framing: The way in which the end of the body is marked in HTTP/1.1.
    ///   - encoder: The encoder of the connection.
    ///   - buffer: The buffer to append to.
    /// - Throws: `RequestEncodeError`.
    package static func encode(
        method: HTTPRequest.Method,
        scheme: String,
        authority: String,
        path: String,
        fields: HTTPFields,
        framing: RequestFraming,
        with encoder: inout HPACKEncoder,
        into buffer: inout ByteBuffer
    ) throws(RequestEncodeError) {
        guard AllowedOctets.token.allows(method.rawValue) else { throw .methodInvalid }
        let isConnect = method == .connect
        if !isConnect {
            guard isScheme(scheme), isPath(path, isOptions: method == .options) else { throw .targetInvalid }
        }
        let survey = try HTTP2FieldSurvey(fields, framing: framing)
        let authority = survey.host ?? authority
        guard !authority.isEmpty else { throw .hostMissing }
        guard isAuthority(authority) else { throw .hostInvalid }

        encoder.begin(into: &buffer)
        encoder.encode(name: ":method", value: method.rawValue, .indexed, into: &buffer)
        if !isConnect { encoder.encode(name: ":scheme", value: scheme, .indexed, into: &buffer) }
        encoder.encode(name: ":authority", value: authority, .indexed, into: &buffer)
        if !isConnect { encoder.encode(name: ":path", value: path, .notIndexed, into: &buffer) }
        write(fields, survey, hasBody: !framing.isEmpty, with: &encoder, into: &buffer)
        if case .length(let count) = framing {
            precondition(count >= 0, "a body can't have a negative length")
            encoder.encode(name: "content-length", value: String(count), .notIndexed, into: &buffer)
        }
    }

    /// Appends the header block of a trailer section to `buffer`.
    ///
    /// - Throws: `RequestEncodeError` for a value with a control character, or a field that is only allowed in a head.
    ///   The encoder and the buffer are then unchanged.
    package static func encodeTrailers(
        _ fields: HTTPFields,
        with encoder: inout HPACKEncoder,
        into buffer: inout ByteBuffer
    ) throws(RequestEncodeError) {
        for index in fields.indices {
            let field = fields[index]
            guard !field.name.isForbiddenInRequestTrailers else {
                throw .trailerForbidden(name: field.name.rawName)
            }
            guard HTTP2FieldSurvey.isValid(field) else { throw .fieldValueInvalid(name: field.name.rawName) }
        }
        encoder.begin(into: &buffer)
        for index in fields.indices {
            let field = fields[index]
            let isRarelyRepeated = HTTP2FieldRule(field.name.canonicalName) == .notIndexed
            write(field, isRarelyRepeated ? .notIndexed : .indexed, with: &encoder, into: &buffer)
        }
    }

    /// Returns whether the text is a scheme (RFC 3986 §3.1).
    private static func isScheme(_ scheme: String) -> Bool {
        // Nearly all requests have one of these.
        if scheme == "https" || scheme == "http" { return true }
        guard let first = scheme.utf8.first, isLetter(first) else { return false }
        return scheme.utf8.allSatisfy { (byte: UInt8) -> Bool in
            isLetter(byte) || HTTPOctets.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    /// Returns whether the text is a path with an optional query. The path may not be empty (RFC 9113 §8.3.1).
    private static func isPath(_ path: String, isOptions: Bool) -> Bool {
        if path.utf8.first == UInt8(ascii: "/") { return AllowedOctets.visible.allows(path) }
        return isOptions && path == "*"
    }

    /// Returns whether the text is a host with an optional port, as far as a server could take it for something else.
    /// User information is not allowed (RFC 9113 §8.3.1).
    private static func isAuthority(_ authority: String) -> Bool {
        var authority = authority
        return authority.withUTF8 { (bytes: UnsafeBufferPointer<UInt8>) -> Bool in
            AllowedOctets.visible.allows(UnsafeRawBufferPointer(bytes)) && !bytes.contains(where: isDelimiter)
        }
    }

    /// Returns whether the byte ends an authority or a part of it in a URI.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "\\"): true
        default: false
        }
    }
}

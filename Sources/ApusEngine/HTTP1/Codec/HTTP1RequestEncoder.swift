package import HTTPTypes
package import NIOCore

/// Writes the requests of an HTTP/1.1 connection as bytes, and refuses what would be read as something else.
package enum HTTP1RequestEncoder {
    /// How the end of a request's body is marked.
    package enum Framing: Sendable, Equatable {
        /// There is no body, and no field says so.
        case none
        /// Content-Length. The count may be zero, never negative.
        case length(Int)
        /// Transfer-Encoding: chunked.
        case chunked
    }

    /// Appends a request head, through the empty line, to `buffer`; on an error `buffer` is as it was.
    ///
    /// Host comes first. Content-Length and Transfer-Encoding are written by `framing` alone: such a field in `fields`
    /// is left out where it says the same, and is an error where it says something else.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The request target: origin-form, absolute-form, authority-form or `*`.
    ///   - host: The value of Host, unless `fields` has one. `nil` requires that it has.
    ///   - fields: The fields, in the order to be written.
    ///   - framing: How the end of the body is marked.
    ///   - buffer: The buffer to append to.
    /// - Returns: Whether the request asks for another protocol: it has an Upgrade field.
    /// - Throws: `HTTP1EncodeError`.
    @discardableResult
    package static func encode(
        method: HTTPRequest.Method,
        target: String,
        host: String?,
        fields: HTTPFields,
        framing: Framing,
        into buffer: inout ByteBuffer
    ) throws(HTTP1EncodeError) -> Bool {
        var asksForUpgrade = false
        var method = method.rawValue
        var target = target
        // A Host field of the caller's own stands first too, so it is looked for where it is expected, or once met.
        var host = host
        var hasOwnHost = host == nil
        if hasOwnHost { host = fields.first { $0.name.canonicalName == "host" }?.value }
        guard var host else { throw .hostMissing }
        try HTTP1Writer.append(to: &buffer, room: 512) { writer throws(HTTP1EncodeError) in
            guard writer.write(&method, allowing: .token) else { throw .methodInvalid }
            writer.write(" ")
            guard !target.isEmpty, writer.write(&target, allowing: .visible) else { throw .targetInvalid }
            writer.write(" HTTP/1.1\r\nHost: ")
            guard writer.write(&host, allowing: .visible) else { throw .hostInvalid }
            writer.write("\r\n")
            var hosts = 0
            // By index, and each part where it is: to copy a field costs half of what it takes to write it.
            for index in fields.indices {
                let name = fields[index].name.canonicalName
                switch HTTP1FieldRole(framingName: name) {
                case .host:
                    hosts += 1
                    guard hosts == 1 else { throw .hostRepeated }
                    if hasOwnHost { continue }
                    hasOwnHost = true
                    host = fields[index].value
                    return .again
                case .contentLength, .transferEncoding:
                    guard framing.agrees(with: fields[index]) else {
                        throw .framingContradicted(name: fields[index].name.rawName)
                    }
                case .upgrade:
                    asksForUpgrade = true
                    try writer.write(fields, at: index)
                default:
                    // RFC 9110 §10.1.1: nothing is expected where nothing will be sent.
                    if name.utf8.count == 6, name == "expect", framing.isEmpty { continue }
                    try writer.write(fields, at: index)
                }
            }
            switch framing {
            case .none: writer.write("\r\n")
            case .length(let count):
                writer.write("Content-Length: ")
                writer.write(decimal: count)
                writer.write("\r\n\r\n")
            case .chunked: writer.write("Transfer-Encoding: chunked\r\n\r\n")
            }
            return .done
        }
        return asksForUpgrade
    }

    /// Appends the line ahead of a chunk of `length` bytes, which must be positive: zero would end the body.
    package static func writeChunkPrefix(length: Int, into buffer: inout ByteBuffer) {
        precondition(length > 0, "an empty chunk would end the body")
        HTTP1Writer.append(to: &buffer, room: 18) { writer in
            writer.write(hexadecimal: length)
            writer.write("\r\n")
            return .done
        }
    }

    /// Appends the CRLF after a chunk's data.
    package static func writeChunkSuffix(into buffer: inout ByteBuffer) {
        buffer.writeStaticString("\r\n")
    }

    /// Appends the last chunk, the trailers and the empty line that ends the message.
    ///
    /// - Throws: `HTTP1EncodeError`, with `buffer` as it was, for a value with a control character or a field that
    ///   frames, routes or describes the message.
    package static func writeLastChunk(
        trailers: HTTPFields?,
        into buffer: inout ByteBuffer
    ) throws(HTTP1EncodeError) {
        guard let trailers, !trailers.isEmpty else {
            buffer.writeStaticString("0\r\n\r\n")
            return
        }
        try HTTP1Writer.append(to: &buffer, room: 256) { writer throws(HTTP1EncodeError) in
            writer.write("0\r\n")
            for index in trailers.indices {
                let name = trailers[index].name
                guard !HTTP1FieldNames.known.role(of: name).isForbiddenInTrailers else {
                    throw .trailerForbidden(name: name.rawName)
                }
                try writer.write(trailers, at: index)
            }
            writer.write("\r\n")
            return .done
        }
    }
}

extension HTTP1RequestEncoder.Framing {
    fileprivate var isEmpty: Bool { self == .none || self == .length(0) }

    /// Whether a Content-Length or Transfer-Encoding field says what will be written anyway.
    fileprivate func agrees(with field: HTTPField) -> Bool {
        switch self {
        case .none: field.name == .contentLength && field.value == "0"
        case .length(let count): field.name == .contentLength && field.value == String(count)
        case .chunked: field.name == .transferEncoding && field.value.lowercased() == "chunked"
        }
    }
}

extension HTTP1FieldRole {
    /// The role of a field that the encoder writes itself or looks for, `.plain` for every other; told by length first.
    fileprivate init(framingName name: String) {
        switch name.utf8.count {
        case 4 where name == "host": self = .host
        case 7 where name == "upgrade": self = .upgrade
        case 14 where name == "content-length": self = .contentLength
        case 17 where name == "transfer-encoding": self = .transferEncoding
        default: self = .plain
        }
    }
}

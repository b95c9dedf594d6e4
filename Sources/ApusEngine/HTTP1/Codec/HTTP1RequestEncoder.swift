package import HTTPTypes
package import NIOCore

/// Encodes the requests of an HTTP/1.1 connection, and rejects input that a server would read as something else.
package enum HTTP1RequestEncoder {
    /// Appends a request head, including its empty line, to `buffer`. If an error is thrown, `buffer` is unchanged.
    ///
    /// Host comes first. `framing` alone determines Content-Length and Transfer-Encoding: such a field in `fields` is
    /// left out if it agrees, and is an error if it contradicts.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The request target: origin-form, absolute-form, authority-form or `*`.
    ///   - host: The value of Host, unless `fields` has one. If `nil`, `fields` must have one.
    ///   - fields: The fields, in the order in which they are written.
    ///   - framing: The way in which the end of the body is marked.
    ///   - isForProxy: Whether a proxy reads the head. If not, Proxy-Authorization is left out. Default: `true`.
    ///   - buffer: The buffer to append to.
    /// - Returns: Whether the request has an Upgrade field.
    /// - Throws: `RequestEncodeError`.
    @discardableResult
    package static func encode(
        method: HTTPRequest.Method,
        target: String,
        host: String?,
        fields: HTTPFields,
        framing: RequestFraming,
        isForProxy: Bool = true,
        into buffer: inout ByteBuffer
    ) throws(RequestEncodeError) -> Bool {
        var requestsUpgrade = false
        var method = method.rawValue
        var target = target
        // The caller's own Host field comes first too. It is looked up if `host` is `nil`, or found while writing.
        var host = host
        var hasOwnHost = host == nil
        if hasOwnHost { host = fields.first { $0.name.canonicalName == "host" }?.value }
        guard var host else { throw .hostMissing }
        try HTTP1Writer.append(to: &buffer, room: 512) { writer throws(RequestEncodeError) in
            guard writer.write(&method, allowing: .token) else { throw .methodInvalid }
            writer.write(" ")
            guard !target.isEmpty, writer.write(&target, allowing: .visible) else { throw .targetInvalid }
            writer.write(" HTTP/1.1\r\nHost: ")
            guard writer.write(&host, allowing: .visible) else { throw .hostInvalid }
            writer.write("\r\n")
            var hosts = 0
            // By index and without copies: copying a field costs half as much as writing it.
            for index in fields.indices {
                let name = fields[index].name.canonicalName
                switch HTTPFieldRole(framingName: name) {
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
                    requestsUpgrade = true
                    try writer.write(fields, at: index)
                default:
                    if !isForProxy, name.utf8.count == 19, name == "proxy-authorization" { continue }
                    // RFC 9110 §10.1.1: Expect is left out if no body will be sent.
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
        return requestsUpgrade
    }

    /// Appends the line before a chunk of `length` bytes. The length must be positive, since zero would end the body.
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
    /// - Throws: `RequestEncodeError` for a value with a control character, or a field that is only allowed in a head.
    ///   `buffer` is then unchanged.
    package static func writeLastChunk(
        trailers: HTTPFields?,
        into buffer: inout ByteBuffer
    ) throws(RequestEncodeError) {
        guard let trailers, !trailers.isEmpty else {
            buffer.writeStaticString("0\r\n\r\n")
            return
        }
        try HTTP1Writer.append(to: &buffer, room: 256) { writer throws(RequestEncodeError) in
            writer.write("0\r\n")
            for index in trailers.indices {
                let name = trailers[index].name
                guard !name.isForbiddenInRequestTrailers else {
                    throw .trailerForbidden(name: name.rawName)
                }
                try writer.write(trailers, at: index)
            }
            writer.write("\r\n")
            return .done
        }
    }
}

extension RequestFraming {
    /// Whether no byte of a body will be sent.
    var isEmpty: Bool { self == .none || self == .length(0) }

    /// Returns whether a Content-Length or Transfer-Encoding field agrees with the framing that will be written.
    func agrees(with field: HTTPField) -> Bool {
        switch self {
        case .none: field.name == .contentLength && field.value == "0"
        case .length(let count): field.name == .contentLength && field.value == String(count)
        case .chunked: field.name == .transferEncoding && field.value.lowercased() == "chunked"
        }
    }
}

extension HTTPFieldRole {
    /// Returns the role of a field that the encoder writes or looks for, or `.plain`. Compares the length first.
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

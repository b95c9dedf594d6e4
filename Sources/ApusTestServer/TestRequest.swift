internal import CZlib

/// A request as read by the server.
public struct TestRequest: Sendable {
    /// The maximum number of body bytes that are stored. Further bytes are only counted.
    public static let keptBodyBytes = 1 << 20

    /// The method, as sent.
    public let method: String
    /// The request target, as sent: origin, absolute, authority or asterisk form.
    public let target: String
    /// The version, as sent: `HTTP/1.1`.
    public let version: String
    /// The whole head as received, including the empty line at its end.
    public let head: [UInt8]
    /// The reason why the head is malformed, or nil if it is valid.
    public let fault: String?
    /// The number of the request's connection, from 1 in the order of acceptance.
    public let connection: Int
    /// The server name in the client's TLS handshake, or nil without TLS or without a name.
    public let serverName: String?
    /// Whether the request was sent over TLS.
    public let isSecure: Bool
    /// The client's address without its port.
    public let remoteAddress: String

    /// The first ``keptBodyBytes`` bytes of the body, without its framing.
    public internal(set) var body: [UInt8] = []
    /// The length of the whole body in bytes.
    public internal(set) var bodyByteCount = 0
    /// The Adler-32 checksum of the whole body.
    public internal(set) var bodyChecksum: UInt32 = 1
    /// The trailer fields of a chunked body, in order.
    public internal(set) var trailers: [(name: String, value: String)] = []
    /// Whether the whole body was read. In a script, this requires the step `expectBody`.
    public internal(set) var isComplete = false

    init(_ head: RequestHead, connection: ConnectionFacts) {
        method = head.method
        target = head.target
        version = head.version
        self.head = head.bytes
        fault = head.fault
        self.connection = connection.number
        serverName = connection.serverName
        isSecure = connection.isSecure
        remoteAddress = connection.remoteAddress
    }

    /// The fields in the order and spelling of the wire. Values are decoded as ISO-8859-1.
    public var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        Self.readFields(head, from: RequestHead.endOfRequestLine(in: head), into: &fields)
        return fields
    }

    /// The values of all fields with a name, ignoring case, joined with a comma. Nil if there is none.
    public subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The path of the target, still percent-encoded.
    public var path: String {
        let (path, _) = TargetParts.split(target)
        return String(path)
    }

    /// The parameters of the target's query, decoded, in order.
    public var query: [(name: String, value: String)] {
        let (_, query) = TargetParts.split(target)
        return TargetParts.parameters(query)
    }

    /// Returns the decoded value of a query parameter, or nil if it is absent.
    public func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The stored bytes of the body as text. Invalid UTF-8 is replaced.
    public var bodyText: String {
        String(decoding: body, as: UTF8.self)
    }

    mutating func complete(trailers section: [UInt8]) {
        Self.readFields(section, from: 0, into: &trailers)
        isComplete = true
    }

    private static func readFields(
        _ bytes: [UInt8],
        from start: Int,
        into fields: inout [(name: String, value: String)]
    ) {
        _ = FieldLines.visit(bytes, from: start) { name, value in
            fields.append((String(latin1: bytes[name]), String(latin1: bytes[value])))
        }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        bodyByteCount += bytes.count
        bodyChecksum = UInt32(truncatingIfNeeded: adler32_z(UInt(bodyChecksum), start, bytes.count))
        let room = Self.keptBodyBytes - body.count
        if room > 0 { body.append(contentsOf: bytes.prefix(room)) }
    }
}

/// The properties of a connection that its requests need.
///
/// Confined to the event loop. The TLS handshake sets the server name, and the handler reads it.
final class ConnectionFacts {
    let number: Int
    let isSecure: Bool
    let remoteAddress: String
    var serverName: String?

    init(number: Int, isSecure: Bool, remoteAddress: String) {
        self.number = number
        self.isSecure = isSecure
        self.remoteAddress = remoteAddress
    }
}

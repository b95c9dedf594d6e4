internal import ApusCore
internal import NIOCore

/// Opens a connection through a SOCKS 5 proxy, RFC 1928, with a user and a password, RFC 1929. Over bytes, without I/O.
///
///     greeting sent → method → (authentication →) reply → open
struct SOCKSHandshake {
    /// The server to connect to.
    enum Destination: Equatable {
        case address(IPAddress)
        /// A name that the proxy resolves, of at most 255 bytes.
        case name(String)
    }

    enum Step: Equatable {
        /// More bytes are needed.
        case wait
        case send([UInt8])
        /// The connection is open. Bytes that are left over come from the origin.
        case open
    }

    private enum State {
        case method
        case authentication
        case reply
        case open
    }

    private static let version: UInt8 = 5
    /// The maximum size of a user name, of a password and of a host name, whose sizes are sent as one byte.
    static let maximumTextBytes = 255

    private let destination: Destination
    private let port: Int
    private let credentials: (user: [UInt8], password: [UInt8])?
    private var state = State.method

    /// Creates a handshake.
    ///
    /// - Parameters:
    ///   - destination: The server to connect to.
    ///   - port: Its port.
    ///   - credentials: The user and the password, of at most 255 bytes each. `nil` to offer none.
    init(to destination: Destination, port: Int, credentials: (user: String, password: String)?) {
        self.destination = destination
        self.port = port
        self.credentials = credentials.map { (user: Array($0.user.utf8), password: Array($0.password.utf8)) }
    }

    /// The bytes to send first: the version and the offered methods.
    var greeting: [UInt8] { credentials == nil ? [Self.version, 1, 0] : [Self.version, 2, 0, 2] }

    /// Takes the bytes of a response off the buffer.
    mutating func receive(_ buffer: inout ByteBuffer) throws(SOCKSFault) -> Step {
        switch state {
        case .method: return try receiveMethod(&buffer)
        case .authentication: return try receiveAuthentication(&buffer)
        case .reply: return try receiveReply(&buffer)
        case .open: return .open
        }
    }

    private mutating func receiveMethod(_ buffer: inout ByteBuffer) throws(SOCKSFault) -> Step {
        try checkVersion(buffer)
        guard buffer.readableBytes >= 2, let bytes = buffer.readBytes(length: 2) else { return .wait }
        switch (bytes[1], credentials) {
        case (0, _):
            state = .reply
            return .send(request)
        case (2, let credentials?):
            state = .authentication
            var bytes: [UInt8] = [1, UInt8(truncatingIfNeeded: credentials.user.count)]
            bytes += credentials.user
            bytes.append(UInt8(truncatingIfNeeded: credentials.password.count))
            return .send(bytes + credentials.password)
        case (0xFF, _): throw .noAcceptableMethod
        default: throw .malformed
        }
    }

    private mutating func receiveAuthentication(_ buffer: inout ByteBuffer) throws(SOCKSFault) -> Step {
        // The version is not checked, since some servers send that of SOCKS.
        guard buffer.readableBytes >= 2, let bytes = buffer.readBytes(length: 2) else { return .wait }
        guard bytes[1] == 0 else { throw .credentialsRefused }
        state = .reply
        return .send(request)
    }

    private mutating func receiveReply(_ buffer: inout ByteBuffer) throws(SOCKSFault) -> Step {
        try checkVersion(buffer)
        // A server that refuses may send no more than the code.
        if let code = byte(1, of: buffer), code != 0 { throw .refused(code) }
        guard let kind = byte(3, of: buffer) else { return .wait }
        let length: Int
        switch kind {
        case 1: length = 10
        case 4: length = 22
        case 3:
            guard let count = byte(4, of: buffer) else { return .wait }
            length = 7 + Int(count)
        default: throw .malformed
        }
        guard buffer.readableBytes >= length else { return .wait }
        buffer.moveReaderIndex(forwardBy: length)
        state = .open
        return .open
    }

    private var request: [UInt8] {
        var bytes: [UInt8] = [Self.version, 1, 0]
        switch destination {
        case .address(let address):
            bytes.append(address.isIPv6 ? 4 : 1)
            bytes += address.bytes
        case .name(let name):
            bytes.append(3)
            bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
            bytes += name.utf8
        }
        return bytes + [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
    }

    private func checkVersion(_ buffer: ByteBuffer) throws(SOCKSFault) {
        if let version = byte(0, of: buffer), version != Self.version { throw .versionUnsupported }
    }

    private func byte(_ offset: Int, of buffer: ByteBuffer) -> UInt8? {
        guard buffer.readableBytes > offset else { return nil }
        return buffer.getInteger(at: buffer.readerIndex + offset)
    }
}

/// The reason why a SOCKS proxy opens no connection.
enum SOCKSFault: Error, Equatable {
    case versionUnsupported
    case malformed
    case noAcceptableMethod
    case credentialsRefused
    /// The reply code of RFC 1928 §6.
    case refused(UInt8)
}

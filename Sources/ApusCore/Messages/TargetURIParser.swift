/// The reason why a URI is invalid.
enum TargetURIFault: Error {
    case schemeMissing
    case schemeUnsupported(String)
    case hostMissing
    case hostInvalid
    /// The host, as a range of bytes, has characters that must be encoded first.
    case hostNeedsEncoding(Range<Int>)
    case portInvalid
    case controlCharacter(offset: Int)

    var description: String {
        switch self {
        case .schemeMissing: "it needs a scheme, as in https://example.org/"
        case .schemeUnsupported(let scheme): "the scheme '\(scheme)' is not supported, only http and https"
        case .hostMissing: "it has no host"
        case .hostInvalid: "the host has an invalid character"
        case .hostNeedsEncoding: "the host is invalid"
        case .portInvalid: "the port is not a number from 0 to 65535"
        case .controlCharacter(let offset): "it has a control character at byte \(offset)"
        }
    }

    /// A remedy, if there is one.
    var hint: String? {
        if case .schemeMissing = self { "to use relative URLs, set configuration.baseURL" } else { nil }
    }
}

/// Parses an absolute http(s) URI in one pass, without Foundation, which would cost more than the rest of a request.
struct TargetURIParser {
    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    func parse() throws(TargetURIFault) -> TargetURI {
        if let offset = bytes.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw .controlCharacter(offset: offset)
        }
        let (scheme, start) = try parseScheme()
        let end = bytes[start...].firstIndex(where: Self.endsAuthority) ?? bytes.endIndex
        var hostStart = start
        var userInformation: TargetURI.UserInformation?
        if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) {
            userInformation = parseUserInformation(start..<at)
            hostStart = at + 1
        }
        let (host, port) = try parseHostAndPort(hostStart..<end)
        let origin = Origin(scheme: scheme, host: host, port: port)
        return TargetURI(
            origin: origin,
            authority: origin.authority(isAddressLiteral: bytes[hostStart] == UInt8(ascii: "[")),
            path: parsePath(from: end),
            userInformation: userInformation
        )
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
            || byte == UInt8(ascii: "\\")
    }

    private func parseScheme() throws(TargetURIFault) -> (Origin.Scheme, Int) {
        if starts(with: "http://") { return (.http, 7) }
        if starts(with: "https://") { return (.https, 8) }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            bytes[..<colon].allSatisfy({ Self.isSchemeByte($0) })
        else { throw .schemeMissing }
        let scheme = string(0..<colon)
        // "localhost:8080/x" looks like a scheme, but is a host without one.
        guard colon + 1 < bytes.count, !(0x30...0x39).contains(bytes[colon + 1]) else { throw .schemeMissing }
        guard Origin.Scheme(rawValue: scheme.lowercased()) != nil else { throw .schemeUnsupported(scheme) }
        throw .hostMissing
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private func starts(with prefix: StaticString) -> Bool {
        guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
        for index in 0..<prefix.utf8CodeUnitCount {
            let byte = bytes[index]
            let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            guard lower == prefix.utf8Start[index] else { return false }
        }
        return true
    }

    /// Returns the user name and password, or `nil` if both are empty.
    private func parseUserInformation(_ range: Range<Int>) -> TargetURI.UserInformation? {
        guard bytes[range].contains(where: { $0 != UInt8(ascii: ":") }) else { return nil }
        let colon = bytes[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
        let password = colon == range.upperBound ? "" : string(colon + 1..<range.upperBound)
        return TargetURI.UserInformation(
            user: PercentEncoding.decode(string(range.lowerBound..<colon)),
            password: PercentEncoding.decode(password)
        )
    }

    private func parseHostAndPort(_ range: Range<Int>) throws(TargetURIFault) -> (String, Int?) {
        guard !range.isEmpty else { throw .hostMissing }
        if bytes[range.lowerBound] == UInt8(ascii: "[") {
            guard let close = bytes[range].firstIndex(of: UInt8(ascii: "]")) else { throw .hostInvalid }
            let literal = range.lowerBound + 1..<close
            guard !literal.isEmpty, bytes[literal].allSatisfy({ Self.isAddressByte($0) }) else { throw .hostInvalid }
            if close + 1 == range.upperBound { return (lowercased(literal), nil) }
            guard bytes[close + 1] == UInt8(ascii: ":") else { throw .hostInvalid }
            return (lowercased(literal), try parsePort(close + 2..<range.upperBound))
        }
        let colon = bytes[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
        let name = range.lowerBound..<colon
        guard !name.isEmpty else { throw .hostMissing }
        for byte in bytes[name] where !Self.isHostByte(byte) {
            throw byte >= 0x80 || byte == UInt8(ascii: "%") ? .hostNeedsEncoding(name) : .hostInvalid
        }
        let port = colon == range.upperBound ? nil : try parsePort(colon + 1..<range.upperBound)
        return (lowercased(name), port)
    }

    static func isHostByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        (0x61...0x66).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
    }

    private func parsePort(_ range: Range<Int>) throws(TargetURIFault) -> Int? {
        guard !range.isEmpty else { return nil }
        var port = 0
        for byte in bytes[range] {
            guard (0x30...0x39).contains(byte) else { throw .portInvalid }
            port = port * 10 + Int(byte - 0x30)
            guard port <= 65_535 else { throw .portInvalid }
        }
        return port
    }

    /// Returns path and query without the fragment. Percent-encodes invalid bytes.
    private func parsePath(from start: Int) -> String {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        guard start < end else { return "/" }
        let needsEncoding = bytes[start..<end].contains { !PercentEncoding.standsInPathOrQuery($0) }
        let path = needsEncoding ? PercentEncoding.encodePathAndQuery(bytes[start..<end]) : string(start..<end)
        return bytes[start] == UInt8(ascii: "?") ? "/" + path : path
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private func lowercased(_ range: Range<Int>) -> String {
        bytes[range].contains { (0x41...0x5A).contains($0) } ? string(range).lowercased() : string(range)
    }
}

/// Parses challenges from one or more field lines.
///
/// ```
/// challenge  = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
/// auth-param = token BWS "=" BWS ( token / quoted-string )
/// ```
///
/// A comma separates both parameters and challenges, so a name without `=` after it begins the next challenge. A value
/// that should be quoted but is not extends to the next comma, as in other clients.
struct ChallengeParser {
    private static let challengeLimit = 16
    private static let parameterLimit = 32

    private(set) var challenges: [AuthenticationChallenge] = []
    /// Whether the limit is exceeded. The parameters that follow then belong to a challenge that is not stored.
    private var isFull = false

    /// Parses one field line.
    mutating func read(_ line: some Sequence<UInt8>) {
        var scanner = AuthScanner(line)
        while !scanner.isAtEnd {
            scanner.skipSeparators()
            let name = scanner.token()
            let hasSpace = scanner.skipSpace()
            if name.isEmpty {
                scanner.skipElement()
            } else if scanner.isAtEquals {
                append(name, scanner.value())
            } else if scanner.isAtEndOfElement || hasSpace {
                begin(name, token: scanner.token68())
                // The rest of the element, up to the comma, can only be a parameter.
                if let parameter = scanner.parameter() { append(parameter.name, parameter.value) }
            }
            scanner.skipElement()
        }
    }

    private mutating func begin(_ scheme: String, token: String?) {
        isFull = challenges.count >= Self.challengeLimit
        guard !isFull else { return }
        challenges.append(AuthenticationChallenge(scheme: scheme, token: token))
    }

    private mutating func append(_ name: String, _ value: [UInt8]) {
        guard !isFull, let last = challenges.indices.last, challenges[last].token == nil,
            challenges[last].parameters.count < Self.parameterLimit
        else { return }
        challenges[last].parameters.append(.init(name: name.lowercased(), octets: value))
    }
}

/// Parses the parameters of an `Authentication-Info` field: a list without a scheme.
///
/// See RFC 9110 §11.6.3, https://www.rfc-editor.org/rfc/rfc9110.html#section-11.6.3
enum AuthenticationInfo {
    private static let parameterLimit = 32

    /// Returns the values as received. If a name is repeated, the first one is used.
    static func parameters(in line: some Sequence<UInt8>) -> [String: [UInt8]] {
        var scanner = AuthScanner(line)
        var parameters: [String: [UInt8]] = [:]
        while !scanner.isAtEnd, parameters.count < parameterLimit {
            scanner.skipSeparators()
            if let (name, value) = scanner.parameter(), parameters[name.lowercased()] == nil {
                parameters[name.lowercased()] = value
            }
            scanner.skipElement()
        }
        return parameters
    }
}

/// Scans the bytes of a list of challenges or parameters. Each step either advances or leaves the position as it is.
struct AuthScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ line: some Sequence<UInt8>) {
        self.bytes = Array(line)
    }

    var isAtEnd: Bool { position >= bytes.count }
    var isAtEquals: Bool { !isAtEnd && bytes[position] == UInt8(ascii: "=") }
    var isAtEndOfElement: Bool { isAtEnd || bytes[position] == UInt8(ascii: ",") }

    /// Skips the separators between two list elements, and empty elements.
    mutating func skipSeparators() {
        while !isAtEnd, Self.isSpace(bytes[position]) || bytes[position] == UInt8(ascii: ",") { position += 1 }
    }

    /// Skips spaces and returns whether there were any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while !isAtEnd, Self.isSpace(bytes[position]) { position += 1 }
        return position > start
    }

    /// Skips everything up to the next comma outside quotes.
    mutating func skipElement() {
        while !isAtEndOfElement {
            if bytes[position] == UInt8(ascii: "\"") { _ = quotedString() } else { position += 1 }
        }
    }

    /// Reads the next token, which may be empty.
    mutating func token() -> String {
        let start = position
        while !isAtEnd, Self.isTokenByte(bytes[position]) { position += 1 }
        return text(start..<position)
    }

    /// Reads the `token68` value of a scheme, or returns `nil` if the element has none or contains more than that.
    mutating func token68() -> String? {
        let start = position
        var end = start
        while end < bytes.count, Self.isToken68Byte(bytes[end]) { end += 1 }
        guard end > start else { return nil }
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        position = end
        skipSpace()
        guard isAtEndOfElement else {
            position = start
            return nil
        }
        return text(start..<end)
    }

    /// Reads the next parameter, or returns `nil` if there is none.
    mutating func parameter() -> (name: String, value: [UInt8])? {
        let name = token()
        skipSpace()
        guard !name.isEmpty, isAtEquals else { return nil }
        return (name, value())
    }

    /// Reads the value after the equals sign at the current position.
    mutating func value() -> [UInt8] {
        position += 1
        skipSpace()
        if !isAtEnd, bytes[position] == UInt8(ascii: "\"") { return quotedString() }
        let start = position
        while !isAtEndOfElement { position += 1 }
        var end = position
        while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
        return Array(bytes[start..<end])
    }

    /// Reads the quoted string at the current position. Without a closing quote it extends to the end of the line.
    private mutating func quotedString() -> [UInt8] {
        position += 1
        var value: [UInt8] = []
        while !isAtEnd, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count { position += 1 }
            value.append(bytes[position])
            position += 1
        }
        position += 1
        return value
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    /// RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// RFC 9110 §11.2.
    private static func isToken68Byte(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || "-._~+/".utf8.contains(byte) }
}

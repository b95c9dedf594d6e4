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

internal import ApusCore
public import HTTPTypes

/// What a server asks for in a `WWW-Authenticate` field, or a proxy in a `Proxy-Authenticate` field: one scheme and what
/// it needs to know.
///
/// ```swift
/// let fields: HTTPFields = [.wwwAuthenticate: #"Digest realm="air", nonce="5ccc", Basic realm="air""#]
/// let challenges = AuthenticationChallenge.challenges(in: fields)
/// print(challenges.map(\.scheme), challenges.first?.realm ?? "")
/// ```
///
/// See RFC 9110 §11.6.1, https://www.rfc-editor.org/rfc/rfc9110.html#section-11.6.1
public struct AuthenticationChallenge: Sendable, Hashable {
    /// One parameter of a challenge.
    public struct Parameter: Sendable, Hashable {
        /// The name, in small letters.
        public let name: String
        /// The value, without the quotes and backslashes that it came with. Octets that are not UTF-8
        /// are replaced by U+FFFD.
        public var value: String { String(decoding: octets, as: UTF8.self) }

        /// The value as it was received.
        let octets: [UInt8]
    }

    /// The scheme as the server spells it; schemes compare without regard to case.
    public let scheme: String
    /// The one value of a scheme that has no parameters: `token68` of the grammar.
    public internal(set) var token: String?
    /// The parameters, in their order.
    public internal(set) var parameters: [Parameter] = []

    /// The value of the first parameter of a name, in whatever case.
    public subscript(name: String) -> String? {
        octets(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same, as it was received.
    func octets(of name: String) -> [UInt8]? {
        let name = name.lowercased()
        return parameters.first { $0.name == name }?.octets
    }

    /// The part of the server that the challenge is for; `nil` where it has no name.
    public var realm: String? { self["realm"] }

    /// Whether the scheme is `name`, in whatever case.
    public func isOf(scheme name: String) -> Bool { scheme.lowercased() == name.lowercased() }

    /// All challenges of a message in their order, whether they stand in one field or in several.
    ///
    /// What is no challenge is passed over. Of one message 16 challenges are read, and 32 parameters of each.
    ///
    /// - Parameters:
    ///   - fields: The fields of an answer.
    ///   - name: The field to read: `WWW-Authenticate` by default, or `Proxy-Authenticate`.
    /// - Returns: The challenges; none where there is no such field.
    public static func challenges(
        in fields: HTTPFields,
        of name: HTTPField.Name = .wwwAuthenticate
    ) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        // One list, on however many lines it stands: RFC 9110 §5.2.
        for field in fields[fields: name] { field.withUnsafeBytesOfValue { parser.read($0) } }
        return parser.challenges
    }
}

extension AuthenticationChallenge: CustomStringConvertible {
    /// The scheme and the realm; no other parameter, since a nonce is nobody's business.
    public var description: String { realm.map { "\(scheme) realm=\"\($0)\"" } ?? scheme }
}

extension AuthenticationChallenge: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme, "realm": realm as Any]) }
}

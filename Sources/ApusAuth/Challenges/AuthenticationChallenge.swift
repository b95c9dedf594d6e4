internal import ApusCore
public import HTTPTypes

/// An authentication challenge: one scheme and its parameters, from a `WWW-Authenticate` field of a server or a
/// `Proxy-Authenticate` field of a proxy.
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
        /// The name, in lowercase.
        public let name: String
        /// The value, without its quotes and escaping backslashes. Octets that are not UTF-8 are replaced by U+FFFD.
        public var value: String { String(decoding: octets, as: UTF8.self) }

        /// The value as received, without quotes and escaping backslashes.
        let octets: [UInt8]
    }

    /// The scheme as the server spells it. Schemes are case-insensitive.
    public let scheme: String
    /// The single value of a scheme without parameters: `token68` in the grammar.
    public internal(set) var token: String?
    /// The parameters, in order of appearance.
    public internal(set) var parameters: [Parameter] = []

    /// Returns the value of the first parameter with that name, which is case-insensitive.
    public subscript(name: String) -> String? {
        octets(of: name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the octets of that value as received.
    func octets(of name: String) -> [UInt8]? {
        let name = name.lowercased()
        return parameters.first { $0.name == name }?.octets
    }

    /// The realm that the challenge applies to, or `nil` if it names none.
    public var realm: String? { self["realm"] }

    /// Returns whether the scheme is `name`, which is case-insensitive.
    public func isOf(scheme name: String) -> Bool { scheme.lowercased() == name.lowercased() }

    /// Returns all challenges of a message in their order, from one field or several.
    ///
    /// Skips anything that is not a challenge. Reads at most 16 challenges per message and 32 parameters per challenge.
    ///
    /// - Parameters:
    ///   - fields: The fields of a response.
    ///   - name: The field to read: `WWW-Authenticate` or `Proxy-Authenticate`. Default: `WWW-Authenticate`.
    /// - Returns: The challenges. Empty if there is no such field.
    public static func challenges(
        in fields: HTTPFields,
        of name: HTTPField.Name = .wwwAuthenticate
    ) -> [AuthenticationChallenge] {
        var parser = ChallengeParser()
        // Several field lines form one list: RFC 9110 §5.2.
        for field in fields[fields: name] { field.withUnsafeBytesOfValue { parser.read($0) } }
        return parser.challenges
    }
}

extension AuthenticationChallenge: CustomStringConvertible {
    /// The scheme and the realm. Other parameters, such as nonces, are left out to keep them out of logs.
    public var description: String { realm.map { "\(scheme) realm=\"\($0)\"" } ?? scheme }
}

extension AuthenticationChallenge: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme, "realm": realm as Any]) }
}

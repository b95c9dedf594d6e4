internal import ApusCore
internal import Foundation

/// A credential that authenticates the client: a user name and password, or a token.
///
/// Its description reveals its kind alone, never the secret.
public struct Credential: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case user(String, password: String)
        case bearer(String)
    }

    let kind: Kind

    /// Creates a credential from a user name and password, for the Basic and Digest schemes.
    ///
    /// - Parameters:
    ///   - name: The name. Basic does not allow a colon in it.
    ///   - password: The password.
    /// - Returns: The credential.
    public static func user(_ name: String, password: String) -> Credential {
        Credential(kind: .user(name, password: password))
    }

    /// Creates a credential from a token, for the Bearer scheme of RFC 6750.
    public static func bearer(_ token: String) -> Credential {
        Credential(kind: .bearer(token))
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the credential.
    public var description: String {
        switch kind {
        case .user: "user \(Redaction.mark)"
        case .bearer: "bearer \(Redaction.mark)"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// The text in Unicode normalization form C, which RFC 7616 §4 and RFC 7617 §2.1 require for UTF-8.
    var composed: String { utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping }
}

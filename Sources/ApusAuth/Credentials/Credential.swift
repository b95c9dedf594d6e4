internal import ApusCore
internal import Foundation

/// What proves who asks: a user name and password, or a token.
///
/// It is shown nowhere: its description names its kind and nothing else.
public struct Credential: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case user(String, password: String)
        case bearer(String)
    }

    let kind: Kind

    /// A user name and password, for the schemes Basic and Digest.
    ///
    /// - Parameters:
    ///   - name: The name. With a colon in it, it can't be told to Basic.
    ///   - password: The password.
    /// - Returns: The credential.
    public static func user(_ name: String, password: String) -> Credential {
        Credential(kind: .user(name, password: password))
    }

    /// A token, for the scheme Bearer of RFC 6750.
    public static func bearer(_ token: String) -> Credential {
        Credential(kind: .bearer(token))
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Its kind.
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
    /// Composed letters, as RFC 7616 §4 and RFC 7617 §2.1 want names and passwords in UTF-8.
    var composed: String { utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping }
}

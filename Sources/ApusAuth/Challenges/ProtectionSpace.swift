public import ApusCore

/// The scope of a credential: an origin and one of its realms.
///
/// See RFC 9110 §11.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-11.5
public struct ProtectionSpace: Sendable, Hashable {
    /// The origin of the challenge.
    public let origin: Origin
    /// The realm. `nil` means no named realm, or any realm if the space is used in a `CredentialStore`.
    public let realm: String?
    /// The scheme, in lowercase. In a `CredentialStore`, `nil` means any scheme.
    public let scheme: String?

    /// Creates a protection space.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - realm: The realm. In a `CredentialStore`, `nil` means any realm. Default: `nil`.
    ///   - scheme: `basic`, `digest` or `bearer`, in any case. In a `CredentialStore`, `nil` means any. Default: `nil`.
    public init(_ origin: Origin, realm: String? = nil, scheme: String? = nil) {
        self.origin = origin
        self.realm = realm
        self.scheme = scheme?.lowercased()
    }
}

extension ProtectionSpace: CustomStringConvertible {
    /// `https://example.org, realm "air"`
    public var description: String {
        "\(origin)" + (realm.map { ", realm \"\($0)\"" } ?? "")
    }
}

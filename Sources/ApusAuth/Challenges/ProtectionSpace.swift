public import ApusCore

/// What one credential is good for: an origin, and a realm of it.
///
/// See RFC 9110 §11.5, https://www.rfc-editor.org/rfc/rfc9110.html#section-11.5
public struct ProtectionSpace: Sendable, Hashable {
    /// The origin that asks.
    public let origin: Origin
    /// The part of it; `nil` is one without a name or, in a `CredentialStore`, whichever.
    public let realm: String?
    /// The scheme, in small letters; in a `CredentialStore` `nil` is whichever.
    public let scheme: String?

    /// Names a space.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - realm: The part of it; `nil` (the default) in a `CredentialStore` is whichever.
    ///   - scheme: `basic`, `digest` or `bearer`, in whatever case; `nil` (the default) in a `CredentialStore` is whichever.
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

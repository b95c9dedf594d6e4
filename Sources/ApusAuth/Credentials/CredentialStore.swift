internal import ApusCore

/// Stores credentials in memory by protection space. It can be shared and changed at any time.
///
/// ```swift
/// let store = CredentialStore()
/// let api = Origin(scheme: .https, host: "api.example.org")
/// store.set(.user("ada", password: "Lovelace"), for: ProtectionSpace(api, realm: "engines"))
/// store.set(.bearer("mF_9.B5f-4.1JqM"), for: ProtectionSpace(api, scheme: "bearer"))
/// ```
///
/// The most specific match is used, in this order: realm and scheme, realm, scheme, origin alone.
public final class CredentialStore: CredentialProvider {
    private let credentials = Lock<[ProtectionSpace: Credential]>([:])

    /// Creates an empty store.
    public init() {}

    /// Stores a credential for a space. `nil` removes the stored one.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - space: The space. Without a realm it covers the whole origin, without a scheme all schemes.
    public func set(_ credential: Credential?, for space: ProtectionSpace) {
        credentials.withLock { $0[space] = credential }
    }

    /// Removes all credentials.
    public func removeAll() {
        credentials.withLock { $0 = [:] }
    }

    /// Returns the credential of the most specific stored space that covers the given one.
    public func credential(for space: ProtectionSpace) -> Credential? {
        let (origin, realm, scheme) = (space.origin, space.realm, space.scheme)
        return credentials.withLock { credentials in
            for (realm, scheme) in [(realm, scheme), (realm, nil), (nil, scheme), (nil, nil)] {
                let space = ProtectionSpace(origin, realm: realm, scheme: scheme)
                if let credential = credentials[space] { return credential }
            }
            return nil
        }
    }

    public func credential(for query: CredentialQuery) -> Credential? { credential(for: query.space) }

    public func isCurrent(_ credential: Credential, for space: ProtectionSpace) -> Bool {
        self.credential(for: space) == credential
    }
}

extension CredentialStore: CustomStringConvertible, CustomReflectable {
    /// The number of credentials, without revealing any of them.
    public var description: String { "\(credentials.withLock { $0.count }) credentials" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

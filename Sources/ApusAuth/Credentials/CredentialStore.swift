internal import ApusCore

/// Credentials by protection space, in memory; it may be shared and changed at any time.
///
/// ```swift
/// let store = CredentialStore()
/// let api = Origin(scheme: .https, host: "api.example.org")
/// store.set(.user("ada", password: "Lovelace"), for: ProtectionSpace(api, realm: "engines"))
/// store.set(.bearer("mF_9.B5f-4.1JqM"), for: ProtectionSpace(api, scheme: "bearer"))
/// ```
///
/// The more a space says, the earlier it is asked: realm and scheme, realm, scheme, origin alone.
public final class CredentialStore: CredentialProvider {
    private let credentials = Lock<[ProtectionSpace: Credential]>([:])

    /// Makes an empty store.
    public init() {}

    /// Keeps a credential for a space; `nil` forgets the one there was.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - space: Where it is good. Without a realm it is for all of the origin, without a scheme for all of them.
    public func set(_ credential: Credential?, for space: ProtectionSpace) {
        credentials.withLock { $0[space] = credential }
    }

    /// Forgets everything.
    public func removeAll() {
        credentials.withLock { $0 = [:] }
    }

    /// The credential that a space gets, which says all it can of itself.
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
    /// How many there are; none of them.
    public var description: String { "\(credentials.withLock { $0.count }) credentials" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

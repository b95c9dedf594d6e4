/// The source of credentials when a server challenges a session's requests. Set it as `configuration.credentials`.
///
/// ```swift
/// let store = CredentialStore()
/// let api = Origin(scheme: .https, host: "api.example.org")
/// store.set(.user("ada", password: "Lovelace"), for: ProtectionSpace(api))
/// var configuration = Session.Configuration()
/// configuration.credentials = CredentialSource(store)
/// ```
///
/// A session remembers which credentials were accepted where, so that later requests need no challenge.
public struct CredentialSource: Sendable {
    /// Makes the middleware that handles the challenges of a session. Takes the session's proofs.
    package let authentication: @Sendable (CredentialProofs) -> any Middleware

    package init(authentication: @escaping @Sendable (CredentialProofs) -> any Middleware) {
        self.authentication = authentication
    }
}

// Reflection would print passwords.

extension CredentialSource: CustomStringConvertible, CustomReflectable {
    /// A fixed text without any credential.
    public var description: String { "credentials \(Redaction.mark)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

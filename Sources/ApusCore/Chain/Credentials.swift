/// Where the requests of a session get credentials from when a server asks for them: `configuration.credentials`.
///
/// ```swift
/// let store = CredentialStore()
/// let api = Origin(scheme: .https, host: "api.example.org")
/// store.set(.user("ada", password: "Lovelace"), for: ProtectionSpace(api))
/// var configuration = Session.Configuration()
/// configuration.credentials = CredentialSource(store)
/// ```
///
/// A session remembers which credentials were taken where, so that later requests need not be challenged.
public struct CredentialSource: Sendable {
    /// Makes the middleware that answers the challenges of a session, given the proofs of that session.
    package let authentication: @Sendable (CredentialProofs) -> any Middleware

    package init(authentication: @escaping @Sendable (CredentialProofs) -> any Middleware) {
        self.authentication = authentication
    }
}

/// What a single request answers challenges with, in place of what its session would.
///
/// ```swift
/// let ada = RequestCredential(.user("ada", password: "Lovelace"))
/// let answer = try await session.get("https://api.example.org/users/1", options: [ada])
/// ```
///
/// The session does not remember the credential, so each such request is challenged first. It remembers the origins that
/// Digest has proved it to: no request of the session sends it there by a weaker scheme.
public struct RequestCredential: RequestOption {
    /// Makes the middleware that answers the challenges of a request, given its origin and the proofs of its session.
    package let authentication: @Sendable (Origin, CredentialProofs) -> any Middleware

    package init(authentication: @escaping @Sendable (Origin, CredentialProofs) -> any Middleware) {
        self.authentication = authentication
    }
}

// Left to reflection, they would print passwords.

extension CredentialSource: CustomStringConvertible, CustomReflectable {
    /// Nothing of what is in it.
    public var description: String { "credentials \(Redaction.mark)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestCredential: CustomStringConvertible, CustomReflectable {
    /// Nothing of what is in it.
    public var description: String { "credential \(Redaction.mark)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

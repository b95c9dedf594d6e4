/// The credential that a single request uses for challenges, in place of its session's credentials.
///
/// ```swift
/// let ada = RequestCredential(.user("ada", password: "Lovelace"))
/// let response = try await session.get("https://api.example.org/users/1", options: [ada])
/// ```
///
/// The session does not remember the credential, so each such request is challenged first. It remembers the origins to
/// which Digest has proved it, and no request of the session sends it there with a weaker scheme.
public struct RequestCredential: RequestOption {
    /// Makes the middleware that handles the challenges of a request. Takes its origin and its session's proofs.
    package let authentication: @Sendable (Origin, CredentialProofs) -> any Middleware

    package init(authentication: @escaping @Sendable (Origin, CredentialProofs) -> any Middleware) {
        self.authentication = authentication
    }
}

// Reflection would print passwords.

extension RequestCredential: CustomStringConvertible, CustomReflectable {
    /// A fixed text without any credential.
    public var description: String { "credential \(Redaction.mark)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

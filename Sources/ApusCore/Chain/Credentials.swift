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
    /// Makes what answers the challenges of a session.
    package let authentication: @Sendable () -> any Middleware

    package init(_ authentication: @escaping @Sendable () -> any Middleware) {
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
/// Nothing of it is remembered: each such request is challenged first.
public struct RequestCredential: RequestOption {
    /// Makes what answers the challenges of a request for an origin.
    package let authentication: @Sendable (Origin) -> any Middleware

    package init(_ authentication: @escaping @Sendable (Origin) -> any Middleware) {
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

public import ApusCore

/// Provides credentials for authentication challenges.
///
/// `CredentialStore` and `Netrc` are providers. `CredentialSource` also accepts a closure.
public protocol CredentialProvider: Sendable {
    /// Returns the credential for a protection space.
    ///
    /// Called for each scheme that the server offers, strongest first, until a credential is returned. A refused
    /// credential is not sent again: if the provider returns it again, the refusal becomes the response of the request.
    /// The method may block, because it runs on the global executor unless the session is configured otherwise.
    ///
    /// - Parameter query: The protection space, the challenge and the request's target.
    /// - Returns: The credential, or `nil` if there is none.
    /// - Throws: Any error. Unless it is an `ApusError`, it is wrapped in one with the code `middlewareFailed`.
    func credential(for query: CredentialQuery) async throws -> Credential?

    /// Returns whether a credential may still be sent to that space without a challenge. Default: `true`.
    ///
    /// Called on the event loop, so it must not block.
    func isCurrent(_ credential: Credential, for space: ProtectionSpace) -> Bool
}

extension CredentialProvider {
    public func isCurrent(_ credential: Credential, for space: ProtectionSpace) -> Bool { true }
}

/// A request to a `CredentialProvider` for a credential.
public struct CredentialQuery: Sendable {
    /// The protection space of the challenge.
    public let space: ProtectionSpace
    /// The challenge of the server.
    public let challenge: AuthenticationChallenge
    /// The target of the challenged request.
    public let target: TargetURI
    /// The number of credentials that this space has refused during this request.
    public let previousFailureCount: Int
}

/// A provider that calls a closure.
struct ClosureProvider: CredentialProvider {
    let ask: @Sendable (CredentialQuery) async throws -> Credential?

    func credential(for query: CredentialQuery) async throws -> Credential? { try await ask(query) }
}

/// A provider of one credential, for one origin.
struct SingleCredential: CredentialProvider {
    let credential: Credential
    let origin: Origin

    func credential(for query: CredentialQuery) -> Credential? { query.space.origin == origin ? credential : nil }
}

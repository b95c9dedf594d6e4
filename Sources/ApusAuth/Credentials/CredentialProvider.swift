public import ApusCore

/// Knows credentials, or knows whom to ask for them.
///
/// `CredentialStore` and `Netrc` are such; `CredentialSource` takes a closure besides.
public protocol CredentialProvider: Sendable {
    /// Gives the credential for a space that asks for one.
    ///
    /// The schemes that a server offers are asked about one after the other, the strongest first, until there is a
    /// credential. One that was refused is not sent a second time: giving it again leaves the refusal as the answer. It may
    /// block: it runs on the global executor unless the session says otherwise.
    ///
    /// - Parameter query: Who asks, and for what.
    /// - Returns: The credential; `nil` where there is none.
    /// - Throws: Anything; what is no `ApusError` becomes the cause of one with the code `middlewareFailed`.
    func credential(for query: CredentialQuery) async throws -> Credential?

    /// Whether a credential that it gave may still be sent to that space without being asked for. Yes, by default.
    ///
    /// It is asked on the event loop, and so must not block.
    func isCurrent(_ credential: Credential, for space: ProtectionSpace) -> Bool
}

extension CredentialProvider {
    public func isCurrent(_ credential: Credential, for space: ProtectionSpace) -> Bool { true }
}

/// What a `CredentialProvider` is asked.
public struct CredentialQuery: Sendable {
    /// Who asks.
    public let space: ProtectionSpace
    /// What it said.
    public let challenge: AuthenticationChallenge
    /// What was requested.
    public let target: TargetURI
    /// How many credentials this space has refused in the course of this request.
    public let previousFailureCount: Int
}

/// A closure that knows credentials.
struct ClosureProvider: CredentialProvider {
    let ask: @Sendable (CredentialQuery) async throws -> Credential?

    func credential(for query: CredentialQuery) async throws -> Credential? { try await ask(query) }
}

/// One credential, for one origin.
struct SingleCredential: CredentialProvider {
    let credential: Credential
    let origin: Origin

    func credential(for query: CredentialQuery) -> Credential? { query.space.origin == origin ? credential : nil }
}

public import ApusCore

extension CredentialSource {
    /// Creates a source from a provider: a `CredentialStore`, a `Netrc`, or a custom type.
    ///
    /// - Parameter provider: Called whenever a server challenges a request, for any origin.
    public init(_ provider: some CredentialProvider) {
        self.init(authentication: { AuthenticationMiddleware(provider: provider, proofs: $0) })
    }

    /// Creates a source from a closure.
    ///
    /// - Parameter ask: Called whenever a server challenges a request, for any origin. See
    ///   `CredentialProvider.credential(for:)`.
    public init(_ ask: @escaping @Sendable (CredentialQuery) async throws -> Credential?) {
        self.init(ClosureProvider(ask: ask))
    }
}

extension RequestCredential {
    /// Creates a credential for the origin of the request. It is not sent to other origins after a redirect.
    public init(_ credential: Credential) {
        self.init(authentication: { origin, proofs in
            AuthenticationMiddleware(provider: SingleCredential(credential: credential, origin: origin), proofs: proofs)
        })
    }

    /// Creates a credential from a provider, which replaces the session's one.
    ///
    /// - Parameter provider: Called whenever a server challenges the request, for any origin.
    public init(_ provider: some CredentialProvider) {
        self.init(authentication: { _, proofs in AuthenticationMiddleware(provider: provider, proofs: proofs) })
    }
}

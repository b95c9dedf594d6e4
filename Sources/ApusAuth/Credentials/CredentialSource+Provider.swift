public import ApusCore

extension CredentialSource {
    /// Credentials of a provider: a `CredentialStore`, a `Netrc`, or a type of your own.
    ///
    /// - Parameter provider: Asked whenever a server challenges a request, whichever origin it is.
    public init(_ provider: some CredentialProvider) {
        self.init(authentication: { Authentication(provider: provider, proofs: $0) })
    }

    /// Credentials of a closure.
    ///
    /// - Parameter ask: Asked whenever a server challenges a request, whichever origin it is; see
    ///   `CredentialProvider.credential(for:)`.
    public init(_ ask: @escaping @Sendable (CredentialQuery) async throws -> Credential?) {
        self.init(ClosureProvider(ask: ask))
    }
}

extension RequestCredential {
    /// One credential, for the origin that the request is for: none that a redirect leads to gets it.
    public init(_ credential: Credential) {
        self.init(authentication: { origin, proofs in
            Authentication(provider: SingleCredential(credential: credential, origin: origin), proofs: proofs)
        })
    }

    /// Credentials of a provider, in place of the session's.
    ///
    /// - Parameter provider: Asked whenever a server challenges the request, whichever origin it is.
    public init(_ provider: some CredentialProvider) {
        self.init(authentication: { _, proofs in Authentication(provider: provider, proofs: proofs) })
    }
}

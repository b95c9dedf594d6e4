public import ApusCore
public import HTTPTypes

/// Knows how a service wants to see a credential, and how to get the next one.
///
/// ```swift
/// struct OAuthAuthenticator: Authenticator {
///     let session: Session
///
///     func authenticates(_ request: RequestMessage) -> Bool {
///         request.target.origin == Origin(scheme: .https, host: "api.example.org")
///     }
///
///     func apply(_ credential: OAuthCredential, to request: inout RequestMessage) throws {
///         try request.fields.set(checking: "Authorization", "Bearer \(credential.accessToken)")
///     }
///
///     func refresh(_ credential: OAuthCredential) async throws -> OAuthCredential {
///         let form = ["grant_type": "refresh_token", "refresh_token": credential.refreshToken]
///         let url = "https://login.example.org/token"
///         let tokens = try await session.post(url, parameters: form, encoder: .urlEncodedForm)
///             .validate()
///             .decode(Tokens.self)
///         return tokens.credential
///     }
/// }
/// ```
///
/// Its methods are called from any number of requests at once, `refresh` from one place at a time. All but `refresh` are
/// called for each request or refusal, and must not block.
public protocol Authenticator<Credential>: Sendable {
    /// What it gives to requests, and refreshes.
    associatedtype Credential: AuthenticationCredential

    /// Whether a request is one that gets a credential. Yes, by default.
    ///
    /// Say no to other services than the one that the credential is for: who is sent a token has it. What gets none is sent
    /// as it is, waits for no refresh, and causes none.
    ///
    /// - Parameter request: The request, as the adapters before left it, or as it was sent.
    /// - Returns: Whether it gets a credential.
    func authenticates(_ request: RequestMessage) -> Bool

    /// Puts a credential into a request.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - request: The request, each attempt afresh.
    /// - Throws: Anything, `invalidField` for example; the attempt fails with it.
    func apply(_ credential: Credential, to request: inout RequestMessage) throws

    /// Gets the next credential.
    ///
    /// It runs in a task of its own, on the global executor, once however many requests wait for it, and is not cancelled
    /// when they are. Nothing bounds its time but what it does. What it asks of a session with the same interceptor is sent
    /// as it is, without a credential.
    ///
    /// - Parameter credential: The one that has expired, or was refused.
    /// - Returns: The one that counts from now on.
    /// - Throws: Anything. All who wait for it fail with that; whoever comes next tries anew.
    func refresh(_ credential: Credential) async throws -> Credential

    /// Whether the answer refuses the credential. A 401 does, by default, unless a redirect led to another origin, where
    /// no credential is sent.
    ///
    /// - Parameters:
    ///   - attempt: What was sent, and what came back.
    ///   - response: The head of the answer.
    ///   - error: Why the attempt failed; `nil` where it did not, since nobody asked for validation.
    /// - Returns: Whether it is the credential that was refused.
    func didRequest(
        _ attempt: RequestAttempt,
        with response: HTTPResponse,
        failDueToAuthenticationError error: ApusError?
    ) -> Bool

    /// Whether a request was sent with that credential: a refusal of another one is no reason for a refresh.
    ///
    /// By default it was where applying the credential to it changes neither its fields nor its target.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent.
    ///   - credential: The credential that counts now.
    /// - Returns: Whether the request has it.
    func isRequest(_ request: RequestMessage, authenticatedWith credential: Credential) -> Bool
}

extension Authenticator {
    public func authenticates(_ request: RequestMessage) -> Bool { true }

    public func didRequest(
        _ attempt: RequestAttempt,
        with response: HTTPResponse,
        failDueToAuthenticationError error: ApusError?
    ) -> Bool {
        guard response.status == .unauthorized else { return false }
        let answering = attempt.context.metrics.hops.last?.target.origin
        return answering == nil || answering == attempt.request.target.origin
    }

    public func isRequest(_ request: RequestMessage, authenticatedWith credential: Credential) -> Bool {
        var applied = request
        guard (try? apply(credential, to: &applied)) != nil else { return false }
        return applied.fields == request.fields && applied.target == request.target
    }
}

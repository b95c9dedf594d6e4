public import ApusCore
public import HTTPTypes

/// Applies a service's credential to requests, and refreshes it.
///
/// ```swift
/// struct OAuthAuthenticator: Authenticator {
///     func authenticates(_ request: RequestMessage) -> Bool {
///         request.target.origin == Origin(scheme: .https, host: "api.example.org")
///     }
///
///     func apply(_ credential: OAuthCredential, to request: inout RequestMessage) throws {
///         try request.fields.set(checking: "Authorization", "Bearer \(credential.accessToken)")
///     }
///
///     func refresh(_ credential: OAuthCredential, for session: Session) async throws -> OAuthCredential {
///         let form = ["grant_type": "refresh_token", "refresh_token": credential.refreshToken]
///         let tokens = try await session.post("https://login.example.org/token", parameters: form)
///             .validate()
///             .decode(Tokens.self)
///         return tokens.credential
///     }
/// }
/// ```
///
/// Its methods may be called concurrently, except that only one refresh is started at a time. All methods but `refresh`
/// are called for each request or refusal, and must not block.
public protocol Authenticator<Credential>: Sendable {
    /// The type of the credential.
    associatedtype Credential: AuthenticationCredential

    /// Returns whether a request needs the credential. Default: `true`.
    ///
    /// Return `false` for requests to other services, because the credential would be revealed to them. Such requests
    /// are sent unchanged. They neither wait for a refresh nor cause one.
    ///
    /// - Parameter request: The request, as the previous adapters left it, or as it was sent.
    /// - Returns: Whether it gets a credential.
    func authenticates(_ request: RequestMessage) -> Bool

    /// Adds a credential to a request.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - request: The request. Each attempt starts from the original request.
    /// - Throws: Any error, for example `invalidField`. The attempt fails with it.
    func apply(_ credential: Credential, to request: inout RequestMessage) throws

    /// Returns a new credential.
    ///
    /// Runs in a separate task on the global executor, once for all waiting requests, and is not cancelled with them.
    /// It has no time limit of its own. Requests that it sends through a session with the same interceptor are sent
    /// unchanged, without a credential.
    ///
    /// - Parameters:
    ///   - credential: The credential that has expired or was refused.
    ///   - session: The session of the request that needs the credential. It does not keep that session alive.
    /// - Returns: The new credential.
    /// - Throws: Any error. All waiting requests fail with it, and the next request tries another refresh.
    func refresh(_ credential: Credential, for session: Session) async throws -> Credential

    /// Returns whether the response refuses the credential. By default a 401 does, unless it follows a redirect to
    /// another origin, where no credential is sent.
    ///
    /// - Parameters:
    ///   - attempt: The request as sent, and its result.
    ///   - response: The head of the response.
    ///   - error: The error of the attempt, or `nil` if it did not fail, because the response was not validated.
    /// - Returns: Whether the credential was refused.
    func didRequest(
        _ attempt: RequestAttempt,
        with response: HTTPResponse,
        failDueToAuthenticationError error: ApusError?
    ) -> Bool

    /// Returns whether a request was sent with that credential. The refusal of another one needs no refresh.
    ///
    /// Default: `true` if applying the credential again changes neither the fields nor the target.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent.
    ///   - credential: The current credential.
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
        let lastOrigin = attempt.context.metrics.exchanges.last?.target.origin
        return lastOrigin == nil || lastOrigin == attempt.request.target.origin
    }

    public func isRequest(_ request: RequestMessage, authenticatedWith credential: Credential) -> Bool {
        var applied = request
        guard (try? apply(credential, to: &applied)) != nil else { return false }
        return applied.fields == request.fields && applied.target == request.target
    }
}

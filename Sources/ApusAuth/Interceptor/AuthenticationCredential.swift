internal import ApusCore
public import Foundation

/// A credential that expires or may be refused, such as an access token together with its refresh token.
///
/// ```swift
/// struct OAuthCredential: AuthenticationCredential {
///     let accessToken: String
///     let refreshToken: String
///     let expiration: Date
///
///     func requiresRefresh(at now: Date) -> Bool { expiration < now + 60 }
/// }
/// ```
///
/// By default its description reveals nothing of it.
public protocol AuthenticationCredential: Sendable, CustomStringConvertible, CustomReflectable {
    /// Returns whether the credential must be refreshed before it is sent with a request.
    ///
    /// Return `true` slightly early, because a token may expire in transit. Called for each request, so it must not
    /// block. If the expiration is unknown, return `false`: the credential is then refreshed when it is refused.
    ///
    /// - Parameter now: The current wall-clock time of the request's session.
    /// - Returns: Whether requests must wait for a refresh.
    func requiresRefresh(at now: Date) -> Bool
}

extension AuthenticationCredential {
    /// A placeholder that reveals nothing of the credential.
    public var description: String { "credential \(Redaction.mark)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

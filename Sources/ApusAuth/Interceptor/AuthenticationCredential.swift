internal import ApusCore
public import Foundation

/// What proves who asks until it expires, or is refused: an access token with what it is refreshed by.
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
/// Its description shows nothing of it, unless it has one of its own.
public protocol AuthenticationCredential: Sendable, CustomStringConvertible, CustomReflectable {
    /// Whether it has to be refreshed before a request is sent with it.
    ///
    /// Say so a little early: what leaves with a token may arrive after its time. It is asked for each request, and so
    /// must not block. A credential that does not know when it expires answers `false`; a refusal will tell.
    ///
    /// - Parameter now: The wall clock of the request's session.
    /// - Returns: Whether no request may be sent with it any more.
    func requiresRefresh(at now: Date) -> Bool
}

extension AuthenticationCredential {
    /// Nothing of what is in it.
    public var description: String { "credential \(Redaction.mark)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

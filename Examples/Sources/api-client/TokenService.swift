import Apus
import Foundation

/// The bearer token of the service. It is empty before the first request.
struct Token: AuthenticationCredential {
    var text = ""

    func requiresRefresh(at now: Date) -> Bool { text.isEmpty }
}

/// Adds the token to the requests to its service, and fetches a new one when the service rejects it.
struct TokenService: Authenticator {
    let url: TargetURI

    func authenticates(_ request: RequestMessage) -> Bool { request.target.origin == url.origin }

    func apply(_ token: Token, to request: inout RequestMessage) throws {
        try request.fields.set(checking: "Authorization", "Bearer \(token.text)")
    }

    func refresh(_ token: Token, for session: Session) async throws -> Token {
        Token(text: try await session.post(url).validate().string())
    }
}

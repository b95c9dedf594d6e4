import Apus
import Foundation

/// Sends a token with each request, and refreshes it once for all requests that need a new one.
func refreshToken(for service: String) async throws {
    struct Token: AuthenticationCredential {
        let value: String
        let expiration: Date

        func requiresRefresh(at now: Date) -> Bool { expiration < now + 60 }
    }

    struct TokenService: Authenticator {
        let origin: Origin

        /// A token goes to its own service alone.
        func authenticates(_ request: RequestMessage) -> Bool { request.target.origin == origin }

        func apply(_ token: Token, to request: inout RequestMessage) throws {
            try request.fields.set(checking: "Authorization", "Bearer \(token.value)")
        }

        /// A real service asks its authorization server here.
        func refresh(_ token: Token, for session: Session) async throws -> Token {
            print("refreshing the token")
            return Token(value: "fresh", expiration: .now + 3600)
        }
    }

    let url = try "\(service)/bearer".asTarget()
    var configuration = Session.Configuration()
    configuration.interceptor = AuthenticationInterceptor(
        authenticator: TokenService(origin: url.origin),
        credential: Token(value: "stale", expiration: .distantPast)
    )
    let session = Session(configuration: configuration)
    print(try await session.get(url).validate().status)
    await session.shutdown(within: .seconds(5))
}

internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// The response of the token endpoint.
private struct Tokens: Decodable {
    let access: String
    let refresh: String

    var credential: OAuthCredential {
        OAuthCredential(accessToken: access, refreshToken: refresh, expiration: .distantFuture)
    }
}

struct OAuthCredential: AuthenticationCredential {
    let accessToken: String
    let refreshToken: String
    let expiration: Date

    func requiresRefresh(at now: Date) -> Bool { expiration < now + 60 }
}

struct OAuthAuthenticator: Authenticator {
    func authenticates(_ request: RequestMessage) -> Bool {
        request.target.origin == Origin(scheme: .https, host: "api.example.org")
    }

    func apply(_ credential: OAuthCredential, to request: inout RequestMessage) throws {
        try request.fields.set(checking: "Authorization", "Bearer \(credential.accessToken)")
    }

    func refresh(_ credential: OAuthCredential, for session: Session) async throws -> OAuthCredential {
        let form = ["grant_type": "refresh_token", "refresh_token": credential.refreshToken]
        let tokens = try await session.post("https://login.example.org/token", parameters: form)
            .validate()
            .decode(Tokens.self)
        return tokens.credential
    }
}

/// The code of the guide to expiring tokens, and of the comments of its types.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticationInterceptorSamples {
    private let storedCredential = OAuthCredential(
        accessToken: "first",
        refreshToken: "r1",
        expiration: .distantPast
    )

    /// Only compiled, because it needs a network.
    private func network() -> Session {
        let authenticator = OAuthAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: storedCredential)
        var configuration = Session.Configuration()
        configuration.interceptor = interceptor
        let session = Session(configuration: configuration)
        return session
    }

    @Test func authenticators() async throws {
        let transport = MockTransport { _ in
            MockResponse(fields: [.contentType: "application/json"], body: #"{"access": "second", "refresh": "r2"}"#)
        }
        let authenticator = OAuthAuthenticator()
        #expect(storedCredential.requiresRefresh(at: .now))
        var request = try RequestMessage("https://api.example.org/users/1")
        #expect(authenticator.authenticates(request))
        let credential = try await authenticator.refresh(storedCredential, for: Session(transport: transport))
        try authenticator.apply(credential, to: &request)
        #expect(request.fields[.authorization] == "Bearer second")
        #expect(transport.requests.map(\.method) == [.post])
    }
}

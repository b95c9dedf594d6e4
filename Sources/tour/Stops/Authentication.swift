internal import Apus
internal import ApusTestServer
internal import ApusTesting
internal import Foundation

/// Stops about authentication: tokens, passwords, cookies.
enum Authentication {
    private struct Token: AuthenticationCredential {
        let text: String
        let expiration: Date

        func requiresRefresh(at now: Date) -> Bool { expiration < now + 60 }
    }

    /// Refreshes tokens with the service.
    private struct TokenAuthenticator: Authenticator {
        private struct TokenResponse: Decodable {
            let token: String
            let lifetime: Double

            private enum CodingKeys: String, CodingKey {
                case token = "access_token"
                case lifetime = "expires_in"
            }
        }

        let url: String

        func apply(_ credential: Token, to request: inout RequestMessage) throws {
            try request.fields.set(checking: "Authorization", "Bearer \(credential.text)")
        }

        func refresh(_ credential: Token, for session: Session) async throws -> Token {
            let form = ["grant_type": "refresh_token", "refresh_token": Service.Secret.refreshToken]
            let response = try await session.post(url, parameters: form).validate()
                .decode(TokenResponse.self)
            return Token(text: response.token, expiration: Date() + response.lifetime)
        }
    }

    /// Fifty requests with an expired token cause one refresh. Another request is retried after a 401.
    static func token(_ environment: TourEnvironment) async throws -> Finding {
        let (server, service) = (environment.otherServer, environment.service)
        let url = server.url("/aviary")
        let tokens = AuthenticationInterceptor(
            authenticator: TokenAuthenticator(url: server.url("/token")),
            credential: Token(text: Service.Secret.token(0), expiration: .distantPast)
        )
        return try await environment.withSession {
            $0.interceptor = tokens
        } _: { session in
            let requests = try await withThrowingTaskGroup(of: [ExchangeMetrics].self) { group in
                for _ in 0..<50 { group.addTask { try await session.get(url).validate().metrics.exchanges } }
                return try await group.reduce(into: [[ExchangeMetrics]]()) { $0.append($1) }
            }
            try expect(requests.map(\.count), is: [Int](repeating: 1, count: 50), "the exchanges of each of the 50")
            let once = Service.TokenCounts(refreshes: 1, wrongTokens: 0)
            try expect(service.tokenCounts, is: once, "the counts of the service")
            service.withdrawToken()
            let late = try await session.get(url).validate().metrics.exchanges
            try expect(late.compactMap { $0.status?.code }, is: [401, 200], "the statuses of a withdrawn token")
            try expect(late.map(\.cause), is: [.first, .retry], "their causes")
            let twice = Service.TokenCounts(refreshes: 2, wrongTokens: 1)
            try expect(service.tokenCounts, is: twice, "the counts of the service after that")
            let shown = stride(from: 0, to: requests.count, by: 10).map { requests[$0] }
            return Finding("1 refresh for 50, 1 more after a 401", requests: shown + [late])
        }
    }

    /// The server verifies a hash of the password. The password itself is never sent.
    static func digest(_ environment: TourEnvironment) async throws -> Finding {
        let url = environment.otherServer.url("/vault")
        let (user, password) = (Service.Secret.user, Service.Secret.password)
        return try await environment.withSession { session in
            let request = session.request(url).authenticate(username: user, password: password).validate()
            try expect(try await request.serializingString().value, is: "the vault is open", "the response")
            try expect(request.metrics.exchanges.map(\.cause), is: [.first, .challenge], "the causes")
            let wrong = try await failure(.unacceptableStatus) {
                let request = session.request(url).authenticate(username: user, password: "\(password)!")
                return try await request.validate().serializingString().value
            }
            try expect(
                wrong.exchanges.compactMap { $0.status?.code },
                is: [401, 401],
                "the statuses of a wrong password"
            )
            let heads = environment.otherServer.requests.map { String(decoding: $0.head, as: UTF8.self) }
            let wasSent = heads.contains { $0.contains(password) || $0.contains(Service.Secret.basic) }
            try expect(!wasSent, "no password in any request", found: "it in a request")
            return Finding("proved by SHA-256, no password sent", request.metrics.exchanges, wrong.exchanges)
        }
    }

    /// Cookies are scoped to host names, not to ports.
    static func cookies(_ environment: TourEnvironment) async throws -> Finding {
        let (server, sent) = (environment.server, "roost=\(Service.Secret.cookie)")
        return try await environment.withSession { session in
            let near = try await session.get(environment.otherServer.url("/enter")).validate()
            try expect(try near.string(), is: "an old friend", "the response of the redirect's target")
            let elsewhere = URLQueryItem(name: "url", value: environment.secureServer.url("/get"))
            let far = try await session.get(server.url("/redirect-to"), query: [elsewhere]).validate()
            let onTheWay = server.requests.last { $0.path == "/redirect-to" }
            try expect(onTheWay?["Cookie"], is: sent, "the cookie for the same host")
            try expect(try far.decode(Requests.Echo.self).headers["Cookie"], is: nil, "the cookie for another host")
            let kept = session.cookies?.cookies ?? []
            try expect(kept.map { "\($0.name) \($0.domain)\($0.path)" }, is: ["roost 127.0.0.1/"], "the jar")
            return Finding("1 cookie, sent only to its host", near.metrics.exchanges, far.metrics.exchanges)
        }
    }
}

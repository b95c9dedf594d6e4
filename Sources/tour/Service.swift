internal import Apus
internal import ApusTestServer
internal import Foundation

/// A service that is busy at times, and that accepts requests with a token, a password or a cookie.
final class Service: Sendable {
    /// Secrets that only the service and its client may know.
    enum Secret {
        static let user = "ada"
        static let password = "Love-lace-1843"
        static let refreshToken = "refresh-5d1c07"
        static let cookie = "roost-9b2f44"
        static let key = "key-77e0a1"
        /// The user name and the password in the encoding of Basic.
        static let basic = Data("\(user):\(password)".utf8).base64EncodedString()

        static func token(_ number: Int) -> String { "access-\(number)-c83a6e" }

        static let all = [password, refreshToken, cookie, key, basic] + (0...4).map(token)
    }

    /// Statistics about the tokens so far.
    struct TokenCounts: Sendable, Hashable {
        /// The number of refreshes.
        var refreshes = 0
        /// The number of requests with an invalid token.
        var wrongTokens = 0
    }

    private struct State {
        var busyVisits = 0
        /// The number of the only valid token. Token 0 has expired.
        var token = 1
        var counts = TokenCounts()
        /// The unused nonces. Each is valid for one request.
        var nonces: Set<String> = []
    }

    private let state = Lock(State())

    var tokenCounts: TokenCounts { state.withLock { $0.counts } }

    /// Invalidates the current token before it expires.
    func withdrawToken() { state.withLock { $0.token += 1 } }

    /// Returns the response, or `nil` for any other path.
    func response(to request: TestRequest) -> TestResponse? {
        switch request.path {
        case "/busy": busy(request)
        case "/down": TestResponse(status: 503)
        case "/token": token(request)
        case "/aviary": aviary(request)
        case "/vault": vault(request)
        case "/enter":
            TestResponse(
                status: 302,
                fields: [("Location", "/inside"), ("Set-Cookie", "roost=\(Secret.cookie); Path=/; HttpOnly")]
            )
        case "/inside": .text(request["Cookie"] == "roost=\(Secret.cookie)" ? "an old friend" : "a stranger")
        default: nil
        }
    }

    /// Responds 503 to the first two GETs and to every other method, with `Retry-After` in seconds and as a date.
    private func busy(_ request: TestRequest) -> TestResponse {
        let visit = state.withLock { state in
            if request.method == "GET" { state.busyVisits += 1 }
            return request.method == "GET" ? state.busyVisits : 1
        }
        guard visit <= 2 else { return .text("at your service") }
        let time = visit == 1 ? "0" : "Sun, 06 Nov 1994 08:49:37 GMT"
        return TestResponse(status: 503, fields: [("Retry-After", time)])
    }

    /// Returns the next token after a delay, during which other requests might ask for one too.
    private func token(_ request: TestRequest) -> TestResponse {
        guard request.method == "POST", request.bodyText.contains("refresh_token=\(Secret.refreshToken)") else {
            return TestResponse(status: 400)
        }
        let number = state.withLock { state in
            state.token += 1
            state.counts.refreshes += 1
            return state.token
        }
        var response = TestResponse.json(#"{"access_token": "\#(Secret.token(number))", "expires_in": 3600}"#)
        response.delay = .milliseconds(5)
        return response
    }

    private func aviary(_ request: TestRequest) -> TestResponse {
        let isGood = state.withLock { state in
            let isGood = request["Authorization"] == "Bearer \(Secret.token(state.token))"
            if !isGood { state.counts.wrongTokens += 1 }
            return isGood
        }
        if isGood { return .text("swifts") }
        return TestResponse(status: 401, fields: [("WWW-Authenticate", #"Bearer realm="aviary""#)])
    }

    private func vault(_ request: TestRequest) -> TestResponse {
        let authorization = DigestAuthorization(request)
        let isKnown = state.withLock { $0.nonces.remove(authorization?.nonce ?? "") != nil }
        if let authorization, isKnown, authorization.proves(Secret.user, Secret.password) {
            return .text("the vault is open")
        }
        let nonce = UUID().uuidString
        state.withLock { _ = $0.nonces.insert(nonce) }
        return TestResponse(status: 401, fields: [("WWW-Authenticate", DigestAuthorization.challenge(nonce: nonce))])
    }
}

internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusAuth
@testable internal import ApusCore

/// Requests tokens from `/token` through a session, which may use the interceptor itself.
private final class SessionAuthenticator: Authenticator {
    func apply(_ credential: Token, to request: inout RequestMessage) throws {
        try request.fields.set(checking: "Authorization", "Bearer \(credential.text)")
    }

    func refresh(_ credential: Token, for session: Session) async throws -> Token {
        Token(try await session.post("https://api.example.org/token").validate().string())
    }
}

/// A session with an interceptor whose token the service does not accept.
private struct Service {
    let transport: MockTransport
    let session: Session
    let interceptor: AuthenticationInterceptor<SessionAuthenticator>

    /// - Parameters:
    ///   - valid: The token that the service accepts.
    ///   - given: The token that a refresh returns. `nil` makes it fail with 400.
    ///   - configure: Changes the configuration of the session.
    init(
        valid: String = "second",
        given: String? = "second",
        configuring configure: (inout Session.Configuration) -> Void = { _ in }
    ) {
        let transport = MockTransport { request in
            if request.target.path == "/token" {
                return given.map { MockResponse(body: $0) } ?? MockResponse(status: .badRequest, body: "revoked")
            }
            guard request.token == valid else { return .challenge(#"Bearer realm="api""#) }
            return MockResponse(body: "hello")
        }
        let authenticator = SessionAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token("first"))
        var configuration = Session.Configuration()
        configuration.interceptor = interceptor
        configure(&configuration)
        let session = Session(configuration: configuration, transport: transport)
        self.transport = transport
        self.session = session
        self.interceptor = interceptor
    }

    var refreshes: [RequestMessage] { transport.requests.filter { $0.target.path == "/token" } }

    /// Sends requests concurrently and counts their results: the bodies or the codes of the errors.
    func send(_ count: Int, _ work: @escaping @Sendable (Session) async throws -> String) async -> [String: Int] {
        await withTaskGroup(of: String.self) { [session] group in
            for _ in 0..<count {
                group.addTask {
                    do {
                        return try await work(session)
                    } catch {
                        return (error as? ApusError)?.code.name ?? "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct AuthenticationInterceptorSessionTests {
    private let url = "https://api.example.org/"

    /// With a limit of ten, more requests wait for the token than there are slots.
    @Test(arguments: [10, 256])
    func refreshesOnceForTwoHundredRefusedHandles(requestsInFlight: Int) async throws {
        let service = Service { $0.requestsInFlight = requestsInFlight }
        let results = await service.send(200) { [url] in
            try await $0.request(url).validate().serializingString().value
        }
        #expect(results == ["hello": 200])
        #expect(service.refreshes.count == 1)
        // The request of the refresh is sent without a token.
        #expect(service.refreshes.allSatisfy { $0.token == nil })
        try await assertNothingLeft(service.session)
    }

    @Test func refreshesOnceForTwoHundredUnvalidatedHandles() async throws {
        let service = Service()
        let results = await service.send(200) { [url] in try await $0.request(url).serializingString().value }
        #expect(results == ["hello": 200])
        #expect(service.refreshes.count == 1)
        try await assertNothingLeft(service.session)
    }

    @Test func refreshesOnceForTwoHundredDirectCalls() async throws {
        let service = Service()
        let results = await service.send(200) { [url] in
            try await $0.post(url, body: .string("content")).validate().string()
        }
        #expect(results == ["hello": 200])
        #expect(service.refreshes.count == 1)
        try await assertNothingLeft(service.session)
    }

    @Test func failsTheRequestIfTheRefreshFails() async throws {
        let service = Service(given: nil)
        let response = await service.session.request(url).validate().serializingString().response
        let failure = try #require(response.error?.underlying as? RetryFailure)
        #expect(response.error?.code == .retryFailed)
        #expect((failure.retryError as? ApusError)?.responseCode == 400)
        #expect(failure.originalError?.responseCode == 401)
        #expect(service.transport.requests.count == 2)
        try await assertNothingLeft(service.session)
    }

    @Test func returnsTheRefusalIfTheNewTokenIsRefused() async throws {
        let service = Service(valid: "another", given: "second")
        let response = await service.session.request(url).validate().serializingString().response
        #expect(response.error?.responseCode == 401)
        #expect(service.transport.requests.map(\.token) == ["first", nil, "second"])
        let direct = try await service.session.get(url)
        #expect(direct.status == .unauthorized)
        try await assertNothingLeft(service.session)
    }

    /// A request that completes starts the next queued one. Here, a request of the refresh does so.
    @Test func doesNotTreatARequestStartedByARefreshAsPartOfIt() async throws {
        let (refreshBegan, gate) = (Deferred<Void>(), Deferred<Void>())
        let transport = MockTransport { request in
            if request.target.path == "/token" {
                refreshBegan.fulfill(())
                await gate.value
            }
            return request.token == "second" ? MockResponse(body: "hello") : .challenge("Bearer")
        }
        let own = Lock<Session?>(nil)
        let authenticator = GatedAuthenticator {
            _ = try await own.withLock { $0 }?.get("https://api.example.org/token")
        }
        var configuration = Session.Configuration()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token("first"))
        configuration.interceptor = interceptor
        configuration.requestsInFlight = 1
        let session = Session(configuration: configuration, transport: transport)
        own.withLock { $0 = session }
        let first = session.request(url).serializingString()
        await refreshBegan.value
        let others = (0..<5).map { _ in session.request(url).serializingString() }
        gate.fulfill(())
        await authenticator.hasBegun()
        // The request that has the slot now waits like the first.
        #expect(await eventually { interceptor.waiterCount >= 2 })
        authenticator.succeed(Token("second"))
        for task in [first] + others { #expect(await task.response.response?.status == .ok) }
        // All requests except that of the refresh had a token.
        #expect(transport.requests.filter { $0.token == nil }.map(\.target.path) == ["/token"])
        own.withLock { $0 = nil }
        try await assertNothingLeft(session)
    }

    @Test func doesNotWaitForARefreshIfCancelled() async throws {
        let gate = Deferred<Void>()
        let transport = MockTransport { _ in .challenge(#"Bearer realm="api""#) }
        let authenticator = GatedAuthenticator { await gate.value }
        var configuration = Session.Configuration()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token("first"))
        configuration.interceptor = interceptor
        let session = Session(configuration: configuration, transport: transport)
        let request = session.request(url).validate()
        async let response = request.serializingString().response
        #expect(await eventually { interceptor.waiterCount == 1 })
        request.cancel()
        #expect(await response.error?.code == .cancelled)
        gate.fulfill(())
        await authenticator.hasBegun()
        authenticator.succeed(Token("second"))
        try await assertNothingLeft(session)
    }
}

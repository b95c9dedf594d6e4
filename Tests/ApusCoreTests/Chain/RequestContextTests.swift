internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The session that a request's context names.
@Suite(.timeLimit(.minutes(5))) struct RequestContextTests {
    /// Sends a request for a token with the session of each request.
    private struct TokenAdapter: RequestAdapter {
        func adapt(_ request: RequestMessage, context: RequestContext) async throws -> RequestMessage {
            guard request.target.path != "/token" else { return request }
            var request = request
            let token = try await context.session.get("http://h/token").string()
            try request.fields.set(checking: "X-Token", token)
            return request
        }
    }

    /// Parity: AF-intercept-state
    @Test func letsAnAdapterSendARequestWithTheSession() async throws {
        let test = TestSession(configuring: {
            $0.interceptor = Interceptor(adapters: [TokenAdapter()])
            $0.requestsInFlight = 1
        }) { request in
            MockResponse(body: request.target.path == "/token" ? "secret" : request.fields[.init("X-Token")!] ?? "none")
        }
        #expect(try await test.session.get("http://h/a").string() == "secret")
        #expect(try await test.session.request("http://h/a").serializingString().value == "secret")
        #expect(test.paths == ["/token", "/a", "/token", "/a"])
        try await assertNothingLeft(test.session)
    }

    @Test func namesItsSessionWithoutKeepingItAlive() async throws {
        let contexts = LockedList<RequestContext>()
        let adapter = Adapter { request, context in
            contexts.append(context)
            return request
        }
        var test: TestSession? = TestSession.configured { $0.interceptor = Interceptor(adapters: [adapter]) }
        let id = test?.session.id
        try await test?.get("http://h/")
        let context = try #require(contexts.all.first)
        #expect(context.session.id == id)
        #expect(try await context.session.get("http://h/").status == .ok)
        test = nil
        #expect(await failure { try await context.session.get("http://h/") }?.code == .sessionGone)
    }
}

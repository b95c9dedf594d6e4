internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5)))
struct IdempotencyKeyMiddlewareTests {
    private struct KeyMissing: Error {}

    private func keys(_ test: TestSession) -> [String?] { test.transport.requests.map { $0.fields[.idempotencyKey] } }

    /// Returns a session that fails the first requests, and retries without a delay.
    private func session(
        failing times: Int,
        keys: IdempotencyKeyMiddleware? = IdempotencyKeyMiddleware()
    ) -> TestSession {
        let count = Counter()
        return TestSession(configuring: { configuration in
            configuration.middleware = keys.map { [$0] } ?? []
            configuration.interceptor = RetryPolicy(scale: .zero)
        }) { _ in
            guard count.next() >= times else { throw ApusError(.connectionClosed, "it went away") }
            return MockResponse(body: "ok")
        }
    }

    @Test func sendsOneKeyWithAllAttempts() async throws {
        let test = session(failing: 2)
        #expect(try await test.session.post("https://h/orders", body: .bytes(Data("{}".utf8))).status == .ok)
        let sent = keys(test)
        #expect(sent.count == 3)
        #expect(Set(sent).count == 1)
        #expect(try #require(sent[0]).wholeMatch(of: /"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/) != nil)
    }

    @Test func sendsAnotherKeyWithTheNextRequest() async throws {
        let test = session(failing: 0)
        for _ in 0..<2 { _ = try await test.session.post("https://h/orders") }
        #expect(Set(keys(test)).count == 2)
    }

    @Test func sendsTheSameKeyWithAHandlesAttempts() async throws {
        let test = session(failing: 1)
        let response = await test.session.request("https://h/orders", method: .patch).serializingData().response
        #expect(response.error == nil)
        #expect(keys(test).count == 2)
        #expect(Set(keys(test)).count == 1)
    }

    @Test func leavesIdempotentRequestsAndGivenKeysAlone() async throws {
        let test = session(failing: 0)
        _ = try await test.session.get("https://h/")
        _ = try await test.session.post("https://h/", fields: ["Idempotency-Key": "mine"])
        #expect(keys(test) == [nil, "mine"])
    }

    @Test func doesNotRetryAPostWithoutAKey() async throws {
        let test = session(failing: 1, keys: nil)
        await #expect(throws: ApusError.self) { try await test.session.post("https://h/orders") }
        #expect(keys(test) == [nil])
    }

    @Test func usesACustomKey() async throws {
        let test = session(failing: 1, keys: IdempotencyKeyMiddleware(methods: [.put]) { "\($0.target.path)" })
        _ = try await test.session.put("https://h/7")
        #expect(keys(test) == ["/7", "/7"])
    }

    @Test func rejectsAnInvalidKey() async throws {
        let test = session(failing: 0, keys: IdempotencyKeyMiddleware { _ in "a\r\nb: c" })
        let error = await #expect(throws: ApusError.self) { try await test.session.post("https://h/") }
        #expect(error?.code == .invalidField)
        #expect(test.transport.requests.isEmpty)
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, false, true), (.put, false, true), (.post, false, false), (.post, true, true),
        (.patch, true, true), (.connect, false, false),
    ])
    func isIdempotent(method: HTTPRequest.Method, hasKey: Bool, expected: Bool) throws {
        var request = RequestMessage(method: method, target: try TargetURI("https://h/"))
        if hasKey { request.fields[.idempotencyKey] = "1" }
        #expect(request.isIdempotent == expected)
    }

    @Test func agreesWithTheRetryPolicy() {
        for method in RetryPolicy.idempotentMethods { #expect(method.isIdempotent) }
        for method in [HTTPRequest.Method.post, .patch, .connect] {
            #expect(!RetryPolicy.idempotentMethods.contains(method) && !method.isIdempotent)
        }
    }
}

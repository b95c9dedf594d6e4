internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite struct RejectedFieldTests {
    @Test func endsTheRequestBeforeItIsSent() async throws {
        let test = TestSession { _ in MockResponse(body: "ok") }
        var message = try RequestMessage("http://h/")
        message.options[RejectedField.self] = RejectedField(ApusError(.invalidField, "it has a NUL"))
        let rejected = message
        let error = await failure { try await test.session.send(rejected) }
        #expect(error?.code == .invalidField)
        #expect(error?.detail == "it has a NUL")
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func endsARequestWhoseAdapterSetIt() async throws {
        let test = TestSession { _ in MockResponse(body: "ok") }
        let adapter = Adapter.synchronous { request, _ in
            request.options[RejectedField.self] = RejectedField(ApusError(.invalidField, "it has a NUL"))
        }
        let response = await test.session.request("http://h/").adapt(using: adapter).serializingData().response
        #expect(response.error?.code == .invalidField)
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }
}

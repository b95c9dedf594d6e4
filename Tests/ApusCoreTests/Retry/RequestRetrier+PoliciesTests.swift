internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite struct RequestRetrierPoliciesTests {
    @Test func areMembersOfRetriersAndInterceptors() async throws {
        let test = TestSession(configuring: {
            $0.interceptor = .retryPolicy(retryLimit: 1, scale: .zero)
        }) { _ in MockResponse(status: 503) }
        _ = try await test.session.get("http://h/")
        #expect(test.transport.requests.count == 2)
        let other = TestSession { _ in throw ApusError(.connectionClosed, "gone") }
        let request = other.session.request("http://h/")
            .retry(using: .connectionLostRetryPolicy(retryLimit: 1, scale: .zero))
        #expect(await request.serializingData().response.error?.code == .connectionClosed)
        #expect(other.transport.requests.count == 2)
        _ = other.session.request("http://h/").retry(using: .retryPolicy).retry(using: .connectionLostRetryPolicy)
        try await assertNothingLeft(test.session)
        try await assertNothingLeft(other.session)
    }
}

internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Redirect handlers that are set during a request, cancelled with it, or return an invalid request.
@Suite(.timeLimit(.minutes(5))) struct RedirectHandlerCourseTests {
    private func session(_ handler: Redirector) -> TestSession {
        TestSession {
            $0.redirectHandler = handler
        } responding: { request in
            guard request.target.path == "/" else { return MockResponse(body: "there") }
            return MockResponse(status: .found, fields: [.location: "/b"])
        }
    }

    /// A handler set during the request applies to the redirects that follow.
    @Test func isSetDuringTheRequest() async throws {
        let link = LockedValue<DataRequest?>(nil)
        let test = TestSession { request in
            let step = Int(request.target.path.dropFirst()) ?? 0
            if step == 1 { link.value?.redirect(using: .doNotFollow) }
            return step == 3 ? MockResponse() : MockResponse(status: .found, fields: [.location: "/\(step + 1)"])
        }
        let request = test.session.request("http://h/0")
        link.value = request
        #expect(await request.serializingData().response.response?.status == .found)
        #expect(test.transport.requests.map(\.target.path) == ["/0", "/1"])
        link.value = nil
        try await assertNothingLeft(test.session)
    }

    /// A cancelled request does not wait for a handler that ignores cancellation.
    @Test func doesNotDelayACancelledRequest() async throws {
        let barrier = Barrier()
        let test = session(
            .modify { request, _, _ in
                await barrier.pass()
                return request
            }
        )
        let request = test.session.request("http://h/")
        let task = request.serializingString()
        await barrier.reached()
        request.cancel()
        #expect(await task.response.error?.code == .cancelled)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    /// RFC 7617 §2 forbids a colon in the user name.
    @Test func rejectsAnInvalidUserName() async throws {
        let test = session(
            .modify { request, _, _ in
                var request = request
                request.target = try TargetURI("http://a%3Ab:c@h/b")
                return request
            }
        )
        #expect(await failure { try await test.session.get("http://h/") }?.code == .invalidField)
        #expect(test.transport.requests.count == 1)
    }
}

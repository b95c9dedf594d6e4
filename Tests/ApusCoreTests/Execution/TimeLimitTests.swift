internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Time limits that a message gets after its request has started.
@Suite(.timeLimit(.minutes(5))) struct TimeLimitTests {
    enum Style: CaseIterable {
        case direct, stream, handle

        func send(_ session: Session, _ options: RequestOptions = .none) async throws {
            switch self {
            case .direct: _ = try await session.get("http://h/", options: options)
            case .stream: _ = try await session.stream("http://h/", options: options)
            case .handle: _ = try await session.request("http://h/", options: options).serializingData().value
            }
        }
    }

    private func session(
        _ barrier: Barrier,
        limit: Duration?,
        adapter: @escaping @Sendable (inout RequestMessage) -> Void
    ) -> TestSession {
        TestSession(configuring: {
            $0.timeouts.request = limit
            let adapter = Adapter { request, _ in
                var request = request
                adapter(&request)
                return request
            }
            $0.interceptor = Interceptor(adapters: [adapter])
        }) { _ in
            try await barrier.passUnlessCancelled()
            return MockResponse(body: "late")
        }
    }

    /// Checks that the request ends at its new limit, and not before.
    private func check(_ style: Style, _ limit: Duration?, _ new: Duration, _ options: RequestOptions) async throws {
        let barrier = Barrier()
        let test = session(barrier, limit: limit) { $0.options[RequestDeadline.self] = RequestDeadline(new) }
        let error = Deferred<ApusError?>()
        Task { error.fulfill(await failure { try await style.send(test.session, options) }) }
        await barrier.reached()
        #expect(await eventually { test.clock.sleeperCount > 0 })
        test.clock.advance(by: new - .milliseconds(1))
        #expect(!test.session.activeRequests.isEmpty || style != .handle)
        test.clock.advance(by: .milliseconds(1))
        let ended = await error.value
        #expect(ended?.code == .deadlineExceeded)
        #expect(ended?.detail.contains(new.formatted) == true)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: Style.allCases) func isSetByAnAdapter(style: Style) async throws {
        try await check(style, nil, .seconds(5), .none)
    }

    @Test(arguments: Style.allCases) func isShortenedByAnAdapter(style: Style) async throws {
        try await check(style, .seconds(60), .seconds(5), .none)
    }

    @Test(arguments: Style.allCases) func isExtendedByAnAdapter(style: Style) async throws {
        try await check(style, .seconds(5), .seconds(60), .none)
        try await check(style, nil, .seconds(60), [RequestDeadline(.seconds(5))])
    }

    @Test(arguments: Style.allCases) func isSetByAnAdapterOfTheOptions(style: Style) async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let adapter = Adapter.synchronous { request, _ in
            request.options[RequestDeadline.self] = RequestDeadline(.seconds(5))
        }
        let error = Deferred<ApusError?>()
        Task {
            let options: RequestOptions = [Interceptor(adapters: [adapter])]
            error.fulfill(await failure { try await style.send(test.session, options) })
        }
        await barrier.reached()
        #expect(await eventually { test.clock.sleeperCount > 0 })
        test.clock.advance(by: .seconds(5))
        #expect(await error.value?.code == .deadlineExceeded)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    /// A retry does not begin after the deadline.
    @Test(arguments: Style.allCases) func endsTheRetries(style: Style) async throws {
        let clock = ManualClock()
        let count = LockedList<Int>()
        let transport = MockTransport { _ in
            count.append(1)
            clock.advance(by: .seconds(3))
            throw ApusError(.connectFailed, "refused")
        }
        let test = TestSession(over: transport) {
            $0.time = clock
            $0.retryBudget = nil
            $0.interceptor = Interceptor(
                adapters: [
                    Adapter.synchronous { request, _ in
                        request.options[RequestDeadline.self] = RequestDeadline(.seconds(5))
                    }
                ],
                retriers: [Retrier { _, _ in .retry }]
            )
        }
        let error = await failure { try await style.send(test.session) }
        #expect([.connectFailed, .deadlineExceeded].contains(error?.code))
        #expect(count.all.count <= 3)
        try await assertNothingLeft(test.session)
    }

    @Test func isSetByARequestConvertible() async throws {
        struct Route: RequestConvertible {
            func asRequest() throws -> RequestMessage {
                try RequestMessage("http://h/", options: [RequestDeadline(.seconds(7))])
            }
        }
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request(Route()).resume()
        await barrier.reached()
        test.clock.advance(by: .seconds(7))
        #expect(await request.serializingData().response.error?.code == .deadlineExceeded)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: Style.allCases) func endsWithTheRequest(style: Style) async throws {
        let test = TestSession(configuring: {
            let adapter = Adapter.synchronous { request, _ in
                request.options[RequestDeadline.self] = RequestDeadline(.seconds(9))
            }
            $0.interceptor = Interceptor(adapters: [adapter])
        }) { _ in MockResponse(body: "in time") }
        try await style.send(test.session)
        #expect(await eventually { test.clock.sleeperCount == 0 })
        try await assertNothingLeft(test.session)
    }
}

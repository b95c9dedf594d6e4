internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Cancellation of a request while adapters and retriers run, which may ignore it.
@Suite(.timeLimit(.minutes(5))) struct InterceptorCancellationTests {
    private enum Stage: CaseIterable {
        case adapter, retrier, reconsideration, delay

        /// Returns an interceptor that stops at this stage until the barrier opens.
        func interceptor(_ barrier: Barrier) -> Interceptor {
            switch self {
            case .adapter:
                Interceptor(adapters: [
                    Adapter { request, _ in
                        await barrier.pass()
                        return request
                    }
                ])
            case .retrier:
                Interceptor(retriers: [
                    Retrier { _, _ in
                        await barrier.pass()
                        return .retry
                    }
                ])
            case .reconsideration:
                Interceptor(retriers: [
                    Retrier(reconsidering: { _ in
                        await barrier.pass()
                        return .retry
                    })
                ])
            case .delay:
                Interceptor(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(3600)) }])
            }
        }

        func reached(_ barrier: Barrier, _ clock: ManualClock) async {
            if self == .delay { await clock.waitForSleepers(1) } else { await barrier.reached() }
        }

        var failure: ApusError.Code? { self == .retrier || self == .delay ? .connectionClosed : nil }

        func session(_ barrier: Barrier) -> TestSession {
            TestSession(configuring: { $0.interceptor = interceptor(barrier) }) { [failure] _ in
                if let failure { throw ApusError(failure, "it went away") }
                return MockResponse(body: "ok")
            }
        }
    }

    /// Parity: AF-fault-cancel-retry-delay
    @Test(arguments: Stage.allCases) private func endsAHandleAtOnce(_ stage: Stage) async throws {
        let barrier = Barrier()
        let test = stage.session(barrier)
        let request = test.session.request("http://h/")
        let task = request.serializingString()
        let codes = LockedList<ApusError.Code?>()
        request.responseString(queue: .global()) { codes.append($0.error?.code) }
        await stage.reached(barrier, test.clock)
        request.cancel()
        let error = await task.response.error
        #expect(error?.code == .cancelled && error?.detail == "cancel() was called")
        #expect((error?.underlying as? ApusError)?.code == stage.failure)
        #expect(request.state == .cancelled)
        barrier.open()
        try await assertNothingLeft(test.session)
        #expect(codes.all == [.cancelled])
        #expect(test.names(of: request).last == "finished")
        #expect(test.names(of: request).count { $0 == "finished" } == 1)
    }

    @Test(arguments: Stage.allCases) private func endsADirectCallAtOnce(_ stage: Stage) async throws {
        let barrier = Barrier()
        let test = stage.session(barrier)
        let session = test.session
        let task = Task { await failure { try await session.get("http://h/") } }
        await stage.reached(barrier, test.clock)
        task.cancel()
        let error = await task.value
        #expect(error?.code == .cancelled)
        #expect((error?.underlying as? ApusError)?.code == stage.failure)
        barrier.open()
        try await assertNothingLeft(session)
    }

    @Test(arguments: Stage.allCases) private func endsAStreamAtOnce(_ stage: Stage) async throws {
        let barrier = Barrier()
        let test = stage.session(barrier)
        let session = test.session
        let task = Task { await failure { try await session.stream("http://h/").body.collect(upTo: 10) } }
        await stage.reached(barrier, test.clock)
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        barrier.open()
        try await assertNothingLeft(session)
    }

    /// A retry delay that reaches the deadline is not awaited: see `AttemptLoopDeadlineTests`.
    @Test(arguments: Stage.allCases.filter { $0 != .delay })
    private func endsByItsDeadline(_ stage: Stage) async throws {
        let barrier = Barrier()
        let test = stage.session(barrier)
        let options: RequestOptions = [RequestDeadline(.seconds(2))]
        let request = test.session.request("http://h/", options: options)
        let task = request.serializingString()
        await barrier.reached()
        test.clock.advance(by: .seconds(2))
        #expect(await task.response.error?.code == .deadlineExceeded)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    private enum CallStyle: CaseIterable {
        case direct, handle, stream

        func begin(on session: Session) -> Task<ApusError?, Never> {
            switch self {
            case .direct: Task { await failure { try await session.get("http://h/") } }
            case .handle: Task { await session.request("http://h/").serializingString().response.error }
            case .stream: Task { await failure { try await session.stream("http://h/").body.collect(upTo: 10) } }
            }
        }
    }

    @Test(arguments: CallStyle.allCases)
    private func beginsNoAttemptAfterAnAdapterHasCancelledTheTask(_ style: CallStyle) async throws {
        let count = Counter()
        let test = TestSession(
            configuring: { configuration in
                let adapter = Adapter.synchronous { _, _ in withUnsafeCurrentTask { $0?.cancel() } }
                configuration.interceptor = Interceptor(adapters: [adapter])
                configuration.middleware = [
                    ClosureMiddleware { request, context, next in
                        _ = count.next()
                        return try await next(request, context: context)
                    }
                ]
            },
            responding: { _ in MockResponse(body: "ok") }
        )
        let error = await style.begin(on: test.session).value
        #expect(error?.code == .cancelled)
        #expect(count.next() == 0)
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: Stage.allCases, CallStyle.allCases)
    private func endsWithItsSession(_ stage: Stage, _ style: CallStyle) async throws {
        let barrier = Barrier()
        let test = stage.session(barrier)
        let session = test.session
        let task = style.begin(on: session)
        await stage.reached(barrier, test.clock)
        await session.shutdown(within: .zero)
        #expect(await task.value?.code == .sessionShutDown)
        #expect(session.requestCounts == (0, 0))
        barrier.open()
        try await assertNothingLeft(session)
    }

    /// Requests in flight may finish, including their retries.
    @Test(arguments: CallStyle.allCases)
    private func retriesDuringTheGracePeriodOfItsSession(_ style: CallStyle) async throws {
        let count = Counter()
        let test = TestSession(
            configuring: { $0.interceptor = Interceptor(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(5)) }]) },
            responding: { _ in
                guard count.next() > 0 else { throw ApusError(.connectionClosed, "it went away") }
                return MockResponse(body: "ok")
            }
        )
        let session = test.session
        let task = style.begin(on: session)
        await test.clock.waitForSleepers(1)
        let isOver = LockedList<Int>()
        let shutdown = Task {
            await session.shutdown(within: .seconds(30))
            isOver.append(1)
        }
        await test.clock.waitForSleepers(2)
        #expect(await failure { try await session.get("http://h/late") }?.code == .sessionShutDown)
        #expect(isOver.count == 0)
        test.clock.advance(by: .seconds(5))
        #expect(await task.value == nil)
        await shutdown.value
        #expect(test.transport.requests.map(\.target.path) == ["/", "/"])
        try await assertNothingLeft(session)
    }

    @Test(arguments: CallStyle.allCases)
    private func isCancelledAtTheEndOfTheGracePeriodOfItsSession(_ style: CallStyle) async throws {
        let test = Stage.delay.session(Barrier())
        let session = test.session
        let task = style.begin(on: session)
        await test.clock.waitForSleepers(1)
        let shutdown = Task { await session.shutdown(within: .seconds(30)) }
        await test.clock.waitForSleepers(2)
        test.clock.advance(by: .seconds(30))
        let error = await task.value
        #expect(error?.code == .sessionShutDown)
        #expect((error?.underlying as? ApusError)?.code == .connectionClosed)
        await shutdown.value
        try await assertNothingLeft(session)
    }

    /// A request that one in flight waits for is not rejected as a new request.
    @Test func admitsRequestsOfAnInterceptorDuringTheGracePeriod() async throws {
        let sessionBox = LockedValue<Session?>(nil)
        let barrier = Barrier()
        let test = TestSession.configured {
            $0.interceptor = Interceptor(adapters: [
                Adapter { request, _ in
                    guard request.target.path != "/token" else { return request }
                    await barrier.pass()
                    _ = try await sessionBox.value?.get("http://h/token")
                    return request
                }
            ])
        }
        let session = test.session
        sessionBox.value = session
        let task = Task { try await session.get("http://h/").status }
        await barrier.reached()
        let shutdown = Task { await session.shutdown() }
        await test.clock.waitForSleepers(1)
        barrier.open()
        #expect(try await task.value == .ok)
        await shutdown.value
        #expect(test.transport.requests.map(\.target.path) == ["/token", "/"])
        sessionBox.value = nil
        try await assertNothingLeft(session)
    }

    /// An adapter's requests on its own session need no slot: the requests that hold slots wait for them.
    @Test func admitsRequestsOfAnInterceptorAboveTheLimit() async throws {
        let sessionBox = LockedValue<Session?>(nil)
        let test = TestSession.configured {
            $0.requestsInFlight = 2
            $0.interceptor = Interceptor(adapters: [
                Adapter { request, _ in
                    guard request.target.path != "/token" else { return request }
                    _ = try await sessionBox.value?.get("http://h/token")
                    return request
                }
            ])
        }
        sessionBox.value = test.session
        let session = test.session
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 { group.addTask { try await session.get("http://h/\(number)").status.code } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(test.transport.requests.count == 40)
        sessionBox.value = nil
        try await assertNothingLeft(session)
    }

    /// While a request waits for its retry, other requests use its slot.
    @Test func holdsNoSlotDuringARetryDelay() async throws {
        let test = TestSession(
            configuring: {
                $0.requestsInFlight = 1
                $0.interceptor = Interceptor(retriers: [
                    Retrier { attempt, _ in attempt.retryCount == 0 ? .retryWithDelay(.seconds(9)) : .doNotRetry }
                ])
            },
            responding: { request in
                if request.target.path == "/slow" { throw ApusError(.connectionClosed, "it went away") }
                return MockResponse(body: "ok")
            }
        )
        let slow = test.session.request("http://h/slow").serializingData()
        await test.clock.waitForSleepers(1)
        #expect(try await test.session.get("http://h/quick").status == .ok)
        test.clock.advance(by: .seconds(9))
        #expect(await slow.response.error?.code == .connectionClosed)
        try await assertNothingLeft(test.session)
    }
}

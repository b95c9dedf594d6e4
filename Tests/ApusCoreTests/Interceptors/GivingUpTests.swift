internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

@testable internal import ApusCore

/// Giving a request up in the hands of adapters and retriers, which may take no notice of it.
@Suite(.timeLimit(.minutes(5))) struct GivingUpTests {
    private enum Place: CaseIterable {
        case adapter, retrier, reconsideration, delay

        /// Stops there for good.
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
    @Test(arguments: Place.allCases) private func endsAHandleAtOnce(_ place: Place) async throws {
        let barrier = Barrier()
        let test = place.session(barrier)
        let request = test.session.request("http://h/")
        let task = request.serializingString()
        let told = Notes<ApusError.Code?>()
        request.responseString(queue: .global()) { told.append($0.error?.code) }
        await place.reached(barrier, test.clock)
        request.cancel()
        let error = await task.response.error
        #expect(error?.code == .cancelled && error?.detail == "cancel() was called")
        #expect((error?.underlying as? ApusError)?.code == place.failure)
        #expect(request.state == .cancelled)
        barrier.open()
        try await assertNothingLeft(test.session)
        #expect(told.all == [.cancelled])
        #expect(test.names(of: request).last == "finished")
        #expect(test.names(of: request).count { $0 == "finished" } == 1)
    }

    @Test(arguments: Place.allCases) private func endsADirectCallAtOnce(_ place: Place) async throws {
        let barrier = Barrier()
        let test = place.session(barrier)
        let session = test.session
        let task = Task { await failure { try await session.get("http://h/") } }
        await place.reached(barrier, test.clock)
        task.cancel()
        let error = await task.value
        #expect(error?.code == .cancelled)
        #expect((error?.underlying as? ApusError)?.code == place.failure)
        barrier.open()
        try await assertNothingLeft(session)
    }

    @Test(arguments: Place.allCases) private func endsAStreamAtOnce(_ place: Place) async throws {
        let barrier = Barrier()
        let test = place.session(barrier)
        let session = test.session
        let task = Task { await failure { try await session.stream("http://h/").body.collect(upTo: 10) } }
        await place.reached(barrier, test.clock)
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        barrier.open()
        try await assertNothingLeft(session)
    }

    /// A delay that reaches the deadline is not waited for: `AttemptLoopDeadlineTests`.
    @Test(arguments: Place.allCases.filter { $0 != .delay })
    private func endsByItsDeadline(_ place: Place) async throws {
        let barrier = Barrier()
        let test = place.session(barrier)
        let options: RequestOptions = [RequestDeadline(.seconds(2))]
        let request = test.session.request("http://h/", options: options)
        let task = request.serializingString()
        await barrier.reached()
        test.clock.advance(by: .seconds(2))
        #expect(await task.response.error?.code == .deadlineExceeded)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    private enum Way: CaseIterable {
        case direct, handle, stream

        func begin(on session: Session) -> Task<ApusError?, Never> {
            switch self {
            case .direct: Task { await failure { try await session.get("http://h/") } }
            case .handle: Task { await session.request("http://h/").serializingString().response.error }
            case .stream: Task { await failure { try await session.stream("http://h/").body.collect(upTo: 10) } }
            }
        }
    }

    @Test(arguments: Place.allCases, Way.allCases)
    private func endsWithItsSession(_ place: Place, _ way: Way) async throws {
        let barrier = Barrier()
        let test = place.session(barrier)
        let session = test.session
        let task = way.begin(on: session)
        await place.reached(barrier, test.clock)
        await session.shutdown(within: .zero)
        #expect(await task.value?.code == .sessionShutDown)
        #expect(session.requestCounts == (0, 0))
        barrier.open()
        try await assertNothingLeft(session)
    }

    /// Those in flight may end, and their retries are theirs.
    @Test(arguments: Way.allCases) private func goesAgainInTheGraceOfItsSession(_ way: Way) async throws {
        let count = Counter()
        let test = TestSession(
            configuring: { $0.interceptor = Interceptor(retriers: [Retrier { _, _ in .retryWithDelay(.seconds(5)) }]) },
            answering: { _ in
                guard count.next() > 0 else { throw ApusError(.connectionClosed, "it went away") }
                return MockResponse(body: "ok")
            }
        )
        let session = test.session
        let task = way.begin(on: session)
        await test.clock.waitForSleepers(1)
        let isOver = Notes<Int>()
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

    @Test(arguments: Way.allCases) private func isGivenUpAtTheEndOfTheGraceOfItsSession(_ way: Way) async throws {
        let test = Place.delay.session(Barrier())
        let session = test.session
        let task = way.begin(on: session)
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

    /// What those in flight wait for is no new request.
    @Test func letsAnInterceptorsOwnRequestsInDuringTheGrace() async throws {
        let link = Link<Session>()
        let barrier = Barrier()
        let test = TestSession.configured {
            $0.interceptor = Interceptor(adapters: [
                Adapter { request, _ in
                    guard request.target.path != "/token" else { return request }
                    await barrier.pass()
                    _ = try await link.value?.get("http://h/token")
                    return request
                }
            ])
        }
        let session = test.session
        link.value = session
        let task = Task { try await session.get("http://h/").status }
        await barrier.reached()
        let shutdown = Task { await session.shutdown() }
        await test.clock.waitForSleepers(1)
        barrier.open()
        #expect(try await task.value == .ok)
        await shutdown.value
        #expect(test.transport.requests.map(\.target.path) == ["/token", "/"])
        link.value = nil
        try await assertNothingLeft(session)
    }

    /// What an adapter asks of its own session needs no place: those with a place wait for it.
    @Test func letsAnInterceptorsOwnRequestsIn() async throws {
        let link = Link<Session>()
        let test = TestSession.configured {
            $0.requestsInFlight = 2
            $0.interceptor = Interceptor(adapters: [
                Adapter { request, _ in
                    guard request.target.path != "/token" else { return request }
                    _ = try await link.value?.get("http://h/token")
                    return request
                }
            ])
        }
        link.value = test.session
        let session = test.session
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 { group.addTask { try await session.get("http://h/\(number)").status.code } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(test.transport.requests.count == 40)
        link.value = nil
        try await assertNothingLeft(session)
    }

    /// While a request waits to go again, others take its place.
    @Test func holdsNoPlaceInItsDelay() async throws {
        let test = TestSession(
            configuring: {
                $0.requestsInFlight = 1
                $0.interceptor = Interceptor(retriers: [
                    Retrier { attempt, _ in attempt.retryCount == 0 ? .retryWithDelay(.seconds(9)) : .doNotRetry }
                ])
            },
            answering: { request in
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

internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// A cancelled handle completes although its middleware does not return.
@Suite(.timeLimit(.minutes(5))) struct AbandonedRequestTests {
    /// Blocks until it is released, then throws.
    private struct BlockingRequest: RequestConvertible {
        let entered: Deferred<Void>
        let release: DispatchSemaphore

        func asRequest() throws -> RequestMessage {
            entered.fulfill(())
            release.wait()
            throw ApusError(.invalidURL, "it is released")
        }
    }

    /// Cancels and abandons its request, and then returns a message with a deadline.
    private struct LateRequest: RequestConvertible {
        let task: LockedValue<RequestTask?>
        let abandons: LockedList<Bool>

        func asRequest() throws -> RequestMessage {
            if let task = task.value {
                task.cancel(.user)
                abandons.append(task.abandon())
            }
            return try RequestMessage("http://h/", options: [RequestDeadline(.seconds(60))])
        }
    }

    private static let patience = SessionCore.patience

    private func stuck(_ barrier: Barrier, deadline: Duration? = nil) -> TestSession {
        TestSession { configuration in
            configuration.timeouts.request = deadline
            configuration.middleware = [ClosureMiddleware.waiting(at: barrier)]
        } responding: { _ in
            MockResponse(body: "late")
        }
    }

    @Test(arguments: [false, true]) func endsAMomentAfterItsCancellation(isDownload: Bool) async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let test = stuck(barrier)
            let request: any Request =
                isDownload
                ? test.session.download("http://h/a", to: .file(folder.appending(path: "f")))
                    .response { _ in }
                : test.session.request("http://h/a").response { _ in }
            await barrier.reached()
            request.cancel()
            await test.clock.waitForSleepers(1)
            test.clock.advance(by: Self.patience - .nanoseconds(1))
            #expect(request.response == nil && request.error == nil)
            test.clock.advance(by: .nanoseconds(1))
            #expect(await eventually { request.error != nil })
            #expect(request.error?.code == .cancelled)
            #expect(request.error?.method == .get && request.error?.url == "http://h/a")
            // Its middleware still holds the slot.
            #expect(test.session.requestCounts == (1, 0))
            barrier.open()
            #expect(await eventually { test.session.requestCounts == (0, 0) })
            #expect(request.error?.code == .cancelled && request.response == nil)
            #expect(try names(in: folder) == [])
            #expect(
                test.names(of: request).filter { $0 == "finished" || $0 == "completed" } == ["completed", "finished"]
            )
            try await assertNothingLeft(test.session)
        }
    }

    @Test func endsOnceIfItsConvertibleThrowsLater() async throws {
        let (entered, release) = (Deferred<Void>(), DispatchSemaphore(value: 0))
        let test = TestSession()
        let convertible = BlockingRequest(entered: entered, release: release)
        let request = test.session.request(convertible)
        let outcome = request.serializingString()
        await entered.value
        request.cancel()
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: Self.patience)
        #expect(await outcome.response.error?.code == .cancelled)
        release.signal()
        #expect(await eventually { test.session.requestCounts == (0, 0) })
        #expect(request.error?.code == .cancelled)
        #expect(test.names(of: request).filter { $0 == "completed" || $0 == "finished" } == ["completed", "finished"])
        try await assertNothingLeft(test.session)
    }

    @Test func startsNoTimerIfItsMessageSetsADeadlineLater() async throws {
        let test = TestSession()
        let (task, abandons) = (LockedValue<RequestTask?>(nil), LockedList<Bool>())
        let request = test.session.request(LateRequest(task: task, abandons: abandons))
        task.value = request.task
        #expect(await request.serializingString().response.error?.code == .cancelled)
        #expect(await eventually { test.session.requestCounts == (0, 0) })
        #expect(abandons.all == [true])
        #expect(test.clock.sleeperCount == 0)
        task.value = nil
        try await assertNothingLeft(test.session)
    }

    @Test func endsAMomentAfterItsDeadline() async throws {
        let barrier = Barrier()
        let test = stuck(barrier, deadline: .seconds(5))
        let request = test.session.request("http://h/").serializingString()
        await barrier.reached()
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .seconds(5))
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: Self.patience)
        #expect(await request.response.error?.code == .deadlineExceeded)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    @Test func endsWithItsOwnResultIfItsMiddlewareReturnsInTime() async throws {
        let barrier = Barrier()
        let test = stuck(barrier)
        let request = test.session.request("http://h/")
        let outcome = request.serializingString(automaticallyCancelling: false)
        await barrier.reached()
        request.cancel()
        await test.clock.waitForSleepers(1)
        barrier.open()
        #expect(await outcome.response.error?.code == .cancelled)
        #expect(await eventually { test.clock.sleeperCount == 0 })
        try await assertNothingLeft(test.session)
    }

    @Test func endsWithItsSession() async throws {
        let barrier = Barrier()
        var test: TestSession? = stuck(barrier)
        let clock = try #require(test).clock
        let request = try #require(test).session.request("http://h/").serializingString()
        await barrier.reached()
        test = nil
        await clock.waitForSleepers(1)
        clock.advance(by: Self.patience)
        #expect(await request.response.error?.code == .sessionGone)
        barrier.open()
    }

    @Test func endsBeforeAShutdownReturns() async throws {
        let barrier = Barrier()
        let test = stuck(barrier)
        let request = test.session.request("http://h/")
        let completions = LockedList<ApusError.Code?>()
        request.response(queue: .global()) { completions.append($0.error?.code) }
        await barrier.reached()
        let shutdown = Task { await test.session.shutdown(within: .zero) }
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: Self.patience)
        await shutdown.value
        #expect(request.state == .cancelled && request.error?.code == .sessionShutDown)
        #expect(await eventually { completions.count == 1 })
        barrier.open()
        #expect(await eventually { test.session.liveCounts.isEmpty })
        #expect(completions.count == 1)
    }

    @Test func endsForAllRequestsTogether() async throws {
        let barrier = Barrier()
        let test = stuck(barrier)
        let request = test.session.request("http://h/").serializingString()
        await barrier.reached()
        let cancellation = Task { await test.session.cancelAllRequests() }
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: Self.patience)
        await cancellation.value
        #expect(await request.response.error?.code == .cancelled)
        barrier.open()
        try await assertNothingLeft(test.session)
    }
}

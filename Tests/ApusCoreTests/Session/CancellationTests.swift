internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    private struct Fault: Error {}

    /// Parity: AF-fault-early-state, AF-life-before, AF-cancel-early, AF-life-late-cancelled, AF-error-cancelled
    @Test func endsBeforeItStarts() async throws {
        let test = TestSession()
        let request = test.session.request("http://h/").cancel()
        #expect(request.state == .cancelled)
        let error = await request.serializingData().response.error
        #expect(error?.code == .cancelled)
        #expect(error?.detail == "cancel() was called")
        request.resume()
        #expect(request.state == .cancelled)
        #expect(test.transport.requests.isEmpty)
        #expect(test.names(of: request).prefix(3) == ["cancelled", "completed", "finished"])
        try await assertNothingLeft(test.session)
    }

    @Test func completesTasksCreatedBeforeTheCancellation() async throws {
        let test = TestSession.configured { $0.startRequestsImmediately = false }
        let request = test.session.request("http://h/")
        let task = request.serializingData()
        request.cancel()
        #expect(await task.response.error?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-before, AF-cancel-early
    @Test func endsWhileItIsSuspended() async throws {
        let test = TestSession()
        let request = test.session.request("http://h/").suspend()
        let task = request.serializingData()
        request.cancel()
        #expect(await task.response.error?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-cancel-early
    @Test func leavesTheQueueAtOnce() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
        let first = test.session.request("http://h/1").serializingData()
        await barrier.reached()
        let second = test.session.request("http://h/2").serializingData()
        let third = test.session.request("http://h/3").serializingData()
        #expect(test.session.requestCounts == (1, 2))
        second.cancel()
        #expect(await second.response.error?.code == .cancelled)
        #expect(test.session.requestCounts == (1, 1))
        barrier.open()
        #expect(await first.response.error == nil)
        #expect(await third.response.error == nil)
        #expect(test.transport.requests.map(\.target.path) == ["/1", "/3"])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-cancel-error, AF-cancel-under-way
    @Test func endsDuringTheExchange() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request("http://h/?token=sesame")
        let task = request.serializingData()
        await barrier.reached()
        request.cancel()
        let error = try #require(await task.response.error)
        #expect("\(error)" == "GET http://h/?token=… was cancelled: cancel() was called")
        #expect(error.exchanges.count == 1)
        #expect(request.state == .cancelled)
        try await assertNothingLeft(test.session)
    }

    @Test func endsInTheMiddleOfTheBody() async throws {
        let test = TestSession { _ in MockResponse(chunks: (0..<1_000).map { BodyChunk("\($0)") }) }
        let request = test.session.request("http://h/")
        let task = request.downloadProgress(queue: .global()) { _ in request.cancel() }.serializingData()
        let response = await task.response
        #expect(response.error == nil || response.error?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-cancel-under-way
    @Test func endsWhileItsBodyIsSuspended() async throws {
        let barrier = Barrier()
        let test = TestSession { _ in
            await barrier.pass()
            return MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")])
        }
        let request = test.session.request("http://h/")
        let task = request.serializingData()
        await barrier.reached()
        request.suspend()
        barrier.open()
        #expect(await eventually { test.session.liveCounts["continuations"] == 1 })
        request.cancel()
        let error = await task.response.error
        #expect(error?.code == .cancelled)
        #expect(error?.detail == "cancel() was called")
        try await assertNothingLeft(test.session)
    }

    /// A request that was cancelled before it ended has no response, even if one arrives later.
    @Test func doesNotSucceedOnceItIsCancelled() async throws {
        let barrier = Barrier()
        let test = TestSession.configured {
            $0.middleware = [
                ClosureMiddleware { request, context, next in
                    let response = try await next(request, context: context)
                    await barrier.pass()
                    return response
                }
            ]
        }
        let request = test.session.request("http://h/")
        let task = request.serializingData()
        await barrier.reached()
        request.cancel()
        barrier.open()
        #expect(await task.response.error?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    /// The error has the reason for the cancellation, whichever error the transport or a middleware throws.
    @Test func reportsTheCancellationInPlaceOfAnyError() async throws {
        let barrier = Barrier()
        let test = TestSession.configured {
            $0.middleware = [
                ClosureMiddleware { _, _, _ in
                    do { try await barrier.passUnlessCancelled() } catch { throw Fault() }
                    throw Fault()
                }
            ]
        }
        let request = test.session.request("http://h/")
        let task = request.serializingData()
        await barrier.reached()
        request.cancel()
        let error = await task.response.error
        #expect(error?.code == .cancelled)
        #expect(error?.underlying as? ApusError != nil || error?.underlying is Fault)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-cancel-failed
    @Test func keepsAnEarlierFailure() async throws {
        let test = TestSession { _ in throw ApusError(.connectFailed, "no") }
        let request = test.session.request("http://h/")
        #expect(await request.serializingData().response.error?.code == .connectFailed)
        request.cancel()
        #expect(await request.serializingData().response.error?.code == .connectFailed)
    }

    /// Parity: AF-cancel-late
    @Test func changesNothingOnceTheResultIsKnown() async throws {
        struct Cancelling: ResponseSerializer {
            let request: DataRequest
            func serialize(request: RequestMessage, response: HTTPResponse, data: Data) throws -> String {
                self.request.cancel()
                return String(decoding: data, as: UTF8.self)
            }
        }
        let test = TestSession.configured { $0.startRequestsImmediately = false }
        let request = test.session.request("http://h/")
        let first = request.serializingResponse(using: Cancelling(request: request))
        let second = request.serializingString()
        request.resume()
        #expect(try await first.value == "ok")
        #expect(try await second.value == "ok")
        #expect(await eventually { request.state == .cancelled })
        #expect(try await request.serializingString().value == "ok")
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-cancel-late
    @Test func keepsTheResponseWhenCancelledInACompletionHandler() async throws {
        let test = TestSession()
        let value = Deferred<String?>()
        let request = test.session.request("http://h/")
        request.responseString(queue: .global()) { response in
            request.cancel()
            value.fulfill(response.value)
        }
        #expect(await value.value == "ok")
        #expect(request.state == .finished)
    }

    // MARK: Cancellation by the awaiting task

    @Test func endsWithTheTaskThatAwaitsIt() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request("http://h/")
        let waiting = Task { await request.serializingData().response }
        await barrier.reached()
        waiting.cancel()
        let error = await waiting.value.error
        #expect(error?.code == .cancelled)
        #expect(error?.detail == "the task waiting for it was cancelled")
        #expect(request.state == .cancelled)
        try await assertNothingLeft(test.session)
    }

    @Test func outlivesTheAwaitingTaskWithoutAutomaticCancellation() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request("http://h/")
        let task = request.serializingString(automaticallyCancelling: false)
        let waiting = Task { await task.response }
        await barrier.reached()
        waiting.cancel()
        barrier.open()
        #expect(await waiting.value.value == "ok")
    }

    @Test(arguments: [false, true]) func endsADirectCallWithItsTask(waitsInQueue: Bool) async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
        let first = Task { await failure { try await test.session.get("http://h/") } }
        await barrier.reached()
        let second = Task { await failure { try await test.session.get("http://h/") } }
        #expect(await eventually { test.session.requestCounts == (1, 1) })
        if waitsInQueue {
            second.cancel()
            #expect(await second.value?.code == .cancelled)
            #expect(test.session.requestCounts == (1, 0))
        }
        first.cancel()
        #expect(await first.value?.code == .cancelled)
        barrier.open()
        #expect(await second.value?.code == (waitsInQueue ? .cancelled : nil))
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-fault-early-task-cancel
    @Test func rejectsADirectCallOfACancelledTask() async throws {
        let test = TestSession { _ in
            try Task.checkCancellation()
            return MockResponse()
        }
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { try await test.session.get("http://h/") }
        }
        #expect(await call.value?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    @Test func cancelsAllRequestsWithAHandle() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 2 }
        let tasks = (0..<5).map { _ in test.session.request("http://h/").serializingData() }
        await barrier.reached()
        await test.session.cancelAllRequests()
        for task in tasks { #expect(await task.response.error?.code == .cancelled) }
        try await assertNothingLeft(test.session)
    }

    /// Each request completes exactly once and leaves nothing behind, whenever it is cancelled.
    /// Parity: AF-fault-suspend-resume, AF-fault-stress
    @Test func completesOnceWheneverItIsCancelled() async throws {
        let test = TestSession {
            $0.requestsInFlight = 4
        } responding: { _ in
            await Task.yield()
            try Task.checkCancellation()
            return MockResponse(chunks: [BodyChunk("a"), BodyChunk("b"), BodyChunk("c")])
        }
        let completions = LockedList<Int>()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let done = Deferred<Bool>()
                    let request = test.session.request("http://h/\(number)")
                    if number % 7 == 0 { request.cancel() }
                    request.responseData(queue: .global()) { _ in
                        completions.append(number)
                        done.fulfill(true)
                    }
                    for _ in 0..<number % 13 { await Task.yield() }
                    if number % 3 == 0 { request.suspend() }
                    if number % 2 == 0 { request.cancel() } else { request.resume() }
                    _ = await done.value
                }
            }
        }
        #expect(completions.all.sorted() == Array(0..<400))
        try await assertNothingLeft(test.session)
    }
}

internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct MassActionTests {
    /// Parity: AF-session-cancel-all, AF-life-left
    @Test func cancelsAllRequestsAndNotifiesEachHandler() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 3 }
        let codes = LockedList<ApusError.Code?>()
        let tasks = (0..<10).map { number in
            let request = test.session.request("http://h/\(number)")
            let task = request.serializingString()
            request.responseString(queue: .global()) { codes.append($0.error?.code) }
            return task
        }
        await barrier.reached()
        #expect(test.session.activeRequests.count == 10)
        await test.session.cancelAllRequests()
        #expect(test.session.activeRequests.isEmpty)
        for task in tasks { #expect(await task.response.error?.code == .cancelled) }
        try await assertNothingLeft(test.session)
        #expect(await eventually { codes.count == 10 })
        #expect(codes.all.allSatisfy { $0 == .cancelled })
    }

    /// Parity: AF-session-cancel-all
    @Test func callsBackAfterTheHandlersOfTheSameQueue() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let queue = DispatchQueue(label: "mass")
        let order = LockedList<String>()
        for number in 0..<5 {
            test.session.request("http://h/\(number)").responseString(queue: queue) { _ in order.append("request") }
        }
        await barrier.reached()
        let isOver = Deferred<Void>()
        test.session.cancelAllRequests(completingOnQueue: queue) {
            order.append("all")
            isOver.fulfill(())
        }
        await isOver.value
        #expect(order.all == Array(repeating: "request", count: 5) + ["all"])
        try await assertNothingLeft(test.session)
    }

    @Test func returnsAtOnceWithoutRequests() async throws {
        let test = TestSession()
        await test.session.cancelAllRequests()
        try await assertNothingLeft(test.session)
    }

    @Test func leavesLaterRequestsAlone() async throws {
        let barrier = Barrier()
        let test = TestSession(configuring: { _ in }) { request in
            if request.target.path == "/first" { try await barrier.passUnlessCancelled() }
            return MockResponse(body: "ok")
        }
        let first = test.session.request("http://h/first").serializingString()
        await barrier.reached()
        let session = test.session
        async let cancelled: Void = session.cancelAllRequests()
        #expect(await first.response.error?.code == .cancelled)
        await cancelled
        #expect(try await session.request("http://h/second").serializingString().value == "ok")
        try await assertNothingLeft(session)
    }

    @Test func waitsForSlowSerializers() async throws {
        let barrier = Barrier()
        let slow = Barrier()
        let test = TestSession.hanging(barrier)
        let session = test.session
        session.request("http://h/").responseString(queue: .global()) { _ in }
        let handle = try #require(session.activeRequests.first)
        handle.task.append { _, _ in
            .later {
                await slow.pass()
                return RequestTask.Completion(failure: nil) {}
            }
        }
        await barrier.reached()
        let isOver = LockedList<Bool>()
        let all = Task {
            await session.cancelAllRequests()
            isOver.append(true)
        }
        await slow.reached()
        #expect(isOver.all.isEmpty)
        slow.open()
        await all.value
        #expect(session.activeRequests.isEmpty)
        try await assertNothingLeft(session)
    }

    /// Parity: AF-session-cancel-all
    @Test func cancelsStreams() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        let response = try await test.session.stream("http://h/")
        await test.session.cancelAllRequests()
        let error = await failure { try await response.body.collect(upTo: 10) }
        #expect(error?.code == .cancelled)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-all
    @Test func listsAllStartedHandles() async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let test = TestSession.hanging(barrier)
            let data = test.session.request("http://h/1").resume()
            let file = test.session.download("http://h/2", to: .file(folder.appending(path: "file"))).resume()
            let idle = test.session.request("http://h/3")
            await barrier.reached()
            var seen: [RequestID: Bool] = [:]
            test.session.withAllRequests { for request in $0 { seen[request.id] = request is DownloadRequest } }
            #expect(seen == [data.id: false, file.id: true])
            #expect(idle.state == .initialized)
            await test.session.cancelAllRequests()
            #expect(data.state == .cancelled && file.state == .cancelled && idle.state == .initialized)
            try await assertNothingLeft(test.session)
        }
    }

    /// Queued direct calls are left alone.
    @Test func cancelsManyQueuedRequests() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
        let session = test.session
        let first = session.request("http://h/").serializingString()
        await barrier.reached()
        async let direct = session.get("http://h/direct")
        #expect(await eventually { session.requestCounts == (1, 1) })
        let others = (0..<20_000).map { _ in session.request("http://h/").serializingString() }
        #expect(session.requestCounts == (1, 20_001))
        await session.cancelAllRequests()
        #expect(await first.response.error?.code == .cancelled)
        for other in others {
            let error = await other.response.error
            #expect(error?.code == .cancelled && error?.detail == "cancel() was called")
        }
        barrier.open()
        #expect(try await direct.status == .ok)
        try await assertNothingLeft(session)
    }
}

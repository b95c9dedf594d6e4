internal import Apus
internal import ApusTestServer
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The life of stream requests: back-pressure, suspension, cancellation, sessions that end, and released handles.
@Suite(.timeLimit(.minutes(5))) struct DataStreamLifeTests {
    private func session(_ source: some BodySource) -> Session {
        Session(transport: BodyTransport { _ in .stream(source) })
    }

    private struct Watch {
        weak var session: Session?
    }

    // MARK: Back-pressure

    /// Parity: AF-fault-back-pressure
    @Test(arguments: [1, 2, 5]) func readsNoFasterThanTheSlowestHandler(limit: Int) async throws {
        let chunks = (0..<20).map { "\($0)" }
        let source = ScriptedBody(chunks)
        let session = self.session(source)
        let semaphore = DispatchSemaphore(value: 0)
        let (slow, fast) = (StreamRecord<Data, Never>(), StreamRecord<Data, Never>())
        let request = session.streamRequest("http://h/", options: [ChunksInFlight(limit)])
            .suspend()
            .responseStream(on: DispatchQueue(label: "apus.tests.slow")) { stream in
                if slow.values.count == 0 { semaphore.wait() }
                slow.note(stream)
            }
            .responseStream(on: .global()) { fast.note($0) }
            .resume()
        #expect(await eventually { fast.values.count == limit && session.liveCounts["continuations"] == 1 })
        #expect(source.reads == limit)
        #expect(slow.values.count == 0)
        semaphore.signal()
        #expect(await slow.completion.error == nil)
        #expect(await fast.completion.error == nil)
        #expect(slow.values.all == fast.values.all)
        #expect(slow.values.count == chunks.count)
        #expect(await eventually { request.isFinished })
        try await assertNothingLeft(session)
    }

    /// Without a handler, as many chunks are kept as the limit allows.
    @Test func keepsTheFirstChunksForALateHandler() async throws {
        let source = ScriptedBody((0..<20).map { "\($0)" })
        let session = self.session(source)
        let request = session.streamRequest("http://h/", options: [ChunksInFlight(3)]).resume()
        #expect(await eventually { session.liveCounts["continuations"] == 1 })
        #expect(source.reads == 3)
        #expect(request.statusCode == 200)
        let record = StreamRecord<Data, Never>()
        request.responseStream(on: .global()) { record.note($0) }
        #expect(await record.completion.error == nil)
        #expect(record.values.count == 20)
        try await assertNothingLeft(session)
    }

    /// Parity: AF-fault-back-pressure
    @Test func holdsTheServerBackWhileItIsSuspended() async throws {
        let (size, offered) = (64 << 10, LockedValue(0))
        let count = (1 << 30) / size
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let behavior = TestServer.Behavior.handler { request in
            guard request.path == "/large" else { return .text("small") }
            return TestResponse(
                body: .generated(length: size * count) { number in
                    guard number < count else { return nil }
                    offered.change { $0 += 1 }
                    return piece
                }
            )
        }
        try await TestServer.with(behavior: behavior) { server in
            let session = Session()
            let (handle, ends) = (LockedValue<DataStreamRequest?>(nil), Deferred<ApusError?>())
            let isHeld = Deferred<Bool>()
            let request = session.streamRequest(server.url("/large")).suspend()
            handle.value = request
            request.responseStream(on: .global()) { stream in
                if stream.value != nil { isHeld.fulfill(handle.value?.suspend() != nil) }
                if let completion = stream.completion { ends.fulfill(completion.error) }
            }
            request.resume()
            #expect(await isHeld.value)
            #expect(request.isSuspended)
            var last = -1
            while offered.value != last {
                last = offered.value
                // Complete exchanges on the same event loops give all pending events time to finish.
                for _ in 0..<5 { try await session.get(server.url("/")).validate() }
            }
            // The buffers of both sockets and of the server hold this much.
            #expect(offered.value * size < 32 << 20)
            #expect(ends.present == nil)
            request.cancel()
            #expect(await ends.value?.code == .cancelled)
            handle.value = nil
            try await assertNothingLeft(session)
        }
    }

    // MARK: Suspension

    @Test func passesOnNothingThatArrivesWhileItIsSuspended() async throws {
        let barrier = Barrier()
        let session = self.session(HeldBody(["a", "b"], before: 1, barrier))
        let record = StreamRecord<Data, Never>()
        let request = session.streamRequest("http://h/").responseStream(on: .global()) { record.note($0) }
        await barrier.reached()
        #expect(await eventually { record.values.count == 1 })
        request.suspend().suspend()
        barrier.open()
        #expect(await eventually { session.liveCounts["continuations"] == 1 })
        #expect(record.values.count == 1)
        request.resume()
        #expect(await record.completion.error == nil)
        #expect(record.values.count == 2)
        try await assertNothingLeft(session)
    }

    @Test func endsAtItsDeadlineWhileItIsSuspended() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        let record = StreamRecord<Data, Never>()
        let options: RequestOptions = [RequestDeadline(.seconds(5)), ChunksInFlight(1)]
        let request = test.session.streamRequest("http://h/", options: options).resume()
        #expect(await eventually { test.session.liveCounts["continuations"] == 1 })
        request.suspend().responseStream(on: .global()) { record.note($0) }
        #expect(await eventually { record.values.count == 1 })
        await test.clock.waitForSleepers(1)
        test.clock.advance(by: .seconds(5))
        #expect(await record.completion.error?.code == .deadlineExceeded)
        #expect(record.values.count == 1)
        #expect(request.isCancelled)
        try await assertNothingLeft(test.session)
    }

    // MARK: Cancellation

    /// Parity: AF-stream-token
    @Test func isCancelledByItsHandler() async throws {
        let session = self.session(ScriptedBody((0..<100).map { "\($0)" }))
        let record = StreamRecord<Data, Never>()
        let request = session.streamRequest("http://h/").responseStream(on: .global()) { stream in
            record.note(stream)
            if record.values.count == 3 { stream.token.cancel() }
        }
        #expect(await record.completion.error?.code == .cancelled)
        #expect(record.values.count == 3)
        #expect(request.isCancelled)
        #expect(record.completions.count == 1)
        try await assertNothingLeft(session)
    }

    /// The text of one chunk has several values.
    @Test func dropsTheOtherValuesOfAChunkWhenItIsCancelled() async throws {
        let session = self.session(ScriptedBody(["1\n2\n3\n", "4\n"]))
        let record = StreamRecord<Int, ApusError>()
        let request = session.streamRequest("http://h/")
            .responseStreamDecodable(of: Int.self, on: .global()) { stream in
                record.note(stream)
                if stream.value == 2 { stream.cancel() }
            }
        #expect(await record.completion.error?.code == .cancelled)
        #expect(record.values.all == [1, 2])
        #expect(request.isCancelled)
        try await assertNothingLeft(session)
    }

    @Test func isCancelledBeforeItsHead() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let record = StreamRecord<Data, Never>()
        let request = test.session.streamRequest("http://h/").responseStream(on: .global()) { record.note($0) }
        await barrier.reached()
        request.cancel().cancel()
        let completion = await record.completion
        #expect(completion.error?.code == .cancelled)
        #expect(completion.error?.url == "http://h/")
        #expect(completion.response == nil)
        #expect(request.isCancelled)
        request.resume()
        #expect(request.isCancelled)
        try await assertNothingLeft(test.session)
        #expect(test.monitor.names(of: request.id).suffix(2) == ["completed", "finished"])
    }

    @Test func isCancelledBeforeItStarts() async throws {
        let test = TestSession()
        let record = StreamRecord<Data, Never>()
        let request = test.session.streamRequest("http://h/").suspend()
            .responseStream(on: .global()) { record.note($0) }
            .cancel()
        #expect(await record.completion.error?.code == .cancelled)
        #expect(test.requestCount == 0)
        #expect(test.monitor.names(of: request.id) == ["suspended", "cancelled", "completed", "finished"])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-cancel-all
    @Test func isCancelledWithAllRequestsOfItsSession() async throws {
        let barrier = Barrier()
        let session = self.session(HeldBody(["a", "b"], before: 1, barrier))
        let queue = DispatchQueue(label: "apus.tests.all")
        let record = StreamRecord<Data, Never>()
        let request = session.streamRequest("http://h/").responseStream(on: queue) { record.note($0) }
        await barrier.reached()
        await session.cancelAllRequests()
        queue.sync {}
        #expect(record.completions.count == 1)
        #expect(record.completions.all.first?.error?.code == .cancelled)
        #expect(request.isCancelled)
        try await assertNothingLeft(session)
    }

    // MARK: The end of its session

    /// Parity: AF-session-invalidated
    @Test(arguments: [false, true]) func endsWithItsSession(hasHead: Bool) async throws {
        let barrier = Barrier()
        let session =
            hasHead
            ? self.session(HeldBody(["a", "b"], before: 1, barrier)) : TestSession.hanging(barrier).session
        let queue = DispatchQueue(label: "apus.tests.shutdown")
        let record = StreamRecord<Data, Never>()
        let request = session.streamRequest("http://h/").responseStream(on: queue) { record.note($0) }
        await barrier.reached()
        await session.shutdown(within: .zero)
        queue.sync {}
        #expect(record.completions.count == 1)
        #expect(record.completions.all.first?.error?.code == .sessionShutDown)
        #expect(request.isCancelled)
        try await assertNothingLeft(session)
    }

    @Test func isRejectedByASessionThatWasShutDown() async throws {
        let test = TestSession()
        await test.session.shutdown()
        let record = StreamRecord<Data, Never>()
        let request = test.session.streamRequest("http://h/").responseStream(on: .global()) { record.note($0) }
        #expect(await record.completion.error?.code == .sessionShutDown)
        #expect(request.error?.code == .sessionShutDown)
        #expect(record.completions.count == 1)
        try await assertNothingLeft(test.session)
    }

    @Test func keepsItsSessionWhileItRuns() async throws {
        let barrier = Barrier()
        var session: Session? = self.session(HeldBody(["a", "b"], before: 1, barrier))
        let (running, unstarted) = (StreamRecord<Data, Never>(), StreamRecord<Data, Never>())
        let first = try #require(session).streamRequest("http://h/").responseStream(on: .global()) { running.note($0) }
        let second = try #require(session).streamRequest("http://h/").suspend()
        await barrier.reached()
        let watch = Watch(session: session)
        session = nil
        barrier.open()
        #expect(await running.completion.error == nil)
        #expect(running.values.count == 2)
        #expect(first.isFinished)
        #expect(await eventually { watch.session == nil })
        second.responseStream(on: .global()) { unstarted.note($0) }.resume()
        #expect(await unstarted.completion.error?.code == .sessionGone)
    }

    // MARK: Release of the handle

    @Test func isCancelledWhenItIsReleasedBeforeItStarts() async throws {
        let test = TestSession()
        let record = StreamRecord<Data, Never>()
        var request: DataStreamRequest? = test.session.streamRequest("http://h/").suspend()
            .responseStream(on: .global()) { record.note($0) }
        #expect(request?.isSuspended == true)
        request = nil
        let completion = await record.completion
        #expect(completion.error?.code == .cancelled)
        #expect(completion.error?.detail.contains("released") == true)
        #expect(record.completions.count == 1)
        #expect(test.requestCount == 0)
        try await assertNothingLeft(test.session)
    }

    @Test func isCancelledWhenItIsReleasedWhileItIsSuspended() async throws {
        let session = self.session(ScriptedBody((0..<20).map { "\($0)" }))
        let record = StreamRecord<Data, Never>()
        do {
            let request = session.streamRequest("http://h/").responseStream(on: .global()) { record.note($0) }
            request.suspend()
        }
        let completion = await record.completion
        // The body may have been read before.
        #expect(completion.error == nil || completion.error?.code == .cancelled)
        try await assertNothingLeft(session)
    }

    /// Otherwise an endless body would be read for no one.
    @Test func isCancelledWhenItIsReleasedAfterItsLastReceiver() async throws {
        let session = self.session(ScriptedBody((0..<20).map { "\($0)" }))
        let completions = LockedList<ApusError.Code?>()
        do {
            let request = session.streamRequest("http://h/", options: [ChunksInFlight(1)]).suspend()
            request.onComplete(on: .global()) { completions.append($0.error?.code) }
            let sequence = request.streamTask().streamingData(automaticallyCancelling: false)
            withExtendedLifetime(sequence) {}
        }
        #expect(await eventually { completions.all == [.cancelled] })
        try await assertNothingLeft(session)
    }

    @Test func canBeSentByAnAdapter() async throws {
        let adapter = Adapter { request, context in
            guard request.target.path != "/token" else { return request }
            var request = request
            let feed = context.session.streamRequest("http://h/token").streamTask()
            var token = ""
            for await stream in feed.streamingStrings() { token += stream.value ?? "" }
            try request.fields.set(checking: "X-Token", token)
            return request
        }
        let test = TestSession.configured { $0.interceptor = Interceptor(adapters: [adapter]) }
        try await test.get("http://h/a")
        #expect(test.transport.requests.map { $0.fields[.init("X-Token")!] } == [nil, "ok"])
        try await assertNothingLeft(test.session)
    }

    @Test func runsOnWithoutItsHandle() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        let record = StreamRecord<Data, Never>()
        test.session.streamRequest("http://h/").responseStream(on: .global()) { record.note($0) }
        #expect(await record.completion.error == nil)
        #expect(record.values.count == 2)
        try await assertNothingLeft(test.session)
    }

    @Test func isCancelledWhenNoHandlerCanBeAdded() async throws {
        let source = ScriptedBody((0..<20).map { "\($0)" })
        let session = self.session(source)
        var request: DataStreamRequest? = session.streamRequest("http://h/", options: [ChunksInFlight(1)]).resume()
        #expect(await eventually { session.liveCounts["continuations"] == 1 })
        #expect(request?.isResumed == true)
        request = nil
        #expect(await eventually { session.requestCounts == (0, 0) })
        #expect(source.cancels >= 1)
        #expect(source.reads == 1)
        try await assertNothingLeft(session)
    }

    @Test func completesALateHandlerAtOnce() async throws {
        let test = TestSession()
        let (first, late) = (StreamRecord<Data, Never>(), StreamRecord<Data, Never>())
        let request = test.session.streamRequest("http://h/").responseStream(on: .global()) { first.note($0) }
        #expect(await first.completion.error == nil)
        #expect(await eventually { request.isFinished })
        request.responseStream(on: .global()) { late.note($0) }
        #expect(await late.completion.response?.status == .ok)
        #expect(late.values.count == 0)
        #expect(test.requestCount == 1)
        #expect(Set([request, request]).count == 1)
        try await assertNothingLeft(test.session)
    }

    /// Without a stream handler, the body is read and dropped.
    @Test func canBeResumedForItsCompletionAlone() async throws {
        let source = ScriptedBody((0..<40).map { "\($0)" })
        let session = self.session(source)
        let ends = Deferred<ApusError?>()
        let request = session.streamRequest("http://h/").onComplete(on: .global()) { ends.fulfill($0.error) }
        #expect(request.isInitialized)
        request.resume()
        #expect(await ends.value == nil)
        #expect(source.reads == 41)
        try await assertNothingLeft(session)
    }

    /// Parity: AF-stream-completion
    @Test func failsWhenTheServerBreaksOff() async throws {
        let script: Script = [
            .expectHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .close,
        ]
        try await TestServer.with(behavior: .script(script)) { server in
            let session = Session()
            let record = StreamRecord<String, Never>()
            let request = session.streamRequest(server.url("/"))
                .responseStreamString(on: .global()) { record.note($0) }
            #expect(await record.completion.error?.code == .connectionClosed)
            #expect(record.values.all.joined() == "hello")
            #expect(record.completions.count == 1)
            #expect(request.isFinished)
            try await assertNothingLeft(session)
        }
    }
}

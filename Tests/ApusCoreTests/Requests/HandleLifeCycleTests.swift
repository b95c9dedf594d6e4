internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct HandleLifeCycleTests {
    private let allEvents = [
        "resumed", "created", "exchangeBegan", "exchangeEnded", "responded", "validated", "completed", "serialized",
        "finished",
    ]

    // MARK: Order

    /// Parity: AF-life-order, AF-life-finished
    @Test func reportsItsLifeCycleInOrder() async throws {
        let test = TestSession()
        let request = test.session.request("http://h/").validate()
        #expect(request.state == .initialized)
        #expect(test.names(of: request) == [])
        #expect(try await request.serializingString().value == "ok")
        #expect(request.state == .finished)
        #expect(test.names(of: request) == allEvents)
        try await assertNothingLeft(test.session)
    }

    @Test func reportsEachExchange() async throws {
        var informed = MockResponse(body: "b")
        informed.informational = [HTTPResponse(status: .init(code: 103))]
        let redirect = MockResponse(status: .found, fields: [.location: "/b"])
        let test = TestSession.responding(["/": redirect, "/b": informed])
        let request = test.session.request("http://h/")
        _ = await request.serializingData().result
        #expect(
            test.names(of: request) == [
                "resumed", "created", "exchangeBegan", "exchangeEnded", "redirected", "exchangeBegan",
                "informational", "exchangeEnded", "responded", "validated", "completed", "serialized", "finished",
            ]
        )
    }

    @Test func reportsValidationOfTheBodyToo() async throws {
        let test = TestSession()
        let request = test.session.request("http://h/").validate { _, _, _ in .success(()) }
        _ = await request.serializingData().result
        #expect(test.names(of: request).filter { $0 == "validated" }.count == 2)
    }

    /// Parity: AF-error-url
    @Test func endsWithoutAnExchangeWhenItCannotBeBuilt() async throws {
        let test = TestSession()
        let request = test.session.request("nonsense")
        let response = await request.serializingData().response
        #expect(response.error?.code == .invalidURL)
        #expect(response.request == nil)
        #expect(request.state == .finished)
        #expect(test.names(of: request) == ["resumed", "creationFailed", "completed", "finished"])
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-serializer-prior-error
    @Test func skipsSerializersWhenTheExchangeFailed() async throws {
        let test = TestSession { _ in throw ApusError(.connectFailed, "no") }
        let request = test.session.request("http://h/")
        #expect(await request.serializingData().response.error?.code == .connectFailed)
        #expect(
            test.names(of: request) == [
                "resumed", "created", "exchangeBegan", "exchangeEnded", "completed", "finished",
            ]
        )
    }

    @Test func notifiesMonitorsOfDirectCallsAndStreams() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) }
        _ = try await test.session.get("http://h/")
        let direct = test.monitor.events.map(\.request)
        #expect(
            test.monitor.names(of: try #require(direct.first)) == [
                "created", "exchangeBegan", "exchangeEnded", "responded", "validated", "completed", "finished",
            ]
        )
        for try await _ in try await test.session.stream("http://h/").body {}
        let streamed = try #require(test.monitor.events.last?.request)
        #expect(
            test.monitor.names(of: streamed) == [
                "created", "exchangeBegan", "exchangeEnded", "responded", "completed", "finished",
            ]
        )
    }

    // MARK: Start

    /// Parity: AF-session-immediately
    @Test func isInertUntilItIsResumed() async throws {
        let test = TestSession.configured { $0.startRequestsImmediately = false }
        let result = Deferred<String?>()
        let request = test.session.request("http://h/").responseString(queue: .global()) { result.fulfill($0.value) }
        #expect(request.state == .initialized)
        #expect(test.transport.requests.isEmpty)
        request.resume()
        #expect(await result.value == "ok")
    }

    /// Parity: AF-session-immediately
    @Test func startsWithItsFirstResponseHandler() async throws {
        let test = TestSession()
        let result = Deferred<Int?>()
        test.session.request("http://h/").response(queue: .global()) { result.fulfill($0.response?.status.code) }
        #expect(await result.value == 200)
    }

    /// Parity: AF-session-lazy, AF-session-eager
    @Test func buildsNothingBeforeItStarts() async throws {
        struct CountingRequest: RequestConvertible {
            let built: LockedList<Int>
            func asRequest() throws -> RequestMessage {
                built.append(1)
                return try RequestMessage("http://h/")
            }
        }
        let built = LockedList<Int>()
        let test = TestSession()
        let request = test.session.request(CountingRequest(built: built))
        #expect(built.count == 0)
        _ = await request.serializingData().result
        #expect(built.count == 1)
    }

    /// Parity: AF-fault-resume-twice, AF-life-states, AF-life-same-state
    @Test func ignoresRepeatedStateChanges() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let request = test.session.request("http://h/").resume().resume()
        await barrier.reached()
        request.suspend().suspend().resume().resume()
        barrier.open()
        _ = await request.serializingData().result
        request.resume().suspend().cancel()
        #expect(request.state == .finished)
        let names = test.names(of: request).filter { ["resumed", "suspended", "cancelled"].contains($0) }
        #expect(names == ["resumed", "suspended", "resumed"])
    }

    /// Concurrent calls to `resume()` and `suspend()` lead to one exchange, and each handler is called once.
    /// Parity: AF-fault-resume-twice, AF-fault-suspend-resume
    @Test func sendsOnceWhenResumedConcurrently() async throws {
        let test = TestSession()
        for _ in 0..<50 {
            let completions = LockedList<Int>()
            let request = test.session.request("http://h/")
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        switch number % 4 {
                        case 0: request.resume()
                        case 1: request.suspend()
                        case 2: request.resume().suspend().resume()
                        default: request.responseData(queue: .global()) { _ in completions.append(number) }
                        }
                    }
                }
            }
            request.resume()
            #expect(try await request.serializingString().value == "ok")
            #expect(await eventually { completions.count == 5 })
            #expect(test.names(of: request).filter { $0 == "exchangeBegan" }.count == 1)
        }
        #expect(test.transport.requests.count == 50)
        try await assertNothingLeft(test.session)
    }

    // MARK: Suspension

    /// Parity: AF-fault-early-state, AF-session-resume-request, AF-life-before
    @Test func doesNotStartWhileItIsSuspended() async throws {
        let test = TestSession()
        let request = test.session.request("http://h/").suspend()
        let task = request.serializingString()
        #expect(request.state == .suspended)
        #expect(test.transport.requests.isEmpty)
        request.resume()
        #expect(try await task.value == "ok")
    }

    @Test(arguments: [1, 3]) func readsNoFurtherWhileItIsSuspended(chunks: Int) async throws {
        let barrier = Barrier()
        let test = TestSession { _ in
            await barrier.pass()
            return MockResponse(chunks: (0..<chunks).map { BodyChunk("\($0)") })
        }
        let request = test.session.request("http://h/").resume()
        await barrier.reached()
        request.suspend()
        barrier.open()
        #expect(await eventually { test.session.liveCounts["continuations"] == 1 })
        #expect(request.state == .suspended)
        #expect(request.data == nil)
        request.resume()
        let expected = (0..<chunks).map(String.init).joined()
        #expect(try await request.serializingString().value == expected)
        try await assertNothingLeft(test.session)
    }

    // MARK: Completion

    /// Parity: AF-life-serializers
    @Test func callsEachHandlerOnce() async throws {
        let test = TestSession()
        let queue = TestQueue("apus.tests.completions")
        let notes = LockedList<String>()
        let done = Deferred<Bool>()
        let note: @Sendable (String) -> Void = { name in
            notes.append(name + "@" + (TestQueue.current ?? ""))
            if notes.count == 4 { done.fulfill(true) }
        }
        let request = test.session.request("http://h/")
            .response(queue: queue.queue) { _ in note("raw") }
            .responseData(queue: queue.queue) { _ in note("data") }
            .responseString(queue: queue.queue) { _ in note("string") }
            .responseDecodable(of: [Int].self, queue: queue.queue) { _ in note("decodable") }
        _ = await done.value
        #expect(notes.all == ["raw", "data", "string", "decodable"].map { $0 + "@apus.tests.completions" })
        #expect(await eventually { request.state == .finished })
        try await assertNothingLeft(test.session)
        queue.queue.sync {}
        #expect(notes.count == 4)
    }

    /// Parity: AF-life-serializers, AF-life-finished
    @Test func firesAllCompletionsAfterTheLastSerializer() async throws {
        let (start, barrier) = (Barrier(), Barrier())
        let notes = LockedList<String>()
        let test = TestSession.hanging(start)
        let queue = DispatchQueue(label: "apus.tests.together")
        let request = test.session.request("http://h/")
        for name in ["a", "b", "c"] { request.responseData(queue: queue) { _ in notes.append(name) } }
        request.task.append { _, _ in
            .later {
                await barrier.pass()
                return RequestTask.Completion(failure: nil) { notes.append("last") }
            }
        }
        start.open()
        await barrier.reached()
        queue.sync {}
        #expect(notes.all.isEmpty)
        #expect(test.names(of: request).suffix(3) == ["serialized", "serialized", "serialized"])
        barrier.open()
        #expect(await eventually { request.state == .finished })
        try await assertNothingLeft(test.session)
        queue.sync {}
        #expect(Set(notes.all) == ["a", "b", "c", "last"])
        #expect(notes.all.filter { $0 != "last" } == ["a", "b", "c"])
        #expect(test.names(of: request).suffix(4) == ["serialized", "serialized", "serialized", "finished"])
    }

    /// Parity: AF-life-serializers
    @Test(arguments: [false, true])
    func notifiesEachHandlerOnceWhenCancelledBetweenSerializers(hasRetriers: Bool) async throws {
        let test = TestSession.configured {
            if hasRetriers { $0.interceptor = Interceptor(retriers: [Retrier { _, _ in .doNotRetry }]) }
        }
        let notes = LockedList<String>()
        let queue = DispatchQueue(label: "apus.tests.cancelled")
        let request = test.session.request("http://h/")
        request.suspend()
        request.responseString(queue: queue) { notes.append("first \($0.value ?? "nothing")") }
        request.task.append { [weak request] raw, _ in
            request?.cancel()
            return .now(RequestTask.Completion(failure: nil) { queue.async { notes.append("second") } })
        }
        request.resume()
        try await assertNothingLeft(test.session)
        queue.sync {}
        #expect(notes.all == ["first ok", "second"])
        #expect(request.state == .cancelled)
    }

    /// A monitor that is notified on the queue of the completion handlers.
    private struct FinishMonitor: EventMonitor {
        let queue: DispatchQueue
        let latency = Duration.zero
        let notes: LockedList<String>

        func request(_ request: RequestSummary, did event: RequestEvent) {
            if case .finished = event { notes.append("finished") }
        }
    }

    /// Parity: AF-life-order, AF-life-finished
    @Test(arguments: [false, true])
    func isFinishedBeforeItsCompletionHandlersAreCalled(hasRetriers: Bool) async throws {
        let notes = LockedList<String>()
        let queue = DispatchQueue(label: "apus.tests.finished")
        let test = TestSession.configured {
            $0.eventMonitors = [FinishMonitor(queue: queue, notes: notes)]
            if hasRetriers { $0.interceptor = Interceptor(retriers: [Retrier { _, _ in .doNotRetry }]) }
        }
        let request = test.session.request("http://h/")
        request.suspend()
        for name in ["a", "b"] { request.responseData(queue: queue) { _ in notes.append(name) } }
        request.task.append { _, _ in
            // Earlier events have been delivered when this returns.
            queue.sync {}
            return .now(RequestTask.Completion(failure: nil) {})
        }
        request.resume()
        try await assertNothingLeft(test.session)
        queue.sync {}
        #expect(notes.all == ["finished", "a", "b"])
    }

    /// Parity: AF-life-late
    @Test func runsALateSerializerAlone() async throws {
        let test = TestSession()
        let request = test.session.request("http://h/")
        _ = await request.serializingData().result
        #expect(await eventually { request.state == .finished })
        #expect(try await request.serializingString().value == "ok")
        #expect(await request.serializingDecodable([Int].self).response.error?.code == .decodingFailed)
        #expect(await eventually { request.state == .finished })
        #expect(test.transport.requests.count == 1)
        #expect(test.names(of: request).suffix(4) == ["serialized", "finished", "serialized", "finished"])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-life-data, AF-life-description
    @Test func exposesItsResponseAndDescription() async throws {
        let test = TestSession { _ in MockResponse(status: 202, fields: [.server: "x"], body: "ok") }
        let request = test.session.request("http://user:sesame@h/?token=sesame", method: .post)
        #expect("\(request)" == "request \(request.id), initialized")
        #expect(request.response == nil && request.data == nil && request.error == nil && request.request == nil)
        _ = await request.serializingData().result
        #expect("\(request)" == "POST http://h/?token=… (202)")
        #expect(request.response?.headerFields[.server] == "x")
        #expect(request.data == Data("ok".utf8))
        #expect(request.request?.method == .post)
        #expect(request.metrics.exchanges.count == 1)
    }

    /// Parity: AF-progress-download
    @Test func reportsDownloadProgress() async throws {
        let queue = DispatchQueue(label: "apus.tests.progress")
        let reported = LockedList<Int64>()
        let test = TestSession { _ in
            MockResponse(fields: [.contentLength: "3"], chunks: [BodyChunk("a"), BodyChunk("bc")])
        }
        let request = test.session.request("http://h/").downloadProgress(queue: queue) { progress in
            #expect(progress.total == 3)
            reported.append(progress.completed)
        }
        _ = await request.serializingData().result
        queue.sync {}
        #expect(reported.all.last == 3)
        #expect(reported.all == reported.all.sorted())
    }
}

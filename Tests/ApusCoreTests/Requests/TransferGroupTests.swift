internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct TransferGroupTests {
    private static let responses = [
        "/a": MockResponse(fields: [.contentLength: "3"], chunks: [BodyChunk("a"), BodyChunk("bc")]),
        "/b": MockResponse(body: "de"),
    ]

    private let queue = DispatchQueue(label: "apus.tests.progress")

    /// Returns a session whose responses stop before their last chunk.
    private func held(_ barrier: Barrier, length: String? = "6", _ clock: ManualClock = ManualClock()) -> Session {
        var fields: HTTPFields = [:]
        fields[.contentLength] = length
        var configuration = Session.Configuration()
        configuration.time = clock
        return Session(
            configuration: configuration,
            transport: BodyTransport(fields: fields) { _ in .stream(HeldBody(["abcd", "ef"], before: 1, barrier)) }
        )
    }

    private func text(_ progress: TransferProgress) -> String { "\(progress.completed)/\(progress.total ?? -1)" }

    // MARK: Progress

    @Test func isTheSumOfItsRequests() async throws {
        try await inFolder { folder in
            let test = TestSession.responding(Self.responses)
            let group = TransferGroup()
            #expect(group.isFinished && group.requestCount == 0 && group.progress == TransferProgress())
            let data = group.add(test.session.request("http://h/a"))
            let download = group.add(test.session.download("http://h/b", to: .file(folder.appending(path: "b"))))
            #expect(!group.isFinished && group.requestCount == 2 && group.progress == TransferProgress())
            #expect(data.state == .initialized && download.state == .initialized)
            group.resume()
            await group.waitForAll()
            #expect(group.isFinished && group.finishedCount == 2 && group.failedCount == 0)
            #expect(text(group.progress) == "5/5")
            #expect(data.data == Data("abc".utf8) && download.fileURL != nil)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func hasNoTotalWhileOneIsUnknown() async throws {
        let barrier = Barrier()
        let session = held(barrier, length: nil)
        let test = TestSession.responding(Self.responses)
        let group = TransferGroup()
        let known = group.add(test.session.request("http://h/a"))
        group.add(session.request("http://h/"))
        group.resume()
        _ = await known.serializingData().result
        await barrier.reached()
        #expect(text(group.progress) == "7/-1")
        barrier.open()
        await group.waitForAll()
        #expect(text(group.progress) == "9/9")
        try await assertNothingLeft(session)
        try await assertNothingLeft(test.session)
    }

    @Test func measuresItsThroughput() async throws {
        let (barrier, clock) = (Barrier(), ManualClock())
        let session = held(barrier, clock)
        let group = TransferGroup()
        group.add(session.request("http://h/"))
        group.resume()
        await barrier.reached()
        #expect(group.progress.throughput == nil)
        clock.advance(by: .seconds(1))
        barrier.open()
        await group.waitForAll()
        #expect(group.progress == TransferProgress(completed: 6, total: 6, throughput: 2))
        clock.advance(by: .seconds(60))
        #expect(group.progress.throughput == 2)
        try await assertNothingLeft(session)
    }

    @Test func goesBackWithARetry() async throws {
        let count = LockedValue(0)
        let retrier = Retrier { attempt, _ in attempt.retryCount == 0 ? .retryWithDelay(.seconds(5)) : .doNotRetry }
        let test = TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }) { request in
            guard request.target.path == "/c" else { return MockResponse(body: "de") }
            return MockResponse(body: count.increased(by: 1) == 1 ? "????" : "[1]")
        }
        let group = TransferGroup()
        let steady = group.add(test.session.request("http://h/b"))
        let retried = group.add(test.session.request("http://h/c"))
        _ = await steady.serializingData().result
        let task = retried.serializingDecodable([Int].self)
        await test.clock.waitForSleepers(1)
        #expect(text(group.progress) == "2/-1")
        #expect(group.finishedCount == 1)
        test.clock.advance(by: .seconds(5))
        #expect(try await task.value == [1])
        await group.waitForAll()
        #expect(text(group.progress) == "5/5")
        #expect(group.failedCount == 0)
        try await assertNothingLeft(test.session)
    }

    /// Sends the first byte, and the third one when the barrier opens, before it responds.
    private struct SendingTransport: Transport {
        let barrier: Barrier

        var capabilities: TransportCapabilities { [.rawRedirects] }

        func send(
            _ request: consuming RequestMessage,
            context: RequestContext,
            record: ExchangeRecord
        ) async throws -> ResponseMessage {
            record.noteSent(1)
            await barrier.pass()
            record.noteSent(3)
            record.close(at: context.time.now)
            return ResponseMessage(status: .ok, body: .whole(BodyChunk("ok")), record: record)
        }
    }

    @Test(arguments: [false, true]) func countsUploads(isAddedLate: Bool) async throws {
        let barrier = Barrier()
        let session = Session(transport: SendingTransport(barrier: barrier))
        let request = session.request("http://h/", method: .put, body: .string("abc"))
        let group = TransferGroup()
        if !isAddedLate { group.add(request, direction: .upload) }
        request.resume()
        await barrier.reached()
        if isAddedLate { group.add(request, direction: .upload) }
        #expect(text(group.progress) == "1/3")
        barrier.open()
        await group.waitForAll()
        #expect(text(group.progress) == "3/3")
        group.add(request)
        #expect(text(group.progress) == "5/5")
        #expect(group.requestCount == 2 && group.finishedCount == 2)
        try await assertNothingLeft(session)
    }

    // MARK: Ends

    @Test func countsRequestsThatFail() async throws {
        let failure = ApusError(.connectionClosed, "it went away")
        var responses = Self.responses
        responses["/cut"] = MockResponse(fields: [.contentLength: "9"], chunks: [BodyChunk("abcd")], failure: failure)
        let test = TestSession.responding(responses)
        let group = TransferGroup()
        for path in ["/a", "/cut", "/none"] { group.add(test.session.request("http://h\(path)")) }
        group.resume()
        await group.waitForAll()
        #expect(group.finishedCount == 3 && group.failedCount == 2)
        #expect(text(group.progress) == "7/7")
        try await assertNothingLeft(test.session)
    }

    @Test func acceptsRequestsWhileOthersRun() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let test = TestSession.responding(Self.responses)
        let group = TransferGroup()
        group.add(session.request("http://h/")).resume()
        await barrier.reached()
        let added = group.add(test.session.request("http://h/a"))
        _ = await added.serializingData().result
        #expect(await eventually { group.finishedCount == 1 })
        #expect(group.requestCount == 2 && !group.isFinished)
        barrier.open()
        await group.waitForAll()
        #expect(text(group.progress) == "9/9")
        group.add(added)
        #expect(group.requestCount == 3 && group.isFinished && text(group.progress) == "12/12")
        try await assertNothingLeft(session)
        try await assertNothingLeft(test.session)
    }

    @Test func returnsFromAWaitWhoseTaskIsCancelled() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let group = TransferGroup()
        await group.waitForAll()
        let request = group.add(test.session.request("http://h/")).resume()
        await barrier.reached()
        let waiting = Task { await group.waitForAll() }
        waiting.cancel()
        await waiting.value
        #expect(!group.isFinished && request.state == .resumed)
        barrier.open()
        await group.waitForAll()
        #expect(group.failedCount == 0)
        try await assertNothingLeft(test.session)
    }

    // MARK: Control

    @Test func controlsAllRequests() async throws {
        let barrier = Barrier()
        let test = TestSession.hanging(barrier)
        let group = TransferGroup()
        let requests = (0..<3).map { group.add(test.session.request("http://h/\($0)")) }
        group.suspend()
        #expect(requests.allSatisfy { $0.state == .suspended })
        group.resume()
        #expect(requests.allSatisfy { $0.state == .resumed })
        await barrier.reached()
        group.cancel()
        await group.waitForAll()
        #expect(requests.allSatisfy { $0.state == .cancelled && $0.error?.code == .cancelled })
        #expect(group.failedCount == 3)
        barrier.open()
        try await assertNothingLeft(test.session)
    }

    @Test func cancelsRequestsThatWereNotStarted() async throws {
        let test = TestSession()
        let group = TransferGroup()
        let request = group.add(test.session.request("http://h/"))
        group.cancel()
        await group.waitForAll()
        #expect(request.error?.code == .cancelled && group.failedCount == 1)
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    // MARK: Reports

    @Test func reportsToAHandlerOnItsQueue() async throws {
        let test = TestSession.responding(Self.responses)
        let reported = LockedList<String>()
        let group = TransferGroup().onProgress(queue: queue) { reported.append("\($0.completed)/\($0.total ?? -1)") }
        for path in ["/a", "/b"] { group.add(test.session.request("http://h\(path)")) }
        group.resume()
        await group.waitForAll()
        queue.sync {}
        #expect(reported.all.last == "5/5")
        try await assertNothingLeft(test.session)
    }

    @Test func yieldsReportsInOrderUntilAllHaveFinished() async throws {
        let test = TestSession.responding(Self.responses)
        let group = TransferGroup()
        let updates = group.progressUpdates(bufferingPolicy: .unbounded)
        for path in ["/a", "/b", "/a", "/b"] { group.add(test.session.request("http://h\(path)")) }
        group.resume()
        var seen: [Int64] = []
        for await progress in updates { seen.append(progress.completed) }
        #expect(seen.last == 10)
        #expect(seen == seen.sorted())
        for await progress in group.progressUpdates() { Issue.record("\(progress) after the end") }
        try await assertNothingLeft(test.session)
    }

    /// The clock does not advance, so all chunks arrive within the interval between two reports.
    @Test func holdsBackReportsOfAFastTransfer() async throws {
        let chunks = (0..<50).map { _ in BodyChunk("ab") }
        let test = TestSession { _ in MockResponse(fields: [.contentLength: "100"], chunks: chunks) }
        let group = TransferGroup()
        let updates = group.progressUpdates(bufferingPolicy: .unbounded)
        group.add(test.session.request("http://h/")).resume()
        var seen: [Int64] = []
        for await progress in updates { seen.append(progress.completed) }
        #expect(Set(seen) == [2, 100])
        #expect(seen.first == 2 && seen.last == 100)
        try await assertNothingLeft(test.session)
    }

    @Test func isNotCancelledWithItsReader() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let group = TransferGroup()
        let updates = group.progressUpdates()
        let isReading = Deferred<Void>()
        let reader = Task {
            for await _ in updates { isReading.fulfill(()) }
        }
        group.add(session.request("http://h/")).resume()
        await isReading.value
        reader.cancel()
        await reader.value
        barrier.open()
        await group.waitForAll()
        #expect(group.failedCount == 0)
        try await assertNothingLeft(session)
    }

    // MARK: Ownership

    @Test func releasesRequestsThatHaveFinished() async throws {
        let test = TestSession.responding(Self.responses)
        let group = TransferGroup()
        weak var released: RequestTask?
        do {
            let request = group.add(test.session.request("http://h/a"))
            released = request.task
            request.resume()
        }
        await group.waitForAll()
        #expect(await eventually { released == nil })
        #expect(text(group.progress) == "3/3")
        try await assertNothingLeft(test.session)
    }

    @Test func releasesRequestsThatWereNotStarted() async throws {
        let test = TestSession()
        weak var released: RequestTask?
        let updates: AsyncStream<TransferProgress>
        do {
            let group = TransferGroup()
            updates = group.progressUpdates()
            released = group.add(test.session.request("http://h/")).task
        }
        #expect(released == nil)
        for await progress in updates { #expect(progress == TransferProgress(total: 0)) }
        #expect(test.transport.requests.isEmpty)
        try await assertNothingLeft(test.session)
    }

    @Test func reportsUntilItsRunningRequestsHaveFinished() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let reported = LockedList<String>()
        do {
            let group = TransferGroup().onProgress(queue: queue) {
                reported.append("\($0.completed)/\($0.total ?? -1)")
            }
            group.add(session.request("http://h/"))
            group.resume()
            await barrier.reached()
        }
        barrier.open()
        #expect(await eventually { reported.all.last == "6/6" })
        try await assertNothingLeft(session)
    }

    @Test func endsTheSequenceOfAGroupThatIsReleased() async {
        let updates = TransferGroup().progressUpdates()
        for await progress in updates { Issue.record("\(progress) without a request") }
    }
}

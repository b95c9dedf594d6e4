internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// The progress of a request, without and with observers.
@Suite(.timeLimit(.minutes(5))) struct RequestProgressTests {
    private let clock = ManualClock()

    private func session(over transport: some Transport) -> Session {
        var configuration = Session.Configuration()
        configuration.time = clock
        return Session(configuration: configuration, transport: transport)
    }

    /// Returns a session whose responses stop before their last chunk.
    private func held(_ barrier: Barrier, length: String? = "6") -> Session {
        var fields: HTTPFields = [:]
        fields[.contentLength] = length
        return session(
            over: BodyTransport(fields: fields) { _ in .stream(HeldBody(["abcd", "ef"], before: 1, barrier)) }
        )
    }

    /// Sends the first byte, waits, and sends the third, before it responds.
    private struct HoldingTransport: Transport {
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

    // MARK: Properties

    /// Parity: AF-progress-properties
    @Test func hasItsDownloadProgressAtAnyTime() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let request = session.request("http://h/")
        let task = request.serializingData()
        await barrier.reached()
        #expect(request.downloadProgress.completed == 4 && request.downloadProgress.total == 6)
        #expect(request.downloadProgress.throughput == nil)
        clock.advance(by: .seconds(1))
        barrier.open()
        _ = try await task.value
        let last: TransferProgress = request.downloadProgress
        #expect(last == TransferProgress(completed: 6, total: 6, throughput: 2))
        clock.advance(by: .seconds(60))
        #expect(request.downloadProgress.throughput == 2)
        try await assertNothingLeft(session)
    }

    @Test func hasItsDownloadProgressIfItWasNeverRead() async throws {
        for response in [MockResponse(body: "abc"), MockResponse(chunks: [BodyChunk("a"), BodyChunk("bc")])] {
            let session = session(over: MockTransport { _ in response })
            let request = session.request("http://h/")
            _ = try await request.serializingData().value
            let last: TransferProgress = request.downloadProgress
            #expect(last == TransferProgress(completed: 3, total: 3))
        }
    }

    @Test func knowsTheTotalOfADownloadAtItsEnd() async throws {
        let barrier = Barrier()
        let session = held(barrier, length: nil)
        let request = session.request("http://h/")
        let task = request.serializingData()
        await barrier.reached()
        #expect(request.downloadProgress.completed == 4)
        #expect(request.downloadProgress.isIndeterminate && request.downloadProgress.fractionCompleted == 0)
        barrier.open()
        _ = try await task.value
        #expect(request.downloadProgress.isFinished && request.downloadProgress.fractionCompleted == 1)
        try await assertNothingLeft(session)
    }

    /// Parity: AF-progress-properties
    @Test func hasItsUploadProgressAtAnyTime() async throws {
        let barrier = Barrier()
        let session = session(over: HoldingTransport(barrier: barrier))
        let request = session.request("http://h/", method: .put, body: .string("abc"))
        #expect(request.uploadProgress.completed == 0 && request.uploadProgress.total == nil)
        let task = request.serializingData()
        await barrier.reached()
        #expect(request.uploadProgress.completed == 1 && request.uploadProgress.total == 3)
        clock.advance(by: .seconds(1))
        barrier.open()
        _ = try await task.value
        let last: TransferProgress = request.uploadProgress
        #expect(last == TransferProgress(completed: 3, total: 3, throughput: 2))
        try await assertNothingLeft(session)
    }

    /// The first read comes after a part was sent.
    @Test func countsBytesThatWereSentBeforeTheFirstRead() async throws {
        let barrier = Barrier()
        let session = session(over: HoldingTransport(barrier: barrier))
        let request = session.request("http://h/", method: .put, body: .string("abc"))
        let task = request.serializingData()
        await barrier.reached()
        #expect(request.uploadProgress.completed == 1)
        barrier.open()
        _ = try await task.value
        #expect(request.uploadProgress.isFinished)
        let unread = session.request("http://h/", method: .put, body: .string("abc"))
        _ = try await unread.serializingData().value
        #expect(unread.uploadProgress.isFinished)
        try await assertNothingLeft(session)
    }

    // MARK: Handlers

    /// Parity: AF-progress-queue
    @Test func callsHandlersBeforeCompletionHandlersOnTheSameQueue() async throws {
        let queue = DispatchQueue(label: "apus.tests.progress")
        let order = LockedList<String>()
        let isDone = Deferred<Void>()
        let response = MockResponse(chunks: [BodyChunk("a"), BodyChunk("bc")])
        let session = session(over: MockTransport { _ in response })
        session.request("http://h/")
            .downloadProgress(queue: queue) { order.append("\($0)") }
            .responseData(queue: queue) { _ in
                order.append("done")
                isDone.fulfill(())
            }
        await isDone.value
        #expect(order.all.suffix(2) == ["3 B of 3 B", "done"])
        try await assertNothingLeft(session)
    }

    // MARK: Sequences

    /// Parity: AF-progress-stream
    @Test func yieldsEachReport() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let request = session.request("http://h/")
        let updates = request.downloadProgress(bufferingPolicy: .unbounded)
        barrier.open()
        _ = try await request.serializingData().value
        var seen: [Int64] = []
        for await progress in updates { seen.append(progress.completed) }
        #expect(seen == [4, 6])
        try await assertNothingLeft(session)
    }

    /// The clock does not advance, so all chunks arrive within the interval between two reports.
    @Test func yieldsTheFirstAndTheLastReportOfAFastTransfer() async throws {
        let chunks = (0..<50).map { _ in BodyChunk("ab") }
        let failure = ApusError(.connectionClosed, "it went away")
        let responses = [
            (MockResponse(fields: [.contentLength: "100"], chunks: chunks), ["2/100", "100/100"]),
            (MockResponse(chunks: chunks), ["2/-1", "100/100"]),
            (MockResponse(fields: [.contentLength: "200"], chunks: chunks, failure: failure), ["2/200", "100/200"]),
        ]
        for (response, expected) in responses {
            let session = session(over: MockTransport { _ in response })
            let request = session.request("http://h/")
            let updates = request.downloadProgress(bufferingPolicy: .unbounded)
            _ = await request.serializingData().result
            var seen: [String] = []
            for await progress in updates { seen.append("\(progress.completed)/\(progress.total ?? -1)") }
            #expect(seen == expected)
            try await assertNothingLeft(session)
        }
    }

    /// Parity: AF-progress-stream
    @Test func yieldsTheNewestReportToASlowReader() async throws {
        let barrier = Barrier()
        let session = session(over: HoldingTransport(barrier: barrier))
        let request = session.request("http://h/", method: .put, body: .string("abc"))
        let updates = request.uploadProgress()
        barrier.open()
        _ = try await request.serializingData().value
        var seen: [Int64] = []
        for await progress in updates { seen.append(progress.completed) }
        #expect(seen == [3])
        try await assertNothingLeft(session)
    }

    @Test func endsASequenceOfARequestThatHasEnded() async throws {
        let session = session(over: MockTransport { _ in MockResponse(body: "abc") })
        let request = session.request("http://h/")
        _ = try await request.serializingData().value
        for await progress in request.downloadProgress() { Issue.record("\(progress) after the end") }
        for await progress in request.uploadProgress() { Issue.record("\(progress) after the end") }
    }

    @Test func endsASequenceOfARequestThatFails() async throws {
        let session = session(over: MockTransport { _ in throw ApusError(.connectFailed, "no answer") })
        let request = session.request("http://h/")
        let updates = request.downloadProgress()
        _ = await request.serializingData().result
        for await progress in updates { Issue.record("\(progress) without a response") }
    }

    @Test func endsASequenceOfARequestThatIsReleased() async throws {
        let session = session(over: MockTransport { _ in MockResponse() })
        weak var released: RequestTask?
        let updates: [AsyncStream<TransferProgress>]
        do {
            let request = session.request("http://h/")
            updates = [request.downloadProgress(), request.uploadProgress()]
            released = request.task
        }
        #expect(released == nil)
        for sequence in updates {
            for await progress in sequence { Issue.record("\(progress) without a request") }
        }
    }

    @Test func isNotCancelledWithItsReader() async throws {
        let barrier = Barrier()
        let session = held(barrier)
        let request = session.request("http://h/")
        let isReading = Deferred<Void>()
        let updates = request.downloadProgress()
        let reader = Task {
            for await _ in updates { isReading.fulfill(()) }
        }
        let task = request.serializingData()
        await isReading.value
        reader.cancel()
        await reader.value
        barrier.open()
        #expect(try await task.value == Data("abcdef".utf8))
        try await assertNothingLeft(session)
    }

    // MARK: Without observers

    /// A request whose progress is not read measures nothing.
    @Test func makesNoTrackerUntilItIsAsked() async throws {
        let session = session(over: MockTransport { _ in MockResponse(chunks: [BodyChunk("a"), BodyChunk("b")]) })
        let request = session.request("http://h/", method: .put, body: .string("abc"))
        _ = try await request.serializingData().value
        #expect(request.downloadProgress.completed == 2)
        #expect(request.task.state.withLock { !$0.transfers.isTracked })
    }
}

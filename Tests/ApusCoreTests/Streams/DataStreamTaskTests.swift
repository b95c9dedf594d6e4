internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DataStreamTaskTests {
    private struct Length: DataStreamSerializer {
        func serialize(_ data: Data) throws -> Int {
            guard data.count > 1 else { throw ApusError(.emptyBody, "it has a single byte") }
            return data.count
        }
    }

    private func session(_ source: some BodySource) -> Session {
        Session(transport: BodyTransport { _ in .stream(source) })
    }

    /// Parity: AF-stream-task
    @Test func readsEachKindOfValue() async throws {
        let test = TestSession { _ in MockResponse(chunks: [BodyChunk("1\n[2"), BodyChunk("]\n"), BodyChunk("3")]) }
        func task() -> DataStreamTask { test.session.streamRequest("http://h/").streamTask() }

        let data = StreamRecord<Data, Never>()
        for await stream in task().streamingData() { data.note(stream) }
        #expect(data.values.all.map { String(decoding: $0, as: UTF8.self) } == ["1\n[2", "]\n", "3"])

        let strings = StreamRecord<String, Never>()
        for await stream in task().streamingStrings() { strings.note(stream) }
        #expect(strings.values.all == ["1\n[2", "]\n", "3"])

        let numbers = StreamRecord<Int, ApusError>()
        for await stream in task().streamingDecodables(Int.self) { numbers.note(stream) }
        #expect(numbers.values.all == [1, 3])
        #expect(numbers.failures.all.map(\.code) == [.decodingFailed])

        let lengths = StreamRecord<Int, ApusError>()
        for await stream in task().streamingResponses(serializedUsing: Length()) { lengths.note(stream) }
        #expect(lengths.values.all == [4, 2])
        #expect(lengths.failures.all.map(\.code) == [.emptyBody])

        for completions in [data.completions, strings.completions, numbers.completions, lengths.completions] {
            #expect(completions.count == 1)
            #expect(completions.all.first?.error == nil)
        }
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-stream-task
    @Test func givesEachSequenceEachChunk() async throws {
        let chunks = (0..<40).map { "\($0) " }
        let session = self.session(ScriptedBody(chunks))
        let request = session.streamRequest("http://h/").suspend()
        let record = StreamRecord<Data, Never>()
        let (first, second) = (request.streamTask().streamingStrings(), request.streamTask().streamingStrings())
        request.responseStream(on: .global()) { record.note($0) }.resume()
        let reader = Task {
            var text = ""
            for await stream in first { text += stream.value ?? "" }
            return text
        }
        var text = ""
        for await stream in second { text += stream.value ?? "" }
        #expect(text == chunks.joined())
        #expect(await reader.value == chunks.joined())
        #expect(await record.completion.error == nil)
        #expect(record.values.count == 40)
        try await assertNothingLeft(session)
    }

    /// Parity: AF-fault-back-pressure
    /// Iterators share the elements, each of which is returned once, and the completion after all others.
    @Test func sharesItsElementsAmongIterators() async throws {
        let lines = (0..<200).map { "\($0)\n" }.joined()
        let bytes = Array(lines.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: 3).map { begin in
            String(decoding: bytes[begin..<min(begin + 3, bytes.count)], as: UTF8.self)
        }
        let session = self.session(ScriptedBody(chunks))
        let sequence = session.streamRequest("http://h/").streamTask().streamingDecodables(Int.self)
        let record = StreamRecord<Int, ApusError>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for await stream in sequence { record.note(stream) } } }
        }
        #expect(record.values.all.sorted() == Array(0..<200))
        #expect(record.failures.all.isEmpty && record.completions.count == 1)
        try await assertNothingLeft(session)
    }

    @Test func readsNoFasterThanItsReader() async throws {
        let source = ScriptedBody((0..<20).map { "\($0)" })
        let session = self.session(source)
        let request = session.streamRequest("http://h/", options: [ChunksInFlight(2)])
        let sequence = request.streamTask().streamingStrings()
        #expect(await eventually { session.liveCounts["continuations"] == 1 })
        #expect(source.reads == 2)
        var iterator = sequence.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first?.value == "0")
        #expect(await eventually { source.reads == 3 && session.liveCounts["continuations"] == 1 })
        #expect(source.reads == 3)
        var rest = 0
        for await stream in sequence where stream.value != nil { rest += 1 }
        #expect(rest == 19)
        let end = await iterator.next()
        #expect(end?.event == nil)
        try await assertNothingLeft(session)
    }

    /// Parity: AF-stream-task
    @Test(arguments: [false, true]) func isCancelledWhenItsReaderLeaves(isAutomatic: Bool) async throws {
        let source = ScriptedBody((0..<20).map { "\($0)" })
        let session = self.session(source)
        let request = session.streamRequest("http://h/", options: [ChunksInFlight(1)])
        let ends = Deferred<ApusError?>()
        request.onComplete(on: .global()) { ends.fulfill($0.error) }
        func read() async {
            let task = request.streamTask()
            for await stream in task.streamingData(automaticallyCancelling: isAutomatic) {
                #expect(stream.value == Data("0".utf8))
                break
            }
        }
        await read()
        let expected: ApusError.Code? = isAutomatic ? .cancelled : nil
        #expect(await ends.value?.code == expected)
        #expect(request.isCancelled == isAutomatic)
        if !isAutomatic { #expect(source.reads == 21) }
        try await assertNothingLeft(session)
    }

    /// Parity: AF-stream-task
    @Test(arguments: [false, true]) func endsWithTheTaskThatReadsIt(isAutomatic: Bool) async throws {
        let barrier = Barrier()
        let session = self.session(HeldBody(["a", "b"], before: 1, barrier))
        let request = session.streamRequest("http://h/")
        let record = StreamRecord<String, Never>()
        let reader = Task {
            let sequence = request.streamTask().streamingStrings(automaticallyCancelling: isAutomatic)
            for await stream in sequence { record.note(stream) }
        }
        await barrier.reached()
        #expect(await eventually { record.values.count == 1 })
        reader.cancel()
        await reader.value
        #expect(record.values.all == ["a"])
        let expected: [ApusError.Code] = isAutomatic ? [.cancelled] : []
        #expect(record.completions.all.compactMap(\.error?.code) == expected)
        #expect(record.completions.count == expected.count)
        #expect(request.isCancelled == isAutomatic)
        request.cancel()
        try await assertNothingLeft(session)
    }

    @Test func returnsLinesBeforeALineThatIsTooLong() async throws {
        let session = self.session(ScriptedBody(["1\n2\n34567\n8\n", "9\n"]))
        let record = StreamRecord<Int, ApusError>()
        let task = session.streamRequest("http://h/").streamTask()
        for await stream in task.streamingDecodables(Int.self, limitBytes: 4) { record.note(stream) }
        #expect(record.values.all == [1, 2])
        #expect(record.completions.all.compactMap(\.error?.code) == [.bodyTooLarge])
        #expect(record.completions.count == 1)
        try await assertNothingLeft(session)
    }

    @Test func isCancelledSuspendedAndResumed() async throws {
        let test = TestSession()
        let request = test.session.streamRequest("http://h/")
        let task = request.streamTask()
        task.suspend()
        let sequence = task.streamingData()
        #expect(request.isSuspended)
        task.resume()
        #expect(request.isResumed)
        var iterator = sequence.makeAsyncIterator()
        let (value, completion, end) = (await iterator.next(), await iterator.next(), await iterator.next())
        #expect(value?.value == Data("ok".utf8))
        #expect(completion?.completion != nil)
        #expect(end?.event == nil)
        let other = test.session.streamRequest("http://h/").suspend().streamTask()
        other.cancel()
        #expect(other.request.isCancelled)
        try await assertNothingLeft(test.session)
    }
}

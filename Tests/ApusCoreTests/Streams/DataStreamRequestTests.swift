internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DataStreamRequestTests {
    private struct Refusal: Error {}

    private struct ByteCounter: DataStreamSerializer {
        func serialize(_ data: Data) throws -> Int {
            guard data != Data("bad".utf8) else { throw Refusal() }
            return data.count
        }
    }

    private func responding(_ chunks: [String], fields: HTTPFields = [:]) -> TestSession {
        TestSession { _ in MockResponse(fields: fields, chunks: chunks.map { BodyChunk($0) }) }
    }

    private func session(_ source: some BodySource) -> Session {
        Session(transport: BodyTransport { _ in .stream(source) })
    }

    // MARK: Values

    /// Parity: AF-session-stream, AF-stream-handlers, AF-stream-completion
    @Test func passesEachChunkToEachHandlerInOrder() async throws {
        let chunks = (0..<50).map { "\($0) " }
        let test = responding(chunks)
        let (first, second) = (StreamRecord<Data, Never>(), StreamRecord<Data, Never>())
        let request = test.session.streamRequest("http://h/?a=1", fields: [.accept: "text/plain"])
            .suspend()
            .responseStream(on: .global()) { first.note($0) }
            .responseStream(on: DispatchQueue(label: "apus.tests.second")) { second.note($0) }
        #expect(request.isSuspended)
        request.resume()
        for record in [first, second] {
            let completion = await record.completion
            #expect(completion.error == nil)
            #expect(completion.response?.status == .ok)
            #expect(completion.request?.fields[.accept] == "text/plain")
            #expect(completion.metrics.exchanges.count == 1)
            #expect(record.values.all.map { String(decoding: $0, as: UTF8.self) } == chunks)
            #expect(record.completions.count == 1)
        }
        #expect(request.isFinished)
        #expect("\(request)" == "GET http://h/?a=… (200)")
        #expect(
            test.monitor.names(of: request.id) == [
                "suspended", "resumed", "created", "exchangeBegan", "exchangeEnded", "responded", "completed",
                "finished",
            ]
        )
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-stream
    @Test func startsWithItsFirstStreamHandler() async throws {
        let test = responding(["a", "b"])
        let record = StreamRecord<Data, Never>()
        let request = test.session.streamRequest(try RequestMessage("http://h/"))
        #expect(request.isInitialized)
        request.responseStream(on: .global()) { record.note($0) }
        #expect(await record.completion.error == nil)
        #expect(record.values.count == 2)
        try await assertNothingLeft(test.session)
    }

    @Test func isInertUntilItIsResumedIfConfiguredSo() async throws {
        let test = TestSession.configured { $0.startRequestsImmediately = false }
        let record = StreamRecord<Data, Never>()
        let request = test.session.streamRequest("http://h/").responseStream(on: .global()) { record.note($0) }
        #expect(request.isInitialized)
        #expect(test.requestCount == 0)
        request.resume()
        #expect(await record.completion.error == nil)
        #expect(record.values.all == [Data("ok".utf8)])
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-stream-values
    @Test func doesNotCutCharacters() async throws {
        let chunks: [[UInt8]] = [[0x61, 0xE2], [0x82], [0xAC, 0x62], [0xFF], [0xC3]]
        let test = TestSession { _ in MockResponse(chunks: chunks.map { BodyChunk($0) }) }
        let record = StreamRecord<String, Never>()
        let request = test.session.streamRequest("http://h/").responseStreamString(on: .global()) { record.note($0) }
        #expect(await record.completion.error == nil)
        #expect(record.values.all == ["a", "€b", "\u{FFFD}", "\u{FFFD}"])
        #expect(request.error == nil)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-session-stream-values
    @Test func decodesEachLine() async throws {
        let test = responding(["[1]\n[", "2]\r\n\n{}\n[3", "]"])
        let record = StreamRecord<[Int], ApusError>()
        let request = test.session.streamRequest("http://h/")
            .responseStreamDecodable(of: [Int].self, on: .global()) { record.note($0) }
        #expect(await record.completion.error == nil)
        #expect(record.values.all == [[1], [2], [3]])
        #expect(record.failures.all.map(\.code) == [.decodingFailed])
        #expect(record.failures.all.first?.detail.contains("line 4") == true)
        #expect(request.statusCode == 200)
        try await assertNothingLeft(test.session)
    }

    @Test(arguments: [3, 4]) func limitsTheLengthOfALine(limit: Int) async throws {
        let test = responding(["[1]\n", "[10]\n", "[2]\n"])
        let record = StreamRecord<[Int], ApusError>()
        let request = test.session.streamRequest("http://h/")
            .responseStreamDecodable(of: [Int].self, on: .global(), limitBytes: limit) { record.note($0) }
        let expected: ApusError.Code? = limit == 3 ? .bodyTooLarge : nil
        #expect(await record.completion.error?.code == expected)
        #expect(record.values.all == (limit == 3 ? [[1]] : [[1], [10], [2]]))
        #expect(record.completions.count == 1)
        #expect(request.request != nil)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-stream-serializer
    @Test func passesChunksThroughASerializer() async throws {
        let test = responding(["a", "bad", "bcd"])
        let record = StreamRecord<Int, ApusError>()
        let request = test.session.streamRequest("http://h/")
            .responseStream(using: ByteCounter(), on: .global()) { record.note($0) }
        #expect(await record.completion.error == nil)
        #expect(record.values.all == [1, 3])
        #expect(record.failures.all.map(\.code) == [.serializerFailed])
        #expect(record.failures.all.first?.underlying is Refusal)
        #expect(await eventually { request.isFinished })
        try await assertNothingLeft(test.session)
    }

    // MARK: The head

    /// Parity: AF-stream-validation
    @Test func isRejectedByItsValidatorsBeforeAnyValue() async throws {
        let test = TestSession { _ in MockResponse(status: .notFound, body: "no such log") }
        let record = StreamRecord<Data, Never>()
        let request = test.session.streamRequest("http://h/")
            .validate()
            .responseStream(on: .global()) { record.note($0) }
        let completion = await record.completion
        #expect(completion.error?.code == .unacceptableStatus)
        #expect(completion.error?.data == Data("no such log".utf8))
        #expect(completion.response?.status == .notFound)
        #expect(record.values.count == 0)
        #expect(record.completions.count == 1)
        #expect(request.error?.code == .unacceptableStatus)
        #expect(request.isFinished)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-stream-validation
    @Test func runsValidatorsOfEachKind() async throws {
        let test = responding(["a"], fields: [.contentType: "text/plain"])
        let refusals: [@Sendable (DataStreamRequest) -> DataStreamRequest] = [
            { $0.validate(statusCode: 300..<400) },
            { $0.validate(statusCode: [201, 202]) },
            { $0.validate(contentType: ["application/json"]) },
            { $0.validate { _, _ in .failure(Refusal()) } },
        ]
        let codes: [ApusError.Code] = [
            .unacceptableStatus, .unacceptableStatus, .unacceptableContentType, .validationFailed,
        ]
        for (refuse, code) in zip(refusals, codes) {
            let record = StreamRecord<Data, Never>()
            let request = refuse(test.session.streamRequest("http://h/"))
            request.responseStream(on: .global()) { record.note($0) }
            #expect(await record.completion.error?.code == code)
            #expect(record.values.count == 0)
        }
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-stream-validation
    @Test func reportsTheHeadAndLetsAClosureCancel() async throws {
        let test = responding(["a"])
        let queue = DispatchQueue(label: "apus.tests.head")
        let heads = LockedList<Int>()
        let (kept, cancelled) = (StreamRecord<Data, Never>(), StreamRecord<Data, Never>())
        let request = test.session.streamRequest("http://h/")
            .onHTTPResponse(on: queue) { heads.append($0.status.code) }
            .responseStream(on: queue) { kept.note($0) }
        #expect(await kept.completion.error == nil)
        #expect(heads.all == [200])
        let other = test.session.streamRequest("http://h/")
            .onHTTPResponse { _ in .cancel }
            .responseStream(on: queue) { cancelled.note($0) }
        #expect(await cancelled.completion.error?.code == .cancelled)
        #expect(cancelled.values.count == 0)
        #expect(request.isFinished)
        #expect(other.isCancelled)
        try await assertNothingLeft(test.session)
    }

    @Test func failsWithoutAnExchangeWhenItCannotBeBuilt() async throws {
        let test = TestSession()
        let record = StreamRecord<Data, Never>()
        let request = test.session.streamRequest("nonsense").responseStream(on: .global()) { record.note($0) }
        let completion = await record.completion
        #expect(completion.error?.code == .invalidURL)
        #expect(completion.request == nil)
        #expect(test.monitor.names(of: request.id) == ["resumed", "creationFailed", "completed", "finished"])
        try await assertNothingLeft(test.session)
    }

    // MARK: Errors of handlers

    /// Parity: AF-stream-automatic-cancel
    @Test(arguments: [false, true]) func canBeCancelledByASerializersError(isAutomatic: Bool) async throws {
        let test = responding(["a", "bad", "bcd"])
        let record = StreamRecord<Int, ApusError>()
        let request = test.session.streamRequest("http://h/", automaticallyCancelOnStreamError: isAutomatic)
            .responseStream(using: ByteCounter(), on: .global()) { record.note($0) }
        let expected: ApusError.Code? = isAutomatic ? .serializerFailed : nil
        #expect(await record.completion.error?.code == expected)
        #expect(record.values.all == (isAutomatic ? [1] : [1, 3]))
        #expect(record.failures.all.map(\.code) == [.serializerFailed])
        #expect(request.isCancelled == isAutomatic)
        try await assertNothingLeft(test.session)
    }

    /// Parity: AF-stream-automatic-cancel
    @Test(arguments: [false, true]) func endsAHandlerThatThrows(isAutomatic: Bool) async throws {
        let barrier = Barrier()
        let session = self.session(HeldBody(["a", "b"], before: 1, barrier))
        let (first, second) = (StreamRecord<Data, Never>(), StreamRecord<Data, Never>())
        let request = session.streamRequest("http://h/", automaticallyCancelOnStreamError: isAutomatic)
            .suspend()
            .responseStream(on: .global()) { stream in
                first.note(stream)
                if stream.value != nil { throw Refusal() }
            }
            .responseStream(on: .global()) { second.note($0) }
            .resume()
        let completion = await first.completion
        #expect(completion.error?.code == .serializerFailed)
        #expect(completion.error?.underlying is Refusal)
        #expect(first.values.all == [Data("a".utf8)])
        barrier.open()
        let expected: ApusError.Code? = isAutomatic ? .serializerFailed : nil
        #expect(await second.completion.error?.code == expected)
        if !isAutomatic { #expect(second.values.count == 2) }
        #expect(first.completions.count == 1)
        #expect(second.completions.count == 1)
        #expect(request.error?.code == expected)
        try await assertNothingLeft(session)
    }

    /// A handler of the completion can rely on the values that the others have had.
    @Test func completesAfterAllValues() async throws {
        let queue = DispatchQueue(label: "apus.tests.order")
        for _ in 0..<50 {
            let test = TestSession { _ in MockResponse(chunks: (0..<5).map { BodyChunk("\($0)") }) }
            let record = StreamRecord<String, Never>()
            let counts = LockedList<Int>()
            let end = Deferred<Void>()
            test.session.streamRequest("http://h/")
                .onComplete(on: queue) { _ in
                    counts.append(record.values.count)
                    end.fulfill(())
                }
                .responseStreamString(on: queue) { record.note($0) }
            await end.value
            #expect(counts.all == [5])
            try await assertNothingLeft(test.session)
        }
    }

    /// The body was read before the handler throws.
    @Test func failsWithTheErrorOfAHandlerOfItsLastChunk() async throws {
        struct Fault: Error {}
        let test = TestSession { _ in MockResponse(body: "ok") }
        let end = Deferred<ApusError?>()
        let queue = DispatchQueue(label: "apus.tests.late")
        queue.suspend()
        let request = test.session.streamRequest("http://h/")
            .responseStream(on: queue) { _ in throw Fault() }
            .onComplete(on: .global()) { end.fulfill($0.error) }
        #expect(await eventually { test.monitor.names(of: request.id).contains("finished") })
        queue.resume()
        #expect(await end.value?.underlying is Fault)
        #expect(request.error?.code == .serializerFailed)
        try await assertNothingLeft(test.session)
    }

    @Test func isCancelledWhenItsLastHandlerThrows() async throws {
        let session = self.session(HeldBody(["a", "b"], before: 1, Barrier()))
        let (record, ends) = (StreamRecord<Data, Never>(), Deferred<ApusError?>())
        let request = session.streamRequest("http://h/")
            .onComplete(on: .global()) { ends.fulfill($0.error) }
            .responseStream(on: .global()) { stream in
                record.note(stream)
                if stream.value != nil { throw Refusal() }
            }
        #expect(await record.completion.error?.code == .serializerFailed)
        #expect(await ends.value?.code == .serializerFailed)
        #expect(request.isCancelled)
        try await assertNothingLeft(session)
    }

    @Test func deliversChunksReceivedBeforeTheConnectionBroke() async throws {
        let session = self.session(ScriptedBody(["a", "b"], failure: ApusError(.connectionClosed, "gone")))
        let record = StreamRecord<Data, Never>()
        let request = session.streamRequest("http://h/").responseStream(on: .global()) { record.note($0) }
        let completion = await record.completion
        #expect(completion.error?.code == .connectionClosed)
        #expect(completion.error?.url == "http://h/")
        #expect(completion.error?.response?.status == .ok)
        #expect(record.values.count == 2)
        #expect(request.isFinished)
        try await assertNothingLeft(session)
    }
}

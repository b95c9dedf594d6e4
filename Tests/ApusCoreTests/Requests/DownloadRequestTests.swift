internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct DownloadRequestTests {
    private struct Fault: Error {}

    /// Returns a session and its response body of three chunks, which stops before the last one.
    private func held(_ barrier: Barrier) -> (Session, HeldBody) {
        let body = HeldBody(["a", "b", "c"], before: 2, barrier)
        return (Session(transport: BodyTransport(fields: [.contentLength: "3"]) { _ in .stream(body) }), body)
    }

    // MARK: Life cycle

    @Test func reportsItsLifeCycleInOrder() async throws {
        try await inFolder { folder in
            let test = TestSession { _ in MockResponse(body: "abc") }
            let file = folder.appending(path: "file")
            let request = test.session.download("http://h/", to: .file(file)).validate().validate { _, _, _ in
                .success(())
            }
            #expect(request.state == .initialized)
            #expect(request.fileURL == nil && request.response == nil && request.error == nil)
            #expect(test.names(of: request) == [])
            let response = await request.serializingURL().response
            #expect(response.value == file)
            #expect(response.fileURL == file)
            #expect(response.response?.status == .ok)
            #expect(response.request?.target.uri == "http://h/")
            #expect(response.metrics.exchanges.count == 1)
            #expect(request.fileURL == file)
            #expect(request.error == nil)
            #expect(
                test.names(of: request) == [
                    "resumed", "created", "exchangeBegan", "exchangeEnded", "responded", "validated",
                    "destinationChosen", "validated", "downloaded", "completed", "serialized", "finished",
                ]
            )
            #expect(try text(file) == "abc")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// Parity: AF-session-download
    @Test(arguments: [[], ["abc"], ["a", "bc"], Array(repeating: "0123456789", count: 500)])
    func writesTheBody(chunks: [String]) async throws {
        try await inFolder { folder in
            let test = TestSession { _ in MockResponse(chunks: chunks.map { BodyChunk($0) }) }
            let destination = DownloadDestination.file(folder.appending(path: "file"))
            let file = try await test.session.download("http://h/", to: destination).serializingURL().value
            #expect(try text(file) == chunks.joined())
            try await assertNothingLeft(test.session)
        }
    }

    /// Parity: AF-session-download
    @Test func sendsAllArguments() async throws {
        struct CustomRequest: RequestConvertible {
            func asRequest() throws -> RequestMessage { try RequestMessage("http://h/recipe", method: .query) }
        }
        let test = TestSession()
        let fields: HTTPFields = [.contentType: "text/plain"]
        let query = [URLQueryItem(name: "b", value: "c")]
        let request = test.session.download(
            "http://h/a",
            method: .post,
            query: query,
            fields: RequestFields(fields),
            body: .string("x"),
            to: .temporary
        )
        let requests = [request, test.session.download(CustomRequest(), to: .temporary)]
        for request in requests { try FileManager.default.removeItem(at: await request.serializingURL().value) }
        #expect(test.transport.requests.map(\.target.uri) == ["http://h/a?b=c", "http://h/recipe"])
        #expect(test.transport.requests.first?.fields[.contentType] == "text/plain")
        #expect(test.transport.requests.first?.body.length == 1)
        let wrong = await test.session.download("nonsense", to: .temporary).serializingURL().response
        #expect(wrong.error?.code == .invalidURL)
        try await assertNothingLeft(test.session)
    }

    @Test func isNotBoundByTheCollectedBodyLimit() async throws {
        let test = TestSession.configured { $0.limits.collectedBodyBytes = 1 }
        let file = try await test.session.download("http://h/", to: .temporary).serializingURL().value
        #expect(try text(file) == "ok")
        try FileManager.default.removeItem(at: file)
    }

    // MARK: Progress

    /// Parity: AF-progress-download
    @Test func reportsProgress() async throws {
        let responses = [
            "/streamed": MockResponse(fields: [.contentLength: "3"], chunks: [BodyChunk("a"), BodyChunk("bc")]),
            "/unknown": MockResponse(chunks: [BodyChunk("a"), BodyChunk("bc")]),
            "/whole": MockResponse(body: "abc"),
            "/empty": MockResponse(),
        ]
        let test = TestSession.responding(responses)
        for (path, last) in [("/streamed", "3/3"), ("/unknown", "3/3"), ("/whole", "3/3"), ("/empty", "0/0")] {
            let queue = DispatchQueue(label: "apus.tests.progress")
            let reported = LockedList<String>()
            let request = test.session.download("http://h\(path)", to: .temporary)
                .downloadProgress(queue: queue) { reported.append("\($0.completed)/\($0.total ?? -1)") }
            try FileManager.default.removeItem(at: await request.serializingURL().value)
            queue.sync {}
            #expect(reported.all.last == last, "\(path)")
            #expect(reported.all == reported.all.sorted())
        }
    }

    @Test func stopsReadingWhileItIsSuspended() async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let (session, _) = held(barrier)
            let request = session.download("http://h/", to: .file(folder.appending(path: "file")))
            let task = request.serializingURL()
            await barrier.reached()
            task.suspend()
            #expect(request.state == .suspended)
            barrier.open()
            // It has read the last chunk and requests no more.
            #expect(await eventually { session.liveCounts["continuations"] == 1 })
            #expect(request.fileURL == nil)
            #expect(try names(in: folder).count == 1)
            task.resume()
            #expect(try text(await task.value) == "abc")
            try await assertNothingLeft(session)
        }
    }

    // MARK: Failure and cancellation

    @Test func leavesNoFilesWhenItFails() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let gone = ApusError(.connectionClosed, "gone")
            let test = TestSession { _ in MockResponse(chunks: [BodyChunk("n"), BodyChunk("e")], failure: gone) }
            let destination = DownloadDestination.file(file, options: .removePreviousFile)
            let request = test.session.download("http://h/?a=sesame", to: destination)
            let response = await request.serializingURL().response
            #expect(response.error?.code == .connectionClosed)
            #expect(response.error?.url == "http://h/?a=…")
            #expect(response.response?.status == .ok)
            #expect(response.fileURL == nil && request.fileURL == nil)
            #expect(request.error?.code == .connectionClosed)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    enum CancelSource: CaseIterable {
        case request, task, awaiting, deadline, shutdown

        var code: ApusError.Code {
            switch self {
            case .request, .task, .awaiting: .cancelled
            case .deadline: .deadlineExceeded
            case .shutdown: .sessionShutDown
            }
        }
    }

    /// Parity: AF-fault-write-after-close
    @Test(arguments: CancelSource.allCases) func leavesNoFilesWhenItIsCancelled(source: CancelSource) async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let clock = ManualClock()
            var configuration = Session.Configuration()
            configuration.time = clock
            configuration.timeouts.request = .seconds(5)
            let body = HeldBody(["a", "b", "c"], before: 2, barrier)
            let session = Session(configuration: configuration, transport: BodyTransport { _ in .stream(body) })
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let destination = DownloadDestination.file(file, options: .removePreviousFile)
            let request = session.download("http://h/", to: destination)
            let task = request.serializingURL()
            let awaiting = Task { await task.response }
            await barrier.reached()
            #expect(try names(in: folder).count == 2)
            switch source {
            case .request: request.cancel()
            case .task: task.cancel()
            case .awaiting: awaiting.cancel()
            case .deadline:
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(5))
            case .shutdown: await session.shutdown(within: .zero)
            }
            let response = await awaiting.value
            #expect(response.error?.code == source.code)
            #expect(response.response?.status == .ok)
            #expect(request.state == .cancelled)
            #expect(body.wasCancelled)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(session)
        }
    }

    @Test func leavesNoFilesWhenItIsCancelledWhileSuspended() async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let (session, _) = held(barrier)
            let request = session.download("http://h/", to: .file(folder.appending(path: "file")))
            let task = request.serializingURL()
            await barrier.reached()
            request.suspend()
            barrier.open()
            #expect(await eventually { session.liveCounts["continuations"] == 1 })
            request.cancel()
            #expect(await task.response.error?.code == .cancelled)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(session)
        }
    }

    @Test func leavesNoFilesWhenItIsCancelledDuringValidation() async throws {
        try await inFolder { folder in
            let test = TestSession()
            let request = test.session.download("http://h/", to: .file(folder.appending(path: "file")))
            request.validate { _, _, _ in
                request.cancel()
                return .success(())
            }
            #expect(await request.serializingURL().response.error?.code == .cancelled)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    /// A body that calls `end` when its trailers are read, after the file was written.
    private final class EndingBody: BodySource {
        private let chunk = Lock<BodyChunk?>(BodyChunk("abc"))
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) {
            self.end = end
        }

        func next() async throws(ApusError) -> BodyChunk? {
            chunk.withLock { chunk in
                defer { chunk = nil }
                return chunk
            }
        }

        func cancel() {}

        var trailers: HTTPFields? {
            end()
            return nil
        }
    }

    /// This is the last moment to cancel the download. A file that was moved to its destination stays there.
    @Test func leavesNoFilesWhenItIsCancelledJustBeforeTheMove() async throws {
        try await inFolder { folder in
            let made = Lock<DownloadRequest?>(nil)
            let body = EndingBody { made.withLock { $0 }?.cancel() }
            let session = Session(transport: BodyTransport { _ in .stream(body) })
            let file = folder.appending(path: "file")
            let request = session.download("http://h/", to: .file(file))
            made.withLock { $0 = request }
            let response = await request.serializingURL().response
            #expect(response.error?.code == .cancelled)
            #expect(response.fileURL == nil && request.fileURL == nil)
            #expect(try names(in: folder) == [])
            made.withLock { $0 = nil }
            try await assertNothingLeft(session)
        }
    }

    @Test func startsNothingOnceItIsCancelled() async throws {
        try await inFolder { folder in
            let test = TestSession()
            let request = test.session.download("http://h/", to: .file(folder.appending(path: "file"))).cancel()
            #expect(await request.serializingURL().response.error?.code == .cancelled)
            #expect(test.transport.requests.isEmpty)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Validation

    static let refusals: [(status: Int, type: String?, code: ApusError.Code?)] = [
        (200, "application/json", nil), (404, "application/json", .unacceptableStatus),
        (200, "text/html", .unacceptableContentType), (200, nil, .missingContentType),
    ]

    /// Parity: AF-validate
    @Test(arguments: refusals, [1, 3])
    func leavesNoFilesOfARejectedResponse(
        row: (status: Int, type: String?, code: ApusError.Code?),
        pieces: Int
    ) async throws {
        try await inFolder { folder in
            let test = TestSession { _ in
                var response = MockResponse(
                    status: .init(code: row.status),
                    chunks: Array(repeating: BodyChunk("abc"), count: pieces)
                )
                response.fields[.contentType] = row.type
                return response
            }
            let chosen = LockedList<Int>()
            let destination = DownloadDestination { _, _ in
                chosen.append(1)
                return (folder.appending(path: "file"), [])
            }
            let request = test.session.download("http://h/", fields: [.accept: "application/json"], to: destination)
            let response = await request.validate().serializingURL().response
            #expect(response.error?.code == row.code)
            let body = Data(String(repeating: "abc", count: pieces).utf8)
            #expect(response.error?.data == (row.code == nil ? nil : body))
            #expect(response.response?.status.code == row.status)
            #expect(try names(in: folder) == (row.code == nil ? ["file"] : []))
            // The destination is chosen only if it is needed.
            #expect(chosen.count == (row.code == nil ? 1 : 0))
            try await assertNothingLeft(test.session)
        }
    }

    /// Parity: AF-validate-empty
    @Test func acceptsAnEmptyFileOfAnyType() async throws {
        let test = TestSession { _ in MockResponse(fields: [.contentType: "text/html"]) }
        let request = test.session.download("http://h/", fields: [.accept: "application/json"], to: .temporary)
        let file = try await request.validate().serializingURL().value
        #expect(try text(file) == "")
        try FileManager.default.removeItem(at: file)
    }

    /// Parity: AF-validate-none
    @Test func savesSuccessesUnlessAnotherStatusIsAcceptable() async throws {
        let test = TestSession { _ in MockResponse(status: .internalServerError, body: "no") }
        let session = test.session
        let refused = await session.download("http://h/", to: .temporary).serializingURL().response
        #expect(refused.error?.code == .unacceptableStatus)
        #expect(refused.error?.data == Data("no".utf8))
        let every = ResponseValidation(statusCodes: 100..<600)
        for request in [
            session.download("http://h/", to: .temporary).validate(statusCode: 100..<600),
            session.download("http://h/", to: .temporary, options: [every]),
        ] {
            let file = try await request.serializingURL().value
            #expect(try text(file) == "no")
            try FileManager.default.removeItem(at: file)
        }
    }

    /// Parity: AF-validate-custom-download
    @Test func validatesTheFileBeforeItIsMoved() async throws {
        try await inFolder { folder in
            let test = TestSession {
                $0.limits.errorBodyBytes = 4
            } responding: { _ in
                MockResponse(chunks: [BodyChunk("abc"), BodyChunk("def")])
            }
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let calls = LockedList<String>()
            let request = test.session.download("http://h/a", to: .file(file, options: .removePreviousFile))
                .validate { request, response, temporary in
                    let content = (try? text(temporary)) ?? "none"
                    let old = (try? text(file)) ?? "none"
                    calls.append("\(request.target.path) \(response.status.code) \(content) \(old)")
                    return temporary == file ? .success(()) : .failure(Fault())
                }
                .validate { _, _, _ in
                    calls.append("later")
                    return .success(())
                }
            let response = await request.serializingURL().response
            #expect(calls.all == ["/a 200 abcdef old"])
            #expect(response.error?.code == .validationFailed)
            #expect(response.error?.underlying is Fault)
            #expect(response.error?.data == Data("abcd".utf8))
            #expect(response.error?.responseCode == 200)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func failsWhenAFileAppearsAtTheDestination() async throws {
        try await inFolder { folder in
            let test = TestSession()
            let file = folder.appending(path: "file")
            let request = test.session.download("http://h/", to: .file(file)).validate { _, _, _ in
                Result { try makeFile(file, "theirs") }
            }
            let error = await request.serializingURL().response.error
            #expect(error?.code == .fileExists)
            let content = try text(file)
            #expect(content == "theirs")
            #expect(try names(in: folder) == ["file"])
        }
    }
}

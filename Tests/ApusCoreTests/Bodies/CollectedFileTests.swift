internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads in a session with retriers: the file keeps its temporary name until the retriers have decided.
@Suite(.timeLimit(.minutes(5))) struct CollectedFileTests {
    private struct Fault: Error {}

    /// A session with one retrier.
    private func session(
        _ retrier: Retrier,
        responding handler: @escaping MockTransport.Handler = { _ in MockResponse(body: "new") }
    ) -> TestSession {
        TestSession(configuring: { $0.interceptor = Interceptor(retriers: [retrier]) }, responding: handler)
    }

    /// Retries everything once.
    private static let once = Retrier(
        reconsidering: { attempt in attempt.retryCount == 0 ? .retry : .doNotRetry },
        { attempt, _ in attempt.retryCount == 0 ? .retry : .doNotRetry }
    )

    private func completions(_ test: TestSession) -> [ApusError.Code?] {
        test.monitor.events.compactMap { event -> ApusError.Code?? in
            if case .completed(let response) = event.event { .some(response.error?.code) } else { nil }
        }
    }

    private func replacing(_ file: URL) throws -> DownloadDestination {
        try makeFile(file, "old")
        return .file(file, options: .removePreviousFile)
    }

    /// Records the name of the file. Then returns its text, or throws.
    private struct Reader: DownloadResponseSerializer {
        let names = LockedList<String>()
        var failure: Fault?

        func serializeDownload(request: RequestMessage, response: HTTPResponse, fileURL: URL) throws -> String {
            names.append(fileURL.lastPathComponent)
            if let failure { throw failure }
            return try text(fileURL)
        }
    }

    @Test(arguments: [(0, ""), (1, "a"), (3, "abc"), (4, "abc"), (.max, "abc")])
    func readsTheBeginning(limit: Int, expected: String) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            #expect(CollectedFile(at: file, byteCount: 3).beginning(limit).isEmpty)
            try makeFile(file, "abc")
            #expect(CollectedFile(at: file, byteCount: 3).beginning(limit) == Data(expected.utf8))
            #expect(CollectedFile(at: folder, byteCount: 3).beginning(limit).isEmpty)
        }
    }

    // MARK: Existing files

    /// A retrier or a serializer rejects the first response, and the retry fails.
    @Test(arguments: [false, true]) func keepsTheOldFileWhenTheRetryFails(isReconsidered: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let count = Counter()
            let test = session(Self.once) { _ in
                guard count.next() == 0 else { throw ApusError(.connectionClosed, "it went away") }
                return MockResponse(body: "busy")
            }
            let request = test.session.download("http://h/", to: try replacing(file))
            let reader = Reader(failure: isReconsidered ? nil : Fault())
            let response = await request.serializingDownload(using: reader).response
            #expect(reader.names.count == 1)
            #expect(response.error?.code == .connectionClosed)
            #expect(response.fileURL == nil && request.fileURL == nil)
            #expect(test.transport.requests.count == 2)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func keepsTheOldFileWhenARetrierEndsTheRequest() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = session(Retrier(reconsidering: { _ in .doNotRetryWithError(Fault()) }))
            let request = test.session.download("http://h/", to: try replacing(file))
            #expect(await request.serializingURL().response.error?.code == .retryFailed)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// Another process creates a file between two attempts.
    @Test func keepsFilesItDidNotCreate() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let retrier = Retrier(reconsidering: { attempt in
                try? makeFile(file, "theirs")
                return attempt.retryCount == 0 ? .retry : .doNotRetry
            })
            let test = session(retrier)
            let response = await test.session.download("http://h/", to: .file(file)).serializingURL().response
            #expect(response.error?.code == .fileExists)
            #expect(try text(file) == "theirs")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// Another process creates a file while the retrier accepts the response.
    @Test func failsIfTheDestinationIsTakenBeforeTheMove() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let retrier = Retrier(reconsidering: { _ in
                try? makeFile(file, "theirs")
                return .doNotRetry
            })
            let test = session(retrier)
            let request = test.session.download("http://h/?key=sesame", to: .file(file))
            request.suspend()
            let outcomes = [request.serializingString(), request.serializingString()]
            request.resume()
            for outcome in outcomes {
                let response = await outcome.response
                #expect(response.error?.code == .fileExists)
                #expect(response.error?.url == "http://h/?key=…")
                #expect(response.response?.status == .ok)
                #expect(response.fileURL == nil)
            }
            #expect(request.fileURL == nil && request.error?.code == .fileExists)
            #expect(try text(file) == "theirs")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
            #expect(completions(test) == [nil, .fileExists])
            #expect(!test.names(of: request).contains("downloaded"))
        }
    }

    // MARK: Retriers

    @Test func movesTheFileAfterTheRetriersHaveDecided() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let barrier = Barrier()
            let seen = LockedList<String>()
            let retrier = Retrier(reconsidering: { attempt in
                seen.append(attempt.fileURL.flatMap { try? text($0) } ?? "nothing")
                await barrier.pass()
                return .doNotRetry
            })
            let test = session(retrier)
            let request = test.session.download("http://h/", to: try replacing(file))
            request.suspend()
            let (url, string) = (request.serializingURL(), request.serializingString())
            request.resume()
            await barrier.reached()
            #expect(seen.all == ["new"])
            #expect(request.fileURL == nil)
            #expect(try text(file) == "old")
            #expect(try names(in: folder).count == 2)
            barrier.open()
            let response = await url.response
            #expect(response.value == file && response.fileURL == file && request.fileURL == file)
            #expect(try await string.value == "new")
            #expect(try text(file) == "new")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
            let last = ["completed", "serialized", "serialized", "downloaded", "finished"]
            #expect(test.names(of: request).suffix(5) == last)
        }
    }

    @Test func letsSerializersReadTheTemporaryFile() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = session(Self.once)
            let request = test.session.download("http://h/", to: try replacing(file))
            let reader = Reader()
            #expect(try await request.serializingDownload(using: reader).value == "new")
            #expect(reader.names.count == 2)
            #expect(reader.names.all.allSatisfy { $0.hasPrefix(".apus-") })
            // A serializer added later reads the file at its final location.
            #expect(try await request.serializingDownload(using: reader).value == "new")
            #expect(reader.names.all.last == "file")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// An accepted response keeps its file, even if a serializer fails.
    @Test func movesTheFileWhenASerializerFails() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = session(Retrier { _, _ in .doNotRetry })
            let request = test.session.download("http://h/", to: try replacing(file))
            let response = await request.serializingDownload(using: Reader(failure: Fault())).response
            #expect(response.error?.code == .serializerFailed)
            #expect(response.fileURL == file)
            #expect(try text(file) == "new")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Cancellation

    @Test(arguments: [false, true]) func keepsTheOldFileWhenCancelledWhileRetriersDecide(
        byDeadline: Bool
    ) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let barrier = Barrier()
            let retrier = Retrier(reconsidering: { _ in
                await barrier.pass()
                return .doNotRetry
            })
            let test = session(retrier)
            let options: RequestOptions = byDeadline ? [RequestDeadline(.seconds(2))] : .none
            let request = test.session.download("http://h/", to: try replacing(file), options: options)
            let outcome = request.serializingURL()
            await barrier.reached()
            if byDeadline {
                await test.clock.waitForSleepers(1)
                test.clock.advance(by: .seconds(2))
            } else {
                request.cancel()
            }
            let response = await outcome.response
            #expect(response.error?.code == (byDeadline ? .deadlineExceeded : .cancelled))
            #expect(response.fileURL == nil && request.fileURL == nil)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
            barrier.open()
            try await assertNothingLeft(test.session)
        }
    }

    /// Cancelling during serialization keeps the value and the file.
    @Test(arguments: [false, true]) func movesTheFileWhenCancelledDuringSerialization(
        hasRetriers: Bool
    ) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = hasRetriers ? session(Self.once) : TestSession { _ in MockResponse(body: "new") }
            let request = test.session.download("http://h/", to: try replacing(file))
            let fulfilled = Deferred<String>()
            request.suspend()
            request.task.append { [weak request] _, _ in
                request?.cancel()
                return .now(RequestTask.Completion(failure: nil) { fulfilled.fulfill("success") })
            }
            let url = request.serializingURL()
            request.resume()
            #expect(try await url.value == file)
            #expect(await fulfilled.value == "success")
            #expect(request.state == .cancelled && request.fileURL == file)
            #expect(test.transport.requests.count == 1)
            #expect(try text(file) == "new")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }
}

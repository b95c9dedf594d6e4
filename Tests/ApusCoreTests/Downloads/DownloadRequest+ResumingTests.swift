internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads that are cancelled at any moment, and the handlers of their resume data.
@Suite(.timeLimit(.minutes(5))) struct DownloadRequestResumingTests {
    private static let served = ServedFile()

    /// Records the resume data that a handler gets.
    private func record(_ request: DownloadRequest, in data: LockedList<Data?>) {
        request.cancel(byProducingResumeData: { data.append($0) })
    }

    @Test func hasNoDataBeforeItStarts() async throws {
        try await inFolder { folder in
            let test = TestSession()
            let request = test.session.download("http://h/a", to: .file(folder.appending(path: "file")))
            let data = LockedList<Data?>()
            record(request, in: data)
            record(request, in: data)
            #expect(await request.serializingURL().response.error?.code == .cancelled)
            #expect(await eventually { data.count == 2 })
            record(request, in: data)
            #expect(data.all == [nil, nil, nil])
            #expect(await request.cancelByProducingResumeData() == nil)
            #expect(test.requestCount == 0)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func hasNoDataInTheQueue() async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let test = TestSession.hanging(barrier) { $0.requestsInFlight = 1 }
            let first = test.session.request("http://h/1").serializingData()
            await barrier.reached()
            let request = test.session.download("http://h/a", to: .file(folder.appending(path: "file")))
            let task = request.serializingURL()
            #expect(test.session.requestCounts == (1, 1))
            #expect(await request.cancelByProducingResumeData() == nil)
            #expect(await task.response.error?.code == .cancelled)
            #expect(try names(in: folder) == [])
            barrier.open()
            #expect(await first.response.error == nil)
            try await assertNothingLeft(test.session)
        }
    }

    @Test func hasNoDataBeforeItsResponse() async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let test = TestSession.hanging(barrier)
            let request = test.session.download("http://h/a", to: .file(folder.appending(path: "file")))
            let task = request.serializingURL()
            await barrier.reached()
            #expect(await request.cancelByProducingResumeData() == nil)
            #expect(await task.response.error?.code == .cancelled)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func hasDataDuringItsBody() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let produced = try await Self.served.pause(to: .file(file))
            let data = try #require(produced)
            let resumed = try ResumeData(data)
            #expect(resumed.destination == file.path)
            #expect(resumed.record.validator == .entityTag("\"1\"") && resumed.record.total == 40)
            #expect(resumed.record.url == "http://h/a")
            #expect(try text(URL(filePath: resumed.path)) == String(ServedFile.content.prefix(20)))
            #expect(try names(in: folder) == [URL(filePath: resumed.path).lastPathComponent])
        }
    }

    @Test func hasNoDataWithoutAValidator() async throws {
        try await inFolder { folder in
            let unnamed = ServedFile(fields: [.eTag: "W/\"1\""])
            let data = try await unnamed.pause(to: .file(folder.appending(path: "file")))
            #expect(data == nil)
            #expect(try names(in: folder) == [])
        }
    }

    @Test(arguments: [false, true]) func keepsThePartOnlyIfItIsAsked(producesResumeData: Bool) async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let session = Self.served.held(barrier)
            let request = session.download("http://h/a", to: .file(folder.appending(path: "file")))
            let task = request.serializingURL()
            await barrier.reached()
            request.cancel(producingResumeData: producesResumeData)
            #expect(await task.response.error?.code == .cancelled)
            #expect((request.resumeData != nil) == producesResumeData)
            #expect(try names(in: folder).count == (producesResumeData ? 1 : 0))
            try await assertNothingLeft(session)
        }
    }

    @Test func hasDataWhileItIsSuspended() async throws {
        try await inFolder { folder in
            let barrier = Barrier()
            let session = Self.served.held(barrier)
            let request = session.download("http://h/a", to: .file(folder.appending(path: "file")))
            let task = request.serializingURL()
            await barrier.reached()
            request.suspend()
            barrier.open()
            #expect(await eventually { session.liveCounts["continuations"] == 1 })
            #expect(await request.cancelByProducingResumeData() != nil)
            #expect(await task.response.error?.code == .cancelled)
            #expect(try names(in: folder).count == 1)
            try await assertNothingLeft(session)
        }
    }

    @Test func hasDataDuringARetryDelay() async throws {
        try await inFolder { folder in
            var policy = RetryPolicy(scale: .seconds(1))
            policy.chance = { 0.5 }
            let test = TestSession {
                $0.interceptor = policy
            } responding: {
                Self.served.response(to: $0, cutAfter: 20)
            }
            let request = test.session.download("http://h/a", to: .file(folder.appending(path: "file")))
            let task = request.serializingURL()
            await test.clock.waitForSleepers(1)
            #expect(test.session.liveCounts["files"] == 1)
            let data = LockedList<Data?>()
            record(request, in: data)
            record(request, in: data)
            #expect(await task.response.error?.code == .cancelled)
            #expect(await eventually { data.count == 2 })
            #expect(data.all[0] != nil && data.all[0] == data.all[1])
            #expect(try names(in: folder).count == 1)
            try await assertNothingLeft(test.session)
        }
    }

    /// A file that is complete is not undone.
    @Test(arguments: [false, true]) func hasNoDataWhileItIsSerialized(hasRetrier: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession {
                if hasRetrier {
                    $0.interceptor = Interceptor(retriers: [Retrier(reconsidering: { _ in .doNotRetry })])
                }
            } responding: {
                Self.served.response(to: $0)
            }
            let made = LockedValue<DownloadRequest?>(nil)
            let data = LockedList<Data?>()
            let request = test.session.download("http://h/a", to: .file(file))
            made.value = request
            let serializer = CancellingSerializer { made.value?.cancel(byProducingResumeData: { data.append($0) }) }
            let response = await request.serializingDownload(using: serializer).response
            #expect(response.value == ServedFile.content)
            #expect(await eventually { data.count == 1 })
            #expect(data.all == [nil])
            #expect(try names(in: folder) == ["file"])
            #expect(try text(file) == ServedFile.content)
            made.value = nil
            try await assertNothingLeft(test.session)
            #expect(data.count == 1)
        }
    }

    private struct CancellingSerializer: DownloadResponseSerializer {
        let cancel: @Sendable () -> Void

        func serializeDownload(request: RequestMessage, response: HTTPResponse, fileURL: URL) throws -> String {
            cancel()
            return try text(fileURL)
        }
    }

    @Test func hasNoDataAfterItsEnd() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.served.response(to: $0) }
            let request = test.session.download("http://h/a", to: .file(file))
            _ = try await request.serializingURL().value
            let data = LockedList<Data?>()
            record(request, in: data)
            #expect(data.all == [nil])
            #expect(request.fileURL == file)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// A validator cancels the request when everything has arrived.
    @Test func hasDataOfACompleteFile() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.served.response(to: $0) }
            let data = LockedList<Data?>()
            let request = test.session.download("http://h/a", to: .file(file))
            request.validate { _, _, _ in
                request.cancel(byProducingResumeData: { data.append($0) })
                return .success(())
            }
            #expect(await request.serializingURL().response.error?.code == .cancelled)
            #expect(await eventually { data.count == 1 })
            let produced = try #require(data.all[0])
            #expect(try names(in: folder).count == 1)
            _ = try await test.session.download(resumingWith: produced).serializingURL().value
            #expect(test.values(of: .range) == [nil, "bytes=39-"])
            #expect(try text(file) == ServedFile.content)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Work that does not return

    /// A middleware blocks the second attempt. The handler gets no data, so the part does not stay.
    @Test func removesThePartOfAnAbandonedRequest() async throws {
        try await inFolder { folder in
            let (barrier, count) = (Barrier(), LockedValue(0))
            let middleware = ClosureMiddleware { request, context, next in
                if count.increased(by: 1) == 2 { await barrier.pass() }
                return try await next(request, context: context)
            }
            let test = TestSession {
                $0.interceptor = RetryPolicy(scale: .zero)
                $0.middleware = [middleware]
            } responding: {
                Self.served.response(to: $0, cutAfter: 20)
            }
            let request = test.session.download("http://h/a", to: .file(folder.appending(path: "file")))
            let task = request.serializingURL()
            await barrier.reached()
            #expect(try names(in: folder).count == 1)
            let data = LockedList<Data?>()
            record(request, in: data)
            await test.clock.waitForSleepers(1)
            test.clock.advance(by: SessionCore.patience)
            #expect(await task.response.error?.code == .cancelled)
            #expect(await eventually { data.count == 1 })
            #expect(data.all == [nil])
            barrier.open()
            #expect(await eventually { test.session.requestCounts == (0, 0) })
            try await assertNothingLeft(test.session)
            #expect(data.count == 1 && request.resumeData == nil)
            #expect(try names(in: folder) == [])
        }
    }

    /// The next download finds the part beside its destination.
    @Test func keepsThePartOfAnAbandonedRequestThatIsFoundAgain() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try await Self.served.leavePart(of: file)
            let barrier = Barrier()
            let test = TestSession {
                $0.middleware = [ClosureMiddleware.waiting(at: barrier)]
            } responding: {
                Self.served.response(to: $0)
            }
            let destination = DownloadDestination.file(file, options: .resumePartialFile)
            let task = test.session.download("http://h/a", to: destination).serializingURL()
            await barrier.reached()
            task.cancel()
            await test.clock.waitForSleepers(1)
            test.clock.advance(by: SessionCore.patience)
            #expect(await task.response.error?.code == .cancelled)
            barrier.open()
            try await assertNothingLeft(test.session)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
        }
    }
}

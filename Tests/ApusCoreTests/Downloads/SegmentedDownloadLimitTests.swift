internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads in segments with a rate, a deadline, validators, and a reported progress.
@Suite(.timeLimit(.minutes(5))) struct SegmentedDownloadLimitTests {
    private static let content = RangeOrigin.text(1000)
    private static let origin = RangeOrigin(content)
    private static let option = DownloadSegments(4, minimumBytes: 100)
    private static let url = "http://h/file"

    // MARK: Rates

    enum RateOwner: CaseIterable { case request, session }

    /// 510 bytes pass at once, and each further chunk of 10 bytes takes 10 ms. Each segment by itself need not wait.
    @Test(arguments: RateOwner.allCases) func shareTheirRate(owner: RateOwner) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let limit = TransferRateLimit(download: 1000)
            let test = TestSession(
                configuring: { if owner == .session { $0.transferRate = limit } },
                responding: { Self.origin.response(to: $0) }
            )
            var options: RequestOptions = [Self.option]
            if owner == .request { options[TransferRateLimit.self] = limit }
            let (session, sent) = (test.session, options)
            let (downloaded, duration) = try await test.clock.timed(step: .milliseconds(10)) {
                try await session.download(Self.url, to: file, options: sent)
            }
            #expect(downloaded.byteCount == 1000)
            #expect(try text(file) == Self.content)
            #expect(test.ranges == ["bytes=0-", "bytes=250-499", "bytes=500-749", "bytes=750-999"])
            #expect(duration >= .milliseconds(490))
            #expect(duration <= .seconds(3))
            try await assertNothingLeft(session)
        }
    }

    @Test func endTheirWaitWithTheRequest() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.origin.response(to: $0) }
            let request = test.session.download(
                Self.url,
                to: .file(file),
                options: [Self.option, TransferRateLimit(download: 1000)]
            )
            let task = request.serializingURL()
            await test.clock.waitForSleepers(1)
            request.cancel()
            #expect(await task.response.error?.code == .cancelled)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Deadlines

    /// One error, and the bytes of all segments stay for the next download.
    @Test func keepTheirPartAtTheDeadline() async throws {
        try await inFolder { folder in
            let (file, clock, monitor) = (folder.appending(path: "file"), ManualClock(), RecordingEventMonitor())
            let destination = DownloadDestination.file(file, options: .resumePartialFile)
            var configuration = Session.Configuration()
            configuration.time = clock
            configuration.eventMonitors = [monitor]
            let holding = Session(configuration: configuration, transport: HoldingTransport(origin: Self.origin))
            let options: RequestOptions = [Self.option, RequestDeadline(.seconds(5))]
            let request = holding.download(Self.url, to: destination, options: options)
            let task = request.serializingURL()
            #expect(await eventually { request.downloadProgress.completed == 200 })
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))
            let error = try #require(await task.response.error)
            #expect(error.code == .deadlineExceeded)
            #expect(!error.detail.contains("in the segment"))
            #expect(monitor.names(of: request.id).filter { $0 == "finished" }.count == 1)
            #expect(request.resumeData != nil)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            try await assertNothingLeft(holding)
            let test = TestSession { Self.origin.response(to: $0) }
            let resumed = test.session.download(Self.url, to: destination, options: [Self.option])
            _ = try await resumed.serializingURL().value
            #expect(try text(file) == Self.content)
            #expect(test.ranges == ["bytes=300-499", "bytes=50-", "bytes=550-749", "bytes=800-999"])
            #expect(resumed.downloadProgress.completed == 1000)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// Nothing stays without the option that keeps it.
    @Test func leaveNothingAtTheDeadline() async throws {
        try await inFolder { folder in
            let (file, clock) = (folder.appending(path: "file"), ManualClock())
            var configuration = Session.Configuration()
            configuration.time = clock
            configuration.timeouts.request = .seconds(5)
            let holding = Session(configuration: configuration, transport: HoldingTransport(origin: Self.origin))
            let request = holding.download(Self.url, to: .file(file), options: [Self.option])
            let task = request.serializingURL()
            #expect(await eventually { request.downloadProgress.completed == 200 })
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))
            #expect(await task.response.error?.code == .deadlineExceeded)
            #expect(request.resumeData == nil)
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(holding)
        }
    }

    // MARK: Validators

    @Test func areGivenUpIfOnly200IsAccepted() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.origin.response(to: $0) }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
                .validate(statusCode: [200])
            let response = await request.serializingURL().response
            #expect(response.error == nil)
            #expect(response.response?.status == .ok)
            #expect(try text(file) == Self.content)
            #expect(test.ranges == ["bytes=0-", "whole"])
            #expect(response.metrics.exchanges.map(\.cause) == [.first, .restart])
            #expect(test.names(of: request).filter { $0 == "finished" }.count == 1)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func areFetchedIfOnly206IsAccepted() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.origin.response(to: $0) }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
                .validate(statusCode: [206])
            #expect(await request.serializingURL().response.error == nil)
            #expect(try text(file) == Self.content)
            #expect(test.requestCount == 4)
            try await assertNothingLeft(test.session)
        }
    }

    /// Both responses are rejected, and the error is that of the second.
    @Test func failOnceIfNoResponseIsAccepted() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.origin.response(to: $0) }
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
                .validate(statusCode: [299])
            let error = await request.serializingURL().response.error
            #expect(error?.code == .unacceptableStatus && error?.responseCode == 200)
            #expect(test.ranges == ["bytes=0-", "whole"])
            #expect(try names(in: folder) == [])
            try await assertNothingLeft(test.session)
        }
    }

    /// A validator of the file gets the whole file, with the head of the first segment.
    @Test(arguments: [true, false]) func areValidatedAsOneFile(isAccepted: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let test = TestSession { Self.origin.response(to: $0) }
            let seen = LockedList<String>()
            let request = test.session.download(Self.url, to: .file(file), options: [Self.option])
                .validate { _, response, url in
                    seen.append("\(response.status.code) \((try? text(url)) == Self.content)")
                    return isAccepted ? .success(()) : .failure(Fault())
                }
            let error = await request.serializingURL().response.error
            let expected: ApusError.Code? = isAccepted ? nil : .validationFailed
            #expect(error?.code == expected)
            #expect(seen.all == ["206 true"])
            #expect(test.requestCount == 4)
            #expect(try names(in: folder) == (isAccepted ? ["file"] : []))
            try await assertNothingLeft(test.session)
        }
    }

    // MARK: Progress

    /// The first response to each segment is cut off after 100 bytes.
    @Test func reportOneTotalWhileTheyBreak() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let seen = LockedValue<Set<String>>([])
            let test = TestSession { request in
                let isFirst = seen.change { $0.insert(request.rangeEnd).inserted }
                return Self.origin.response(to: request, cutAfter: isFirst ? 100 : nil)
            }
            let reports = LockedList<TransferProgress>()
            _ = try await test.session.download(Self.url, to: file, options: [Self.option]) { reports.append($0) }
            let completed = reports.all.map(\.completed)
            #expect(completed == completed.sorted())
            #expect(completed.last == 1000)
            #expect(reports.all.allSatisfy { $0.total == 1000 })
            #expect(try text(file) == Self.content)
            try await assertNothingLeft(test.session)
        }
    }
}

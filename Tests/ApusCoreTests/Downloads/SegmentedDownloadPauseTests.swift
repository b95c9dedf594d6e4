internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

/// Downloads in segments that are cancelled, suspended and continued.
@Suite(.timeLimit(.minutes(5))) struct SegmentedDownloadPauseTests {
    private static let content = RangeOrigin.text(1000)
    private static let origin = RangeOrigin(content)
    private static let option = DownloadSegments(4, minimumBytes: 100)
    private static let url = "http://h/file"

    @Test(arguments: [true, false]) func isContinuedFromResumeData(hasOption: Bool) async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let holding = Session(transport: HoldingTransport(origin: Self.origin))
            let request = holding.download(Self.url, to: .file(file), options: [Self.option])
            let task = request.serializingURL()
            #expect(await eventually { request.downloadProgress.completed == 200 })
            let data = try #require(await request.cancelByProducingResumeData())
            #expect(await task.response.error?.code == .cancelled)
            #expect(try names(in: folder).count == 1)
            let test = TestSession { Self.origin.response(to: $0) }
            let reports = LockedList<Int64>()
            let options: RequestOptions = hasOption ? [Self.option] : .none
            let resumed = test.session.download(resumingWith: data, options: options)
            resumed.task.observe(.download) { reports.append($0.completed) }
            let response = await resumed.serializingURL().response
            #expect(response.error == nil)
            #expect(try text(file) == Self.content)
            let ranges = test.transport.requests.map { $0.fields[.range] ?? "whole" }
            let expected = ["bytes=50-", "bytes=300-499", "bytes=550-749", "bytes=800-999"]
            if hasOption {
                #expect(Set(ranges) == Set(expected) && ranges.count == 4)
            } else {
                #expect(ranges == expected)
            }
            #expect(test.transport.requests.allSatisfy { $0.fields[.ifRange] == "\"1\"" })
            #expect(reports.all == reports.all.sorted())
            #expect(reports.all.first ?? 0 > 200)
            #expect(reports.all.last == 1000)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// The server has another version by then.
    @Test func beginsAnewWithAnotherVersion() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let holding = Session(transport: HoldingTransport(origin: Self.origin))
            let request = holding.download(Self.url, to: .file(file), options: [Self.option])
            let task = request.serializingURL()
            #expect(await eventually { request.downloadProgress.completed == 200 })
            let data = try #require(await request.cancelByProducingResumeData())
            #expect(await task.response.error?.code == .cancelled)
            let new = RangeOrigin(RangeOrigin.text(900, from: "A"), tag: "\"2\"")
            let test = TestSession { new.response(to: $0) }
            let resumed = test.session.download(resumingWith: data, options: [Self.option])
            _ = try await resumed.serializingURL().value
            #expect(try text(file) == new.content)
            #expect(test.requestCount == 1)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func leavesNothingWhenItIsCancelled() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let holding = Session(transport: HoldingTransport(origin: Self.origin))
            let request = holding.download(Self.url, to: .file(file), options: [Self.option])
            let task = request.serializingURL()
            #expect(await eventually { request.downloadProgress.completed == 200 })
            request.cancel()
            let error = try #require(await task.response.error)
            #expect(error.code == .cancelled)
            #expect(error.detail == CancelReason.user.error.detail)
            #expect(request.resumeData == nil)
            #expect(try names(in: folder) == [])
        }
    }

    @Test func suspendsAllSegments() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let barrier = Barrier()
            let session = Session(transport: HoldingTransport(origin: Self.origin, barrier: barrier))
            let request = session.download(Self.url, to: .file(file), options: [Self.option])
            let task = request.serializingURL()
            #expect(await eventually { request.downloadProgress.completed == 200 })
            request.suspend()
            barrier.open()
            for _ in 0..<10_000 { await Task.yield() }
            // Each segment may have read one more chunk.
            #expect(request.downloadProgress.completed <= 240)
            #expect(request.state == .suspended)
            request.resume()
            _ = try await task.value
            #expect(try text(file) == Self.content)
            #expect(request.downloadProgress.completed == 1000)
            #expect(try names(in: folder) == ["file"])
        }
    }
}

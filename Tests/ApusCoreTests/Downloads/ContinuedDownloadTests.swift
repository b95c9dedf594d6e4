internal import Apus
internal import ApusTestSupport
internal import ApusTesting
internal import Foundation
internal import HTTPTypes
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5)))
struct ContinuedDownloadTests {
    private static let tag = #""v1""#

    /// Returns a session whose response body of three bytes stops before the last one.
    private func held(_ barrier: Barrier, tag: String = Self.tag) -> Session {
        let body = HeldBody(["a", "b", "c"], before: 2, barrier)
        let fields: HTTPFields = [.contentLength: "3", .eTag: tag]
        return Session(transport: BodyTransport(fields: fields) { _ in .stream(body) })
    }

    /// Cancels a download to a file after two bytes, and returns its resume data.
    private func paused(_ file: URL, tag: String = Self.tag) async throws -> Data? {
        let barrier = Barrier()
        let session = held(barrier, tag: tag)
        let request = session.download("http://h/file?key=1", to: .file(file))
        let task = request.serializingURL()
        await barrier.reached()
        #expect(request.resumeData == nil)
        let data = await request.cancelByProducingResumeData()
        #expect(await task.response.error?.code == .cancelled)
        #expect(request.resumeData == data)
        try await assertNothingLeft(session)
        return data
    }

    /// Parity: AF-session-download-resume, AF-life-resume-data
    @Test func continuesACancelledDownload() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let resumeData = try await paused(file)
            let data = try #require(resumeData)
            #expect(try names(in: folder).count == 1)
            let test = TestSession { _ in
                let fields: HTTPFields = [.eTag: Self.tag, .contentRange: "bytes 2-2/3"]
                return MockResponse(status: .partialContent, fields: fields, body: "C")
            }
            let resumed = test.session.download(resumingWith: data)
            let url = try await resumed.serializingURL().value
            #expect(url.path == file.path)
            #expect(try text(file) == "abC")
            #expect(resumed.downloadProgress.completed == 3)
            let request = try #require(test.transport.requests.first)
            #expect(request.target.uri == "http://h/file?key=1")
            #expect(request.fields[.range] == "bytes=2-")
            #expect(request.fields[.ifRange] == Self.tag)
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    /// Parity: AF-fault-resume-changed
    @Test func beginsAnewIfTheFileHasChanged() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let resumeData = try await paused(file)
            let data = try #require(resumeData)
            let test = TestSession { _ in MockResponse(fields: [.eTag: #""v2""#], body: "xyz") }
            _ = try await test.session.download(resumingWith: data).serializingURL().value
            #expect(test.transport.requests.map { $0.fields[.ifRange] } == [Self.tag])
            #expect(try text(file) == "xyz")
            #expect(try names(in: folder) == ["file"])
            try await assertNothingLeft(test.session)
        }
    }

    @Test func hasNoResumeDataWithoutAStrongValidator() async throws {
        try await inFolder { folder in
            let data = try await paused(folder.appending(path: "file"), tag: #"W/"v1""#)
            #expect(data == nil)
            #expect(try names(in: folder) == [])
        }
    }

    @Test func keepsNoFieldsForLater() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let barrier = Barrier()
            let session = held(barrier)
            let request = session.download(
                "http://h/file",
                fields: ["Authorization": "Bearer sesame"],
                to: .file(file, options: .resumePartialFile)
            )
            let task = request.serializingURL()
            await barrier.reached()
            let produced = await request.cancelByProducingResumeData()
            let data = try #require(produced)
            #expect(await task.response.error?.code == .cancelled)
            #expect(!String(decoding: data, as: UTF8.self).contains("sesame"))
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            #expect(try !text(folder.appending(path: "file.part.json")).contains("sesame"))
        }
    }

    /// A wrong digest is not retried, and nothing is saved.
    @Test func keepsTheOldFileIfTheDigestIsWrong() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            try makeFile(file, "old")
            let test = TestSession { _ in MockResponse(fields: [.eTag: Self.tag], body: "new") }
            let digest = try ExpectedDigest.sha256(String(repeating: "0", count: 64))
            let destination = DownloadDestination.file(file, options: .removePreviousFile)
            let request = test.session.download("http://h/", to: destination, options: [digest])
                .retry(using: RetryPolicy(retryLimit: 2))
            #expect(await request.serializingURL().response.error?.code == .digestMismatch)
            #expect(test.transport.requests.count == 1)
            #expect(try text(file) == "old")
            #expect(try names(in: folder) == ["file"])
        }
    }

    /// Parity: AF-response-resume-data, AF-error-resume-data
    @Test func hasResumeDataAfterAFailureIfThePartIsKept() async throws {
        try await inFolder { folder in
            let file = folder.appending(path: "file")
            let gone = ApusError(.connectionClosed, "gone")
            let test = TestSession { _ in
                let fields: HTTPFields = [.eTag: Self.tag, .contentLength: "3"]
                return MockResponse(fields: fields, chunks: [BodyChunk("a"), BodyChunk("b")], failure: gone)
            }
            let request = test.session.download("http://h/", to: .file(file, options: .resumePartialFile))
            let response = await request.serializingURL().response
            #expect(response.error?.code == .connectionClosed)
            #expect(request.resumeData != nil)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            let other = test.session.download("http://h/", to: .file(folder.appending(path: "other")))
            _ = await other.serializingURL().response
            #expect(other.resumeData == nil)
            #expect(try names(in: folder) == ["file.part", "file.part.json"])
            try await assertNothingLeft(test.session)
        }
    }
}

internal import Apus
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

/// The code of the guide to downloads.
@Suite(.timeLimit(.minutes(5)))
final class DownloadingSamples {
    private let session = Session(transport: MockTransport { DownloadingSamples.respond(to: $0) })
    private let queue = DispatchQueue(label: "downloads")
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-samples-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private static func respond(to request: RequestMessage) -> MockResponse {
        switch request.target.path {
        case "/reports/7":
            return MockResponse(fields: [.contentDisposition: #"attachment; filename="../may.txt""#], body: "12345")
        default:
            return MockResponse(body: "stored")
        }
    }

    @Test func downloadsToAFile() async throws {
        let archive = folder.appending(path: "archives/latest.zip")
        let file = try await session.download(
            "https://example.org/archive.zip",
            to: archive,
            fileOptions: [.createIntermediateDirectories, .removePreviousFile]
        )
        print(file.fileURL.path, file.byteCount)
        #expect(try Data(contentsOf: archive) == Data("stored".utf8))
    }

    /// The first response ends in the middle, and the second one has the rest.
    @Test func continuesInARetry() async throws {
        let lost = ApusError(.connectionClosed, "the server closed the connection")
        let transport = MockTransport([
            MockResponse(fields: [.eTag: #""v1""#], chunks: [BodyChunk("sto")], failure: lost),
            MockResponse(
                status: .partialContent,
                fields: [.eTag: #""v1""#, .contentRange: "bytes 3-5/6"],
                body: "red"
            ),
        ])
        let session = Session(transport: transport)
        let archive = folder.appending(path: "archive.zip")
        let download = session.download("https://example.org/archive.zip", to: .file(archive))
            .validate()
            .retry(using: RetryPolicy(retryLimit: 5))
        let zip = try await download.serializingURL().value
        #expect(try Data(contentsOf: zip) == Data("stored".utf8))
        #expect(transport.requests.map { $0.fields[.range] } == [nil, "bytes=3-"])
    }

    @Test func continuesAfterAFailure() async throws {
        let archive = folder.appending(path: "archive.zip")
        let update = try await session.download(
            "https://example.org/archive.zip",
            to: archive,
            fileOptions: [.resumePartialFile, .removePreviousFile]
        )
        #expect(update.byteCount == 6)
    }

    @Test func continuesAndChecksTheDigest() async throws {
        let archive = folder.appending(path: "archive.zip")
        let digest = try ExpectedDigest.sha256("87b04e58961f9a99d853d4046a0b5b793e7c3e4bbd21f5aca8fb17c20cdb1d8b")
        let download = session.download(
            "https://example.org/archive.zip",
            to: .file(archive, options: [.resumePartialFile, .removePreviousFile]),
            options: [digest]
        )
        .retry(using: RetryPolicy(retryLimit: 5))
        let zip = try await download.serializingURL().value
        #expect(try Data(contentsOf: zip) == Data("stored".utf8))
    }

    @Test func downloadsInSegments() async throws {
        let archive = folder.appending(path: "segments.zip")
        let file = try await session.download(
            "https://example.org/archive.zip",
            to: archive,
            options: [DownloadSegments(4)]
        )
        #expect(file.byteCount == 6)
    }

    @Test func limitsTheRate() async throws {
        var configuration = Session.Configuration()
        configuration.transferRate = TransferRateLimit(download: 8 << 20, upload: 2 << 20)
        let transport = MockTransport { DownloadingSamples.respond(to: $0) }
        let session = Session(configuration: configuration, transport: transport)
        let archive = folder.appending(path: "latest.zip")
        let update = try await session.download(
            "https://example.org/archive.zip",
            to: archive,
            fileOptions: [.removePreviousFile],
            options: [TransferRateLimit(download: 512 << 10)]
        )
        #expect(update.byteCount == 6)
    }

    @Test func downloadsIntoAFolder() async throws {
        let folder = folder.appending(path: "reports")
        let download = session.download(
            "https://api.example.org/reports/7",
            to: .folder(folder, options: [.createIntermediateDirectories])
        )
        let report =
            try await download
            .downloadProgress(queue: queue) { progress in
                print(progress)
            }
            .serializingURL()
            .value
        print(report.lastPathComponent, download.downloadProgress.completed)
        #expect(report.lastPathComponent == "may.txt")
        #expect(try Data(contentsOf: report) == Data("12345".utf8))
    }

    @Test func choosesADestination() async throws {
        let folder = folder
        let destination = DownloadDestination { request, response in
            let name = response.suggestedFileName(for: request.target)
            return (folder.appending(path: "7-\(name)"), [.removePreviousFile])
        }
        let report = try await session.download("https://api.example.org/reports/7", to: destination)
            .serializingURL()
            .value
        #expect(report.lastPathComponent == "7-may.txt")
    }
}

internal import Apus
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

/// The code of the guide to uploads and downloads.
@Suite(.timeLimit(.minutes(5)))
final class TransferringSamples {
    private let session = Session(transport: MockTransport { TransferringSamples.respond(to: $0) })
    private let queue = DispatchQueue(label: "transfers")
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-samples-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private static func respond(to request: RequestMessage) -> MockResponse {
        switch request.target.path {
        case "/users":
            return MockResponse(status: .created, body: #"{"id": 1, "name": "Ada"}"#)
        case "/reports/7":
            return MockResponse(fields: [.contentDisposition: #"attachment; filename="../may.txt""#], body: "12345")
        default:
            return MockResponse(body: "stored")
        }
    }

    @Test func uploadsAForm() async throws {
        let portrait = folder.appending(path: "portrait.png")
        try Data("portrait".utf8).write(to: portrait)
        let thumbnail = Data("thumbnail".utf8)
        var form = MultipartFormData()
        form.append("Ada", withName: "name")
        try form.append(portrait, withName: "portrait")
        try form.append(thumbnail, withName: "thumbnail", fileName: "thumbnail.png", mimeType: "image/png")
        let user = try await session.upload(multipartFormData: form, to: "https://api.example.org/users")
            .uploadProgress(queue: queue) { progress in
                print(progress.completed, progress.total ?? -1)
            }
            .validate()
            .serializingDecodable(User.self)
            .value
        #expect(user.name == "Ada")
    }

    @Test func uploadsAFile() async throws {
        let portrait = folder.appending(path: "portrait.png")
        try Data("portrait".utf8).write(to: portrait)
        let text = try await session.upload(portrait, to: "https://api.example.org/pictures/1", method: .put)
            .validate()
            .serializingString()
            .value
        #expect(text == "stored")
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

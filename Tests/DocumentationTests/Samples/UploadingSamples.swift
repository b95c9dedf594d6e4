internal import Apus
internal import ApusTesting
internal import Dispatch
internal import Foundation
internal import Testing

/// Returns a sequence that is read while it is sent.
private func records() -> AsyncStream<BodyChunk> {
    AsyncStream { stream in
        stream.yield(BodyChunk("1\n"))
        stream.finish()
    }
}

/// The code of the guide to uploads.
@Suite(.timeLimit(.minutes(5)))
final class UploadingSamples {
    private let session = Session(
        transport: MockTransport { request in
            request.target.path == "/users"
                ? MockResponse(status: .created, body: #"{"id": 1, "name": "Ada"}"#)
                : MockResponse(body: "stored")
        }
    )
    private let queue = DispatchQueue(label: "uploads")
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-samples-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
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

    @Test func uploadsAStream() async throws {
        let receipt = try await session.upload(.replayable { records() }, to: "https://api.example.org/records")
            .validate()
            .serializingString()
            .value
        #expect(receipt == "stored")
    }
}

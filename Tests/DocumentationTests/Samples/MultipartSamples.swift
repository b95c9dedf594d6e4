internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

/// The code of the documentation comments about forms with files.
@Suite(.timeLimit(.minutes(5)))
struct MultipartSamples {
    @Test func mediaTypes() {
        let type = MediaTypes.type(forExtension: "jpg")
        let end = MediaTypes.preferredExtension(for: "image/png")
        #expect(type == "image/jpeg")
        #expect(end == "png")
    }

    @Test func forms() throws {
        var form = MultipartFormData()
        form.append("Ada", withName: "name")
        try form.append(Data([0x89, 0x50]), withName: "icon", fileName: "icon.png", mimeType: "image/png")
        print(form.contentType, form.contentLength ?? 0)
        #expect(form.contentLength != nil)
    }

    @Test func throttling() {
        let slow = RequestBody.string("not in a hurry").throttled(packetSize: 4096, delay: .milliseconds(50))
        #expect(slow.length == 14)
    }

    @Test func uploading() async throws {
        let portrait = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).png")
        try Data("portrait".utf8).write(to: portrait)
        defer { try? FileManager.default.removeItem(at: portrait) }
        let session = Session(transport: MockTransport { _ in MockResponse(body: #"{"id":1,"name":"Ada"}"#) })
        var form = MultipartFormData()
        form.append("Ada", withName: "name")
        try form.append(portrait, withName: "portrait")
        let user = try await session.upload(multipartFormData: form, to: "https://api.example.org/users")
            .validate().serializingDecodable(User.self).value
        #expect(user.name == "Ada")
    }
}

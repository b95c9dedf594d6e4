internal import Apus
internal import ApusTesting
internal import Foundation
internal import Testing

private struct Search: Encodable, Sendable {
    let text: String
    let tags: [String]
}

/// Counts the records that it makes.
private actor Records {
    private(set) var count = 0

    func next() -> BodyChunk? {
        guard count < 3 else { return nil }
        count += 1
        return BodyChunk("record \(count)\n")
    }
}

/// The code of the guide to sending values.
@Suite(.timeLimit(.minutes(5)))
struct SendingValuesSamples {
    private let session = SampleService.session()

    @Test func parameters() async throws {
        let search = Search(text: "common swift", tags: ["bird", "fast"])
        let found = try await session.get("https://api.example.org/users", parameters: search)
        let created = try await session.post("https://api.example.org/users", parameters: search, encoder: .json)
        #expect(found.request.target.path == "/users?tags%5B%5D=bird&tags%5B%5D=fast&text=common%20swift")
        #expect(created.status == .created)
        let request = session.request(
            "https://api.example.org/users",
            method: .post,
            parameters: search,
            encoder: .urlEncodedForm(encoder: URLEncodedFormEncoder(arrayEncoding: .noBrackets))
        )
        #expect(await request.serializingData().response.response?.status == .created)
        let changes: Parameters = ["name": "Ada", "tags": ["x", "y"], "parent": nil]
        let changed = try await session.patch("https://api.example.org/users/1", parameters: changes, encoder: .json)
        #expect(changed.status == .ok)
    }

    @Test func queryAndParameters() async throws {
        let renamed = try await session.patch(
            "https://api.example.org/users/1",
            query: [URLQueryItem(name: "notify", value: "no")],
            parameters: ["name": "Ada"],
            encoder: .json
        )
        #expect(renamed.request.target.path == "/users/1?notify=no")
    }

    @Test func templates() async throws {
        let user: URLTemplate = "https://api.example.org/users/{id}"
        let response = try await session.get(user.filled(["id": 1]))
        #expect(response.request.target.path == "/users/1")
    }

    @Test func files() async throws {
        let portrait = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString).png")
        try Data("portrait".utf8).write(to: portrait)
        defer { try? FileManager.default.removeItem(at: portrait) }
        var form = MultipartFormData()
        form.append("Ada", withName: "name")
        try form.append(portrait, withName: "portrait", fileName: "portrait.png", mimeType: "image/png")
        let receipt = try await session.post("https://api.example.org/users", multipart: form).validate()
        #expect(receipt.status == .created)
    }

    /// Only compiled, because the file does not exist.
    static func form(_ session: Session) async throws -> Response {
        let portrait = URL(filePath: "/srv/portraits/ada.png")
        let icon = Data([0x89, 0x50, 0x4E, 0x47])
        var form = MultipartFormData()
        form.append("Ada", withName: "name")
        try form.append(portrait, withName: "portrait", fileName: "portrait.png", mimeType: "image/png")
        try form.append(icon, withName: "icon", fileName: "icon.png", mimeType: "image/png")
        let receipt = try await session.post("https://api.example.org/users", multipart: form).validate()
        return receipt
    }

    @Test func trailers() async throws {
        let records = Records()
        let chunks = AsyncStream<BodyChunk>(unfolding: { await records.next() })
        let body = RequestBody.once(chunks).withTrailers { ["X-Record-Count": "\(await records.count)"] }
        let response = try await session.post(
            "https://api.example.org/records",
            fields: [.trailer: "X-Record-Count"],
            body: body
        )
        #expect(response.status == .ok)
        let sent = response.request.body
        #expect(try await sent.data().count == 27)
        #expect(try await sent.trailers()?.map(\.value) == ["3"])
        let last = RequestBody.string("last").withTrailers(["X-Part": "last"])
        #expect(try await last.trailers()?.map(\.value) == ["last"])
    }

    @Test func compression() async throws {
        let text = String(repeating: "swift ", count: 1_000)
        let report = try RequestMessage("https://api.example.org/reports", method: .post, body: .string(text))
            .compressed(with: .gzip)
        let accepted = try await session.send(report).validate()
        #expect(accepted.request.fields[.contentEncoding] == "gzip")
    }
}

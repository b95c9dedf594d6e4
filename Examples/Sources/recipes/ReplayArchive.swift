import Apus
import ApusTesting
import Foundation

/// Replays the exchanges of a HAR archive: the recipe "archive" records one.
func replayArchive() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "apus-recipe.har")
    let archive = try HTTPArchive(contentsOf: file)
    let transport = MockTransport { request in
        let url = request.target.url?.absoluteString
        guard let entry = archive.entries.first(where: { $0.request.url == url }) else {
            return MockResponse(status: .notFound)
        }
        var fields = HTTPFields()
        for field in entry.response.headers {
            if let name = HTTPField.Name(field.name) { fields[name] = field.value }
        }
        let text = entry.response.content.text ?? ""
        return MockResponse(status: .init(code: entry.response.status), fields: fields, body: text)
    }
    let session = Session(transport: transport)
    for entry in archive.entries {
        let response = try await session.get(entry.request.url, options: [RedirectPolicy.refuse])
        print(response.status, entry.request.url)
    }
    try await assertNothingLeft(session)
}

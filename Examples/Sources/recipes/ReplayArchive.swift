import Apus
import ApusTesting
import Foundation

/// Replays the exchanges of a HAR archive: the recipe "archive" records one.
func replayArchive() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "apus-recipe.har")
    let archive = try HTTPArchive(contentsOf: file)
    let transport = MockTransport(archive: archive)
    let session = Session(transport: transport)
    for entry in archive.entries {
        let response = try await session.get(entry.request.url, options: [RedirectPolicy.refuse])
        print(response.status, entry.request.url)
    }
    try await assertNothingLeft(session)
}

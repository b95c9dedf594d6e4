internal import Apus
internal import ApusTestServer
internal import Foundation

/// The stop about the archive of the earlier exchanges.
enum Archives {
    /// Sends one more request, with secrets in its URL, then writes, reads, checks and draws the archive.
    static func har(_ environment: TourEnvironment) async throws -> Finding {
        let secret = Service.Secret.self
        let url = environment.server.url("/status/204?api_key=\(secret.key)")
            .replacing("http://", with: "http://\(secret.user):\(secret.password)@", maxReplacements: 1)
        let exchanges = try await environment.withSession { try await $0.get(url).validate().metrics.exchanges }
        let wasSent = environment.server.requests.last.map {
            $0["Authorization"] == "Basic \(secret.basic)" && $0.queryValue("api_key") == secret.key
        }
        try expect(wasSent, is: true, "the secrets of the URL at the server")

        let file = environment.folder.appending(path: "tour.har")
        try environment.recorder.write(to: file)
        let archive = try HTTPArchive(contentsOf: file)
        let recorded = environment.recorder.archive.entries
        try expect(archive.entries.map(\.request.url), is: recorded.map(\.request.url), "the URLs, read back")
        let causes = Set(archive.entries.compactMap(\.cause))
        let isComplete = causes.isSuperset(of: ["first", "retry", "challenge", "redirect"])
        try expect(isComplete, "retries, challenges and redirects", found: causes.sorted())

        let text = try String(contentsOf: file, encoding: .utf8)
        let shown = secret.all.filter { text.contains($0) }
        try expect(shown, is: [], "the secrets in the file")
        let names: Set = ["authorization", "cookie", "set-cookie"]
        let proofs = archive.entries.flatMap { $0.request.headers + $0.response.headers }
            .filter { names.contains($0.name.lowercased()) }
        try expect(Set(proofs.map { $0.name.lowercased() }), is: names, "the fields with secrets")
        try expect(Set(proofs.map(\.value)), is: [Redaction.mark], "their values")

        let picture = Waterfall(archive, idleTime: .cut).text(columns: 100)
        let count = archive.entries.count
        try expect(picture.contains(", \(count) exchanges in "), "a picture of \(count) exchanges", found: picture)
        return Finding("\(count) exchanges, none of \(secret.all.count) secrets", exchanges)
    }
}

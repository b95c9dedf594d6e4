import Apus
import Foundation

/// The samples of `DownloadRequest+Resuming.swift` and of the guide to downloads.
enum ResumingSamples {
    static func resumed(_ session: Session, _ archive: URL, _ paused: URL) async throws {
        let download = session.download("https://example.org/archive.zip", to: .file(archive))
        let task = download.serializingURL()
        // Later, when the user pauses:
        if let data = await download.cancelByProducingResumeData() {
            try data.write(to: paused)
        }
        // And in another run of the program:
        let file = try await session.download(resumingWith: Data(contentsOf: paused)).serializingURL().value
        print(task, file)
    }
}

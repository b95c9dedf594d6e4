import Apus
import Foundation

/// Downloads a file and reports its progress. The file appears at its place when it is complete.
func downloadWithProgress(from service: String) async throws {
    let destination = FileManager.default.temporaryDirectory.appending(path: "apus-recipe-download.bin")
    let session = Session()
    let file = try await session.download("\(service)/bytes/100000", to: destination) { completed, total in
        print("\(completed) of \(total.map { "\($0)" } ?? "?") bytes")
    }
    print("wrote \(file.byteCount) bytes to \(destination.path)")
    await session.shutdown(within: .seconds(5))
}

import Apus
import Foundation

/// Downloads a file and reports its progress. The file appears at its place when it is complete.
func downloadWithProgress(from service: String) async throws {
    let destination = FileManager.default.temporaryDirectory.appending(path: "apus-recipe-download.bin")
    let session = Session()
    let file = try await session.download("\(service)/bytes/100000", to: destination) { progress in
        print("\(Int(progress.fractionCompleted * 100)) %: \(progress)")
    }
    print("wrote \(file.byteCount) bytes to \(destination.path)")
    await session.shutdown(within: .seconds(5))
}

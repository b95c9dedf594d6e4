import Apus
import Foundation

/// Uploads a file and reports its progress. The file is read while it is sent.
func uploadWithProgress(to service: String) async throws {
    let source = FileManager.default.temporaryDirectory.appending(path: "apus-recipe-upload.txt")
    try Data(repeating: UInt8(ascii: "a"), count: 1 << 20).write(to: source)
    let session = Session()
    let response = try await session.request("\(service)/put", method: .put, body: .file(source))
        .uploadProgress(queue: .global()) { progress in
            print("\(Int(progress.fractionCompleted * 100)) %: \(progress)")
        }
        .validate()
        .serializingData()
        .response
    print(try response.result.get().count, "bytes in the response")
    await session.shutdown(within: .seconds(5))
}

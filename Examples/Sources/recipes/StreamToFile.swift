import Apus
import Foundation

/// Writes a streamed response to a file, chunk by chunk. Unread chunks stay on the wire, so memory stays constant.
func streamToFile(from service: String) async throws {
    let destination = FileManager.default.temporaryDirectory.appending(path: "apus-recipe-stream.txt")
    try Data().write(to: destination)
    let file = try FileHandle(forWritingTo: destination)
    defer { try? file.close() }
    let session = Session()
    let response = try await session.stream("\(service)/stream/10")
    var lineCount = 0
    for try await chunk in response.body {
        let data = Data(chunk)
        lineCount += data.count { $0 == UInt8(ascii: "\n") }
        try file.write(contentsOf: data)
    }
    print("wrote \(lineCount) lines to \(destination.path)")
    await session.shutdown(within: .seconds(5))
}

internal import Foundation

/// Calls `work` with a temporary folder, which is removed with its contents afterwards.
func inFolder(_ work: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await work(folder)
}

/// Returns the sorted names of the files in a folder, including hidden ones.
func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
}

/// Returns the text of a file.
func text(_ file: URL) throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
}

/// Creates a file with that text.
func makeFile(_ file: URL, _ text: String) throws {
    try Data(text.utf8).write(to: file)
}

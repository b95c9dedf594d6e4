internal import Foundation

/// Lends a folder to a test, and removes it with all that is in it.
func inFolder(_ work: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await work(folder)
}

/// The names in a folder, those of hidden files too.
func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).sorted()
}

/// The content of a file.
func text(_ file: URL) throws -> String {
    String(decoding: try Data(contentsOf: file), as: UTF8.self)
}

/// Makes a file.
func makeFile(_ file: URL, _ text: String) throws {
    try Data(text.utf8).write(to: file)
}

internal import Foundation

/// The folder for test cases that other implementations read. `Scripts/interop` sets it in the environment.
enum CaseFolder {
    static let path = ProcessInfo.processInfo.environment["APUS_INTEROP_CASES"] ?? ""

    /// Writes test cases to a file in the folder, each as a line of JSON.
    static func write(_ lines: [Data], to name: String) throws {
        let folder = URL(filePath: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var text = Data()
        for line in lines {
            text.append(line)
            text.append(UInt8(ascii: "\n"))
        }
        try text.write(to: folder.appending(path: name))
    }

    /// Calls `body` with a temporary folder and removes the folder afterwards.
    static func withTemporary<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-interop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}

/// The reason why a case cannot be created.
struct CaseFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

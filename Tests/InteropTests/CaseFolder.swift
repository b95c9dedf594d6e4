internal import Foundation

/// The folder that `Scripts/interop` names in the environment: where cases are written for the readers of other people.
enum CaseFolder {
    static let path = ProcessInfo.processInfo.environment["APUS_INTEROP_CASES"] ?? ""

    /// Writes cases to a file of the folder, each a line of JSON.
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

    /// Calls `body` with a folder that is gone afterwards.
    static func withTemporary<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-interop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}

/// Why a case can't be made.
struct CaseFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

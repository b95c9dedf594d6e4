internal import Foundation

/// Runs the POSIX shell, for tests of generated shell commands.
package enum Shell {
    package static let curl = "/usr/bin/curl"

    package static var hasCurl: Bool { FileManager.default.isExecutableFile(atPath: curl) }

    package struct Outcome: Sendable {
        package let status: Int32
        package let output: [UInt8]
        package let error: String
    }

    /// Runs a script in a folder, without any user settings.
    ///
    /// The script is read from a file, since arguments have a length limit. The output goes to files, since other
    /// shells started at the same time would inherit pipes and keep them open.
    package static func run(_ script: String, in folder: String = "/") async throws -> Outcome {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let file = { (name: String) in scratch.appendingPathComponent(name) }
        try Data(script.utf8).write(to: file("script"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", ". '\(file("script").path)' >'\(file("output").path)' 2>'\(file("error").path)'"]
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder]
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Outcome(
            status: status,
            output: Array(try Data(contentsOf: file("output"))),
            error: String(decoding: try Data(contentsOf: file("error")), as: UTF8.self)
        )
    }
}

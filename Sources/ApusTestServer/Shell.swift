internal import Foundation

/// The shell of POSIX, for the tests of what is written for it.
package enum Shell {
    package static let curl = "/usr/bin/curl"

    package static var hasCurl: Bool { FileManager.default.isExecutableFile(atPath: curl) }

    package struct Outcome: Sendable {
        package let status: Int32
        package let output: [UInt8]
        package let error: String
    }

    /// Runs a script, with no settings of the user's, in a folder.
    ///
    /// The script is no argument, which has a limit; and what it writes goes to files: pipes would be inherited by other
    /// shells that begin at the same time, and end with the last of them.
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

internal import ApusCore
internal import ApusPlatform
internal import Foundation

/// A process that runs a queue, and that a test can kill.
final class QueueChild: Sendable {
    /// The status of the process, or the negative number of the signal that has ended it.
    let ending: Deferred<Int32>
    private let processID: Int32

    /// Starts the program `QueueProcess`, which stands beside that of the tests.
    ///
    /// - Parameters:
    ///   - folder: The folder of the queue.
    ///   - events: The file that the process appends its events to.
    /// - Throws: The error of the system if it does not start.
    init(running folder: URL, events: URL) throws {
        let ending = Deferred<Int32>()
        let process = Process()
        process.executableURL = try Self.program()
        process.arguments = [folder.path(percentEncoded: false), events.path(percentEncoded: false)]
        process.standardInput = FileHandle.nullDevice
        process.terminationHandler = { process in
            let status = process.terminationStatus
            ending.fulfill(process.terminationReason == .uncaughtSignal ? -status : status)
        }
        try process.run()
        self.ending = ending
        processID = process.processIdentifier
    }

    /// Whether the process has ended.
    var hasEnded: Bool { ending.present != nil }

    /// Kills the process, as `kill -9` does. Has no effect after its end.
    func stop() {
        guard !hasEnded else { return }
        kill(processID, SIGKILL)
    }

    private static func program() throws -> URL {
        let name = "QueueProcess"
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = URL(filePath: link ?? ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        // On Apple's systems the program of the tests is in a bundle.
        for _ in 0..<4 {
            let program = folder.appending(path: name)
            if FileManager.default.isExecutableFile(atPath: program.path(percentEncoded: false)) { return program }
            folder.deleteLastPathComponent()
        }
        throw ApusError(.fileUnreadable, "the program \(name) is missing; build it with `swift build --build-tests`")
    }
}

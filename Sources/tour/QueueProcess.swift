internal import Apus
internal import Foundation

/// This program as another process, which runs the queue of a folder and nothing else. A stop kills it.
enum QueueProcess {
    /// The argument before the folder. It is not in the help.
    static let argument = "--run-queue"

    /// Runs the queue of a folder until nothing is left to do.
    ///
    /// - Returns: The exit code of the process.
    static func run(_ folder: String) async -> Int32 {
        do {
            let url = URL(filePath: folder, directoryHint: .isDirectory)
            try await TransferQueue(folder: url, session: Session()).run()
            return 0
        } catch {
            return 1
        }
    }

    /// Starts a process that runs the queue of a folder, kills it as soon as a condition holds, and waits for its end.
    ///
    /// - Throws: `Unexpected` if the process ends by itself.
    static func runAndKill(_ folder: URL, when isTime: () -> Bool) async throws {
        guard let program = Bundle.main.executableURL else {
            throw Unexpected(expected: "the path of this program", found: "none")
        }
        let process = Process()
        process.executableURL = program
        process.arguments = [argument, folder.path(percentEncoded: false)]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let isOver = Deferred<Void>()
        process.terminationHandler = { _ in isOver.fulfill(()) }
        try process.run()
        // It must not outlive a stop that was cancelled.
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        while !isTime() {
            try expect(process.isRunning, "a process that runs", found: "one that has ended")
            try await Task.sleep(for: .milliseconds(2))
        }
        kill(process.processIdentifier, SIGKILL)
        await isOver.value
        let isKilled = process.terminationReason == .uncaughtSignal
        try expect(isKilled, "a process that was killed", found: "exit code \(process.terminationStatus)")
    }
}

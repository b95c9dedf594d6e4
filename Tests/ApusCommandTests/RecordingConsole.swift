import Apus
import Foundation

@testable import ApusCommand

/// Records the written bytes.
final class RecordingSink: OutputSink {
    private let stored = Lock<[UInt8]>([])
    /// The number of bytes after which the reader closes, or `nil` for never.
    private let limit: Int?

    init(limit: Int? = nil) {
        self.limit = limit
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFault) {
        let count = stored.withLock { stored in
            stored.append(contentsOf: bytes)
            return stored.count
        }
        if let limit, count > limit { throw .readerGone }
    }

    var bytes: [UInt8] { stored.withLock { $0 } }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The result of running the command.
struct CommandOutcome {
    let exitCode: ExitCode
    let output: RecordingSink
    let error: RecordingSink

    /// Whether standard error has exactly one message, on one line.
    var hasOneSentence: Bool {
        error.text.hasPrefix("apus: ") && error.text.hasSuffix("\n") && error.text.count { $0 == "\n" } == 1
    }
}

/// Runs the command in this process, in a given folder.
struct CommandRunner {
    var folder = ""
    var environment: [String: String] = [:]
    var input = StandardInput.terminal
    var outputIsTerminal = false
    var errorIsTerminal = false
    var readerClosesAfter: Int?
    var password: String?
    var time: any SessionClock = SystemClock()

    func run(_ arguments: String...) async -> CommandOutcome { await run(arguments) }

    func run(_ arguments: [String]) async -> CommandOutcome {
        let output = RecordingSink(limit: readerClosesAfter)
        let error = RecordingSink()
        var console = Console(
            environment: environment,
            workingDirectory: folder,
            input: input,
            output: OutputChannel(output, isTerminal: outputIsTerminal),
            error: OutputChannel(error, isTerminal: errorIsTerminal),
            askPassword: { _ in password }
        )
        console.time = time
        return CommandOutcome(
            exitCode: await Command.run(arguments: arguments, console: console),
            output: output,
            error: error
        )
    }

    /// Creates a folder for `body`, and removes it afterwards.
    static func inFolder<Result>(_ body: (CommandRunner) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(CommandRunner(folder: folder.path))
    }

    /// Does the same, and makes the folder the user's home.
    static func atHome<Result>(_ body: (CommandRunner) async throws -> Result) async throws -> Result {
        try await inFolder { runner in
            var runner = runner
            runner.environment["HOME"] = runner.folder
            return try await body(runner)
        }
    }

    /// A copy of the runner whose output is a terminal.
    var atTerminal: CommandRunner {
        var runner = self
        runner.outputIsTerminal = true
        return runner
    }

    func file(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { Array($0) }
    }

    var fileNames: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    func put(_ content: String, in name: String) throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
}

/// A clock on which every wait ends at once.
struct InstantClock: SessionClock {
    var now: MonotonicInstant { .now }

    var wallClock: Date { Date() }

    func sleep(until deadline: MonotonicInstant) async throws { try Task.checkCancellation() }
}

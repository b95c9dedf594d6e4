import Apus
import Foundation

@testable import ApusCommand

/// Keeps what was written to it.
final class RecordingSink: OutputSink {
    private let content = Lock<[UInt8]>([])
    /// After how many bytes the reader goes away; `nil` never.
    private let limit: Int?

    init(limit: Int? = nil) {
        self.limit = limit
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFault) {
        let count = content.withLock { content in
            content.append(contentsOf: bytes)
            return content.count
        }
        if let limit, count > limit { throw .readerGone }
    }

    var bytes: [UInt8] { content.withLock { $0 } }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// What came of a run of the command.
struct Run {
    let exitCode: ExitCode
    let output: RecordingSink
    let error: RecordingSink

    /// Whether standard error has one sentence, in a line of its own.
    var hasOneSentence: Bool {
        error.text.hasPrefix("apus: ") && error.text.hasSuffix("\n") && error.text.count { $0 == "\n" } == 1
    }
}

/// Runs the command in this process, in a folder of its own.
struct CommandRunner {
    var folder = ""
    var environment: [String: String] = [:]
    var input = StandardInput.terminal
    var outputIsTerminal = false
    var errorIsTerminal = false
    var readerLeavesAfter: Int?
    var password: String?
    var time: any RequestTime = SystemTime()

    func run(_ arguments: String...) async -> Run { await run(arguments) }

    func run(_ arguments: [String]) async -> Run {
        let output = RecordingSink(limit: readerLeavesAfter)
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
        return Run(exitCode: await Command.run(arguments: arguments, console: console), output: output, error: error)
    }

    /// Lends a new folder to `body`, and takes it away afterwards.
    static func inFolder<Result>(_ body: (CommandRunner) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(CommandRunner(folder: folder.path))
    }

    /// The same, with the folder as the home of who types.
    static func atHome<Result>(_ body: (CommandRunner) async throws -> Result) async throws -> Result {
        try await inFolder { runner in
            var runner = runner
            runner.environment["HOME"] = runner.folder
            return try await body(runner)
        }
    }

    /// The same, with output that somebody looks at.
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

/// A clock by which every wait is over at once.
struct HastyTime: RequestTime {
    var now: MonotonicInstant { .now }

    var wallClock: Date { Date() }

    func sleep(until deadline: MonotonicInstant) async throws { try Task.checkCancellation() }
}

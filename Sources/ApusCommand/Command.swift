internal import Apus
internal import ApusPlatform

/// The command `apus`.
package enum Command {
    /// The version of the command: the library's version.
    package static var version: String { ApusVersion.current }

    /// Opens the standard streams that the process was started without. Must run before anything else is opened.
    ///
    /// Otherwise a socket could become standard output. A stream opened here reads as empty and rejects writes.
    package static func fillStandardStreams() {
        while let descriptor = try? FileDescriptor.open("/dev/null", O_RDONLY) {
            if descriptor > STDERR_FILENO {
                FileDescriptor.close(descriptor)
                return
            }
        }
    }

    /// Runs the command as this process, on this thread, and exits with the command's exit code.
    package static func main() -> Never {
        // A closed reader must be an error of `write` instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        // SwiftNIO otherwise starts one thread per processor, and one request needs only one.
        setenv("NIO_SINGLETON_GROUP_LOOP_COUNT", "1", 0)
        let thread = CallingThread()
        Task(executorPreference: thread) {
            var console = Console.process
            console.endsWithCommand = true
            exit(await run(arguments: Array(CommandLine.arguments.dropFirst()), console: console).rawValue)
        }
        thread.run()
    }

    /// Runs the command.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the name of the program.
    ///   - console: The streams, environment and files that the command uses.
    /// - Returns: The exit code. An error was reported on standard error, in one sentence.
    package static func run(arguments: [String], console: Console) async -> ExitCode {
        var timeout: Duration?
        do {
            switch try Invocation.read(arguments) {
            case .text(let text):
                try console.output.write(text)
                return .success
            case .drawing(let drawing):
                return try drawing.run(console)
            case .invocation(var invocation):
                invocation.settleDownload(outputIsTerminal: console.output.isTerminal)
                timeout = invocation.timeout
                let run = Run(invocation: invocation, console: console)
                return try await invocation.transfers.queue == nil ? run.run() : run.addToQueue()
            case .queueControl(let invocation):
                return try await QueueControl(invocation: invocation, console: console).run()
            case .queueRun(let invocation):
                timeout = invocation.timeout
                return try await QueueRunner(invocation: invocation, console: console).run()
            }
        } catch {
            guard let fault = FaultSentence.fault(for: error, timeout: timeout) else { return .brokenPipe }
            console.report(fault.sentence)
            return fault.exitCode
        }
    }
}

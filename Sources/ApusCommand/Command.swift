internal import Apus

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The command `apus`.
package enum Command {
    /// The version of the command, which is the library's.
    package static var version: String { Version.current }

    /// Gives the process the three standard streams that it was started without, before anything else is opened.
    ///
    /// Else a socket could become standard output. What was missing reads as empty and can't be written to.
    package static func fillStandardStreams() {
        while let descriptor = try? FileDescriptor.open("/dev/null", O_RDONLY) {
            if descriptor > STDERR_FILENO {
                FileDescriptor.close(descriptor)
                return
            }
        }
    }

    /// Runs the command as this process, on this thread, and ends it with the exit code.
    package static func main() -> Never {
        // A reader that goes away is an error of `write`, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        // SwiftNIO starts a thread for each processor otherwise; one request has use for one.
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
    ///   - console: What the command sees of the world.
    /// - Returns: How it ended. Whatever went wrong was told on standard error, in one sentence.
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
                return try await Exchange(invocation: invocation, console: console).run()
            }
        } catch {
            guard let fault = FaultSentence.fault(for: error, timeout: timeout) else { return .brokenPipe }
            console.tell(fault.sentence)
            return fault.exitCode
        }
    }
}

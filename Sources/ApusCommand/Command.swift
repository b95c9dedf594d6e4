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

    /// Runs the command as this process.
    ///
    /// - Returns: The exit code for the shell.
    package static func main() async -> Int32 {
        // A reader that goes away is an error of `write`, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        return await run(arguments: Array(CommandLine.arguments.dropFirst()), console: .process).rawValue
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
            case .invocation(let invocation):
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

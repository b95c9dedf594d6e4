package import Apus

/// A destination for the bytes of standard output or standard error.
package protocol OutputSink: Sendable {
    /// Writes all of `bytes`, or throws `OutputFault`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFault)
}

/// The reason why output could not be written.
package enum OutputFault: Error, Equatable {
    /// The reader of a pipe closed it. This is not reported.
    case readerGone
    /// Any other error, as a sentence.
    case failed(String)
}

/// Standard output or standard error.
package struct OutputChannel: Sendable {
    package let sink: any OutputSink
    /// Whether the channel is a terminal.
    package let isTerminal: Bool
    /// The width of the terminal. Default: 80.
    package let columns: Int

    package init(_ sink: any OutputSink, isTerminal: Bool = false, columns: Int = 80) {
        self.sink = sink
        self.isTerminal = isTerminal
        self.columns = columns
    }

    func write(_ bytes: [UInt8]) throws(OutputFault) {
        guard !bytes.isEmpty else { return }
        // `withUnsafeBytes` does not support typed throws.
        let result: Result<Void, OutputFault> = bytes.withUnsafeBytes { bytes in
            do throws(OutputFault) {
                return .success(try sink.write(bytes))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    func write(_ text: String) throws(OutputFault) { try write(Array(text.utf8)) }
}

/// Standard input.
package enum StandardInput: Sendable {
    /// A terminal, which is never read.
    case terminal
    /// A pipe, a file, or `/dev/null`.
    case descriptor(Int32)
    /// Bytes in memory.
    case bytes([UInt8])
}

/// The environment of the command: streams, variables, folders and time. Tests provide their own.
package struct Console: Sendable {
    /// The environment variables that the command reads: NO_COLOR, TERM, HOME, NETRC, XDG_CONFIG_HOME, and those of
    /// proxies.
    package var environment: [String: String]
    /// The folder for relative file names, or empty for the process's working directory.
    package var workingDirectory: String
    package var input: StandardInput
    package var output: OutputChannel
    package var error: OutputChannel
    /// Asks for a password without echo. Returns `nil` if there is no terminal to ask on.
    package var askPassword: @Sendable (_ prompt: String) -> String?
    /// The clock for all waiting.
    package var time: any SessionClock = SystemClock()
    /// Whether the process ends with the command, so that the system closes open sockets and files.
    package var endsWithCommand = false

    package init(
        environment: [String: String] = [:],
        workingDirectory: String = "",
        input: StandardInput = .terminal,
        output: OutputChannel,
        error: OutputChannel,
        askPassword: @escaping @Sendable (_ prompt: String) -> String? = { _ in nil }
    ) {
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.input = input
        self.output = output
        self.error = error
        self.askPassword = askPassword
    }

    var files: Files { Files(workingDirectory: workingDirectory, home: environment["HOME"], input: input) }

    /// Whether output to a terminal may be colored.
    var allowsColor: Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// Writes one sentence to standard error, with terminal control characters escaped.
    func report(_ sentence: String) {
        // If standard error is closed, there is no place to report that.
        try? error.write("apus: \(TerminalText.line(sentence))\n")
    }
}

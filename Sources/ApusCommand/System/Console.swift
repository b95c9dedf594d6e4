package import Apus

/// Whatever takes the bytes of standard output or standard error.
package protocol OutputSink: Sendable {
    /// Writes all of `bytes`, or throws `OutputFault`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(OutputFault)
}

/// Why output could not be written.
package enum OutputFault: Error, Equatable {
    /// The reader of a pipe went away; nothing to complain about.
    case readerGone
    /// Anything else, as a sentence.
    case failed(String)
}

/// Standard output or standard error.
package struct OutputChannel: Sendable {
    package let sink: any OutputSink
    /// Whether a person looks at it.
    package let isTerminal: Bool
    /// How wide the terminal is; 80 where that is not known.
    package let columns: Int

    package init(_ sink: any OutputSink, isTerminal: Bool = false, columns: Int = 80) {
        self.sink = sink
        self.isTerminal = isTerminal
        self.columns = columns
    }

    func write(_ bytes: [UInt8]) throws(OutputFault) {
        guard !bytes.isEmpty else { return }
        // The buffer's own closure throws untyped.
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
    /// A person types there: never read.
    case terminal
    /// A pipe, a file, or `/dev/null`.
    case descriptor(Int32)
    /// Bytes that are here already.
    case bytes([UInt8])
}

/// What the command sees of the world around it. Tests make up their own.
package struct Console: Sendable {
    /// The environment variables that the command looks at: NO_COLOR, TERM, HOME, NETRC, XDG_CONFIG_HOME.
    package var environment: [String: String]
    /// The folder that relative file names start from; empty for the process's own.
    package var workingDirectory: String
    package var input: StandardInput
    package var output: OutputChannel
    package var error: OutputChannel
    /// Asks for a password without showing it; `nil` where there is nobody to ask.
    package var askPassword: @Sendable (_ prompt: String) -> String?
    /// The clock by which the command waits.
    package var time: any RequestTime = SystemTime()
    /// Whether the process ends with the command, so that the system closes what is open.
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

    /// Whether a terminal is to be painted.
    var allowsColour: Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    /// One sentence on standard error, where nothing in it can steer the terminal.
    func tell(_ sentence: String) {
        // When nobody can be told any more, there is nobody to tell that to.
        try? error.write("apus: \(TerminalText.line(sentence))\n")
    }
}

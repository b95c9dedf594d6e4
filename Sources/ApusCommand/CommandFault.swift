/// An error that ends the command: one sentence for standard error, and the exit code.
struct CommandFault: Error, Equatable {
    /// The message: the problem, its place and the remedy, without the program's name and without a line feed.
    let sentence: String
    /// The exit code of the command.
    let exitCode: ExitCode

    init(_ sentence: String, exitCode: ExitCode = .failure) {
        self.sentence = sentence
        self.exitCode = exitCode
    }
}

/// What ends the command: one sentence for standard error, and the exit code.
struct CommandFault: Error, Equatable {
    /// Says what, where and what to do; without the name of the program, and without a line feed.
    let sentence: String
    /// How the command ends.
    let exitCode: ExitCode

    init(_ sentence: String, exitCode: ExitCode = .failure) {
        self.sentence = sentence
        self.exitCode = exitCode
    }
}

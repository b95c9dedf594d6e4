/// A flag of the command line: its names, its line in `--help`, and the property that it sets.
///
/// A flag is one row of `Flag.sections` and one property of `Invocation`. Argument parsing, the help and the shell
/// completions are all generated from the rows.
struct Flag: Sendable {
    /// The value that follows a flag.
    struct Value: Sendable {
        /// Its name in `--help`.
        let name: String
        /// The allowed words. Empty if any text is allowed.
        var choices: [String] = []
        /// Whether the value is a file name.
        var isFile = false
        /// Whether the next argument is the value even if it begins with a dash.
        var takesDashes = false
    }

    /// Sets the flag's property, with or without a value.
    enum Action: Sendable {
        case set(@Sendable (inout Invocation) -> Void)
        case take(Value, @Sendable (inout Invocation, String) throws(CommandFault) -> Void)
    }

    /// The letter after a single dash, or `nil` if the flag has none.
    let letter: Unicode.Scalar?
    /// The name after two dashes.
    let name: String
    let help: String
    let action: Action

    /// Creates a flag without a value.
    init(
        _ letter: Unicode.Scalar?,
        _ name: String,
        _ help: String,
        set: @escaping @Sendable (inout Invocation) -> Void
    ) {
        self.letter = letter
        self.name = name
        self.help = help
        self.action = .set(set)
    }

    /// Creates a flag with a value.
    init(
        _ letter: Unicode.Scalar?,
        _ name: String,
        _ value: Value,
        _ help: String,
        take: @escaping @Sendable (inout Invocation, String) throws(CommandFault) -> Void
    ) {
        self.letter = letter
        self.name = name
        self.help = help
        self.action = .take(value, take)
    }

    /// The value of the flag, or `nil` if it takes none.
    var value: Value? {
        if case .take(let value, _) = action { value } else { nil }
    }

    /// The flag with its value, for use in a sentence: `--timeout <seconds>`.
    var usage: String { value.map { "--\(name) <\($0.name)>" } ?? "--\(name)" }
}

extension Flag.Value {
    /// One of a fixed set of words.
    static func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, _ choices: Choice.Type) -> Flag.Value
    where Choice.RawValue == String {
        Flag.Value(name: name, choices: Choice.allCases.map(\.rawValue))
    }

    /// The name of a file, which may begin with a dash.
    static func file(_ name: String = "file") -> Flag.Value {
        Flag.Value(name: name, isFile: true, takesDashes: true)
    }

    /// A text that may begin with a dash.
    static func text(_ name: String) -> Flag.Value { Flag.Value(name: name, takesDashes: true) }

    /// A word that does not begin with a dash.
    static func word(_ name: String) -> Flag.Value { Flag.Value(name: name) }
}

/// A flag of the command line: its names, its line in `--help`, and the property that it sets.
///
/// A flag is one row of `Flag.sections`, and one property of `Invocation`. The reading of the arguments, the help and the
/// completions for shells are all made of the rows.
struct Flag: Sendable {
    /// The value behind a flag.
    struct Value: Sendable {
        /// Its name in `--help`.
        let name: String
        /// The words that it can be; empty where it can be any text.
        var choices: [String] = []
        /// Whether it is the name of a file.
        var isFile = false
        /// Whether the next argument is the value even if it begins with a dash.
        var takesDashes = false
    }

    /// How a flag sets its property.
    enum Action: Sendable {
        case set(@Sendable (inout Invocation) -> Void)
        case take(Value, @Sendable (inout Invocation, String) throws(CommandFault) -> Void)
    }

    /// The letter behind one dash; `nil` where there is none.
    let letter: Unicode.Scalar?
    /// The name behind two dashes.
    let name: String
    let help: String
    let action: Action

    /// A flag that stands alone.
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

    /// A flag with a value behind it.
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

    /// The value of the flag; `nil` where it stands alone.
    var value: Value? {
        if case .take(let value, _) = action { value } else { nil }
    }

    /// As it stands in a sentence, with its value: `--timeout <seconds>`.
    var usage: String { value.map { "--\(name) <\($0.name)>" } ?? "--\(name)" }
}

extension Flag.Value {
    /// One of a few words.
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

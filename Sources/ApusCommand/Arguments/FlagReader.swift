/// Splits the arguments into flags, their values, and words.
///
/// | argument | meaning |
/// |---|---|
/// | `--follow`, `-F` | a flag |
/// | `--output=x`, `--output x`, `-o x`, `-ox`, `-o=x` | a flag and its value |
/// | `-dFo x` | several flags, of which the last takes the value |
/// | `--no-follow` | cancels each `--follow` before it, such as one from an alias |
/// | `--` | all further arguments are words, even those that begin with a dash |
/// | `-` and everything else | a word |
struct FlagReader {
    /// The arguments that are neither flags nor their values, in order.
    private(set) var words: [String] = []
    /// The flags in order, with their values.
    private var found: [(flag: Flag, value: String)] = []

    /// The names of the flags in order, without those that were cancelled.
    var flagNames: [String] { found.map(\.flag.name) }

    /// Splits the arguments.
    ///
    /// - Throws: `CommandFault` for an unknown flag, a missing value, or a value that the flag does not take.
    mutating func read(_ arguments: [String]) throws(CommandFault) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            // Compare bytes, since a combining character forms one `Character` with the dash before it.
            let bytes = argument.utf8
            if bytes.elementsEqual("--".utf8) {
                words += rest
                return
            } else if bytes.starts(with: "--".utf8) {
                try readName(Substring(bytes.dropFirst(2)), &rest)
            } else if bytes.first == UInt8(ascii: "-"), bytes.count > 1 {
                try readLetters(argument.unicodeScalars.dropFirst(), &rest)
            } else {
                words.append(argument)
            }
        }
    }

    /// Stores the value of each flag in the invocation.
    ///
    /// - Throws: `CommandFault` if a value is invalid for its flag.
    func store(in invocation: inout Invocation) throws(CommandFault) {
        for (flag, value) in found {
            switch flag.action {
            case .set(let set): set(&invocation)
            case .take(_, let take): try take(&invocation, value)
            }
        }
    }

    private mutating func readName(_ text: Substring, _ rest: inout ArraySlice<String>) throws(CommandFault) {
        let name = Substring(text.utf8.prefix { $0 != UInt8(ascii: "=") })
        let value = name.endIndex == text.endIndex ? nil : String(Substring(text.utf8[name.endIndex...].dropFirst()))
        if let flag = Flag.named(name) {
            try note(flag, typed: "--\(name)", value: value, &rest)
        } else if name.utf8.starts(with: "no-".utf8), let flag = Flag.named(Substring(name.utf8.dropFirst(3))) {
            guard value == nil else { throw Self.unwantedValue("--\(name)") }
            found.removeAll { $0.flag.name == flag.name }
        } else {
            // Leave out the text after the equals sign, since it may be a password.
            throw Self.unknown("--\(name)", suggestion: FlagSuggestion.name(for: String(name)))
        }
    }

    private mutating func readLetters(
        _ letters: Substring.UnicodeScalarView,
        _ rest: inout ArraySlice<String>
    ) throws(CommandFault) {
        let all = String(Substring(letters))
        var letters = letters
        while let letter = letters.popFirst() {
            guard let flag = Flag.lettered(letter) else {
                // Suggest the long name if the user typed it after a single dash.
                throw Self.unknown("-\(letter)", suggestion: Flag.named(all[...])?.name)
            }
            guard flag.value != nil || letters.first == "=" else {
                found.append((flag, ""))
                continue
            }
            if letters.first == "=" {
                letters.removeFirst()
            } else if letters.isEmpty {
                return try note(flag, typed: "-\(letter)", value: nil, &rest)
            }
            return try note(flag, typed: "-\(letter)", value: String(Substring(letters)), &rest)
        }
    }

    private mutating func note(
        _ flag: Flag,
        typed: String,
        value: String?,
        _ rest: inout ArraySlice<String>
    ) throws(CommandFault) {
        guard let wanted = flag.value else {
            guard value == nil else { throw Self.unwantedValue(typed) }
            found.append((flag, ""))
            return
        }
        if let value {
            found.append((flag, value))
        } else if let next = rest.first, wanted.takesDashes || !Self.isFlag(next) {
            rest.removeFirst()
            found.append((flag, next))
        } else {
            throw CommandFault("\(typed) needs a value: \(flag.usage); see apus --help")
        }
    }

    private static func isFlag(_ argument: String) -> Bool {
        guard argument.utf8.first == UInt8(ascii: "-"), let second = argument.utf8.dropFirst().first else {
            return false
        }
        // A negative number is a value, also -4 and -6, which are flags elsewhere.
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
    }

    private static func unwantedValue(_ typed: String) -> CommandFault {
        CommandFault("\(typed) takes no value, but has one; see apus --help")
    }

    private static func unknown(_ typed: String, suggestion: String?) -> CommandFault {
        let remedy = suggestion.map { "did you mean --\($0)?" } ?? "see apus --help"
        return CommandFault("there is no flag '\(typed)'; \(remedy)")
    }
}

extension Flag {
    /// Returns the flag with this name, as typed after two dashes.
    static func named(_ name: Substring) -> Flag? {
        first { $0.name == name }
    }

    /// Returns the flag with this letter, as typed after a single dash.
    static func lettered(_ letter: Unicode.Scalar) -> Flag? {
        first { $0.letter == letter }
    }

    private static func first(where isMatch: (Flag) -> Bool) -> Flag? {
        for (_, flags) in sections {
            if let flag = flags.first(where: isMatch) { return flag }
        }
        return nil
    }
}

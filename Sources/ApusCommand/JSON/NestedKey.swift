/// The name of a JSON item, taken apart after HTTPie's grammar: `user[address][street]`, `tags[]`, `rows[0][1]`, `[]`.
///
/// A backslash before `[`, `]` or a backslash makes it an ordinary character, and before a number in brackets it
/// makes the number a name.
struct NestedKey: Equatable {
    enum Step: Equatable {
        /// The member of an object.
        case member(String)
        /// The element of an array, which grows with nulls up to it.
        case element(Int)
        /// One more element at the end of an array.
        case append
    }

    /// An index above this is a mistake, and would fill the memory with nulls.
    static let largestIndex = 65_535

    let steps: [Step]

    /// Takes a name apart.
    init(_ name: String) throws(CommandFault) {
        var scalars = Array(name.unicodeScalars)[...]
        var steps: [Step] = []
        let root = Self.text(&scalars)
        if !root.isEmpty || scalars.isEmpty { steps.append(.member(root.string)) }
        while let scalar = scalars.popFirst() {
            guard scalar == "[" else {
                throw CommandFault(
                    "the name '\(name)' has '\(scalar)' where only '[' can follow; write \\\(scalar) for itself"
                )
            }
            let text = Self.text(&scalars)
            guard scalars.popFirst() == "]" else {
                throw CommandFault("the name '\(name)' has a '[' without its ']'; write \\[ for a bracket itself")
            }
            steps.append(try Self.step(text, name: name))
        }
        self.steps = steps
    }

    private struct Text {
        var string = ""
        var hasEscapes = false
        var isEmpty = true
    }

    /// What stands ahead of the next bracket.
    private static func text(_ scalars: inout ArraySlice<Unicode.Scalar>) -> Text {
        var text = Text()
        while let scalar = scalars.first, scalar != "[", scalar != "]" {
            scalars.removeFirst()
            text.isEmpty = false
            if scalar == "\\", let next = scalars.first {
                scalars.removeFirst()
                if next == "[" || next == "]" || next == "\\" {
                    text.hasEscapes = true
                } else {
                    text.string.unicodeScalars.append(scalar)
                }
                text.string.unicodeScalars.append(next)
            } else {
                text.string.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func step(_ text: Text, name: String) throws(CommandFault) -> Step {
        if text.isEmpty { return .append }
        guard !text.hasEscapes else { return .member(text.string) }
        if text.string.first == "\\", Int(text.string.dropFirst()) != nil {
            return .member(String(text.string.dropFirst()))
        }
        guard let index = Int(text.string) else { return .member(text.string) }
        guard (0...largestIndex).contains(index) else {
            throw CommandFault("the name '\(name)' has the index \(index); write one from 0 to \(largestIndex)")
        }
        return .element(index)
    }
}

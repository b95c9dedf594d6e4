/// The parsed name of a JSON item, in HTTPie's grammar: `user[address][street]`, `tags[]`, `rows[0][1]`, `[]`.
///
///     name:  root step*
///     root:  text | '[' number ']' | '[' ']' | nothing
///     step:  '[' text ']' | '[' number ']' | '[' ']'
///
/// A backslash before `[`, `]` or a backslash makes that an ordinary character. Before a number, it makes the number a
/// name. A number outside brackets is always a name.
struct NestedKey: Equatable {
    enum Step: Equatable {
        /// The member of an object.
        case member(String)
        /// The element of an array, which is padded with nulls up to it.
        case element(Int)
        /// A new element at the end of an array.
        case append
    }

    /// The maximum index. A larger one is a mistake, and would fill the memory with nulls.
    static let largestIndex = 65_535

    /// The name as typed, with the escapes of the item's separators already removed.
    let name: String
    let steps: [Step]
    /// The range of each step in the name, in Unicode scalars from 0.
    let ranges: [Range<Int>]

    /// Parses a name.
    ///
    /// - Throws: `CommandFault` with the position of the error.
    init(_ name: String) throws(CommandFault) {
        var parser = Parser(name)
        var steps: [Step] = []
        var ranges: [Range<Int>] = []
        while steps.isEmpty || !parser.isAtEnd {
            guard steps.count < JSONFormatter.depthLimit else {
                throw CommandFault(
                    "the name '\(name.prefix(40))…' is nested deeper than \(JSONFormatter.depthLimit) levels"
                )
            }
            let begin = parser.position
            steps.append(try steps.isEmpty ? parser.root() : parser.step())
            ranges.append(begin..<parser.position)
        }
        self.name = name
        self.steps = steps
        self.ranges = ranges
    }

    /// Returns the part of the name before a step, which is the value that the step applies to.
    func prefix(before step: Int) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(ranges[step].lowerBound)))
    }

    /// Returns a step as typed.
    func text(of step: Int) -> String {
        String(
            String.UnicodeScalarView(name.unicodeScalars.dropFirst(ranges[step].lowerBound).prefix(ranges[step].count))
        )
    }
}

extension NestedKey {
    private struct Parser {
        private enum Token {
            case text(String)
            case number(Int)
            case open, close
        }

        private let name: String
        private let scalars: [Unicode.Scalar]
        private(set) var position = 0

        init(_ name: String) {
            self.name = name
            scalars = Array(name.unicodeScalars)
        }

        var isAtEnd: Bool { position == scalars.count }

        mutating func root() throws(CommandFault) -> Step {
            guard !isAtEnd else { return .member("") }
            let begin = position
            switch try token() {
            case .text(let text): return .member(text)
            case .number: return .member(String(String.UnicodeScalarView(scalars[begin..<position])))
            case .open: return try bracketed(allowsText: false)
            case .close: throw fault(at: begin, wanted: "a text or '['")
            }
        }

        mutating func step() throws(CommandFault) -> Step {
            let begin = position
            guard case .open = try token() else { throw fault(at: begin, wanted: "'['") }
            return try bracketed(allowsText: true)
        }

        /// Reads the rest of a step after its opening bracket.
        private mutating func bracketed(allowsText: Bool) throws(CommandFault) -> Step {
            let begin = position
            let wanted = allowsText ? "a text, a number or ']'" : "a number or ']'"
            guard !isAtEnd else { throw fault(at: begin, wanted: wanted) }
            let step: Step
            switch try token() {
            case .close: return .append
            case .number(let index): step = .element(index)
            case .text(let text) where allowsText: step = .member(text)
            case .text, .open: throw fault(at: begin, wanted: wanted)
            }
            let end = position
            guard !isAtEnd, case .close = try token() else { throw fault(at: end, wanted: "']'") }
            return step
        }

        private mutating func token() throws(CommandFault) -> Token {
            let begin = position
            switch scalars[position] {
            case "[":
                position += 1
                return .open
            case "]":
                position += 1
                return .close
            default:
                return try literal(from: begin)
            }
        }

        /// Reads the text up to the next bracket.
        private mutating func literal(from begin: Int) throws(CommandFault) -> Token {
            var text = String.UnicodeScalarView()
            var hasEscapes = false
            while !isAtEnd, scalars[position] != "[", scalars[position] != "]" {
                if scalars[position] == "\\", position + 1 < scalars.count {
                    let next = scalars[position + 1]
                    if next == "[" || next == "]" || next == "\\" {
                        hasEscapes = true
                    } else {
                        text.append("\\")
                    }
                    position += 1
                }
                text.append(scalars[position])
                position += 1
            }
            let literal = String(text)
            guard !hasEscapes else { return .text(literal) }
            if literal.first == "\\", Self.isNumber(literal.dropFirst()) { return .text(String(literal.dropFirst())) }
            guard Self.isNumber(literal[...]) else { return .text(literal) }
            // At the start, a number is a name, so its value does not matter.
            if begin == 0 { return .number(0) }
            guard let index = Int(literal), (0...largestIndex).contains(index) else {
                throw CommandFault(
                    """
                    the name '\(name)' has the index \(literal) at character \(begin + 1); write one from 0 to \
                    \(largestIndex), or \\\(literal) for a name
                    """
                )
            }
            return .number(index)
        }

        private static func isNumber(_ text: Substring) -> Bool {
            let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text
            return !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }

        private func fault(at place: Int, wanted: String) -> CommandFault {
            let found = place < scalars.count ? "has '\(scalars[place])'" : "ends"
            return CommandFault(
                """
                the name '\(name)' \(found) at character \(place + 1), where \(wanted) is expected; write \\[ and \\] \
                for literal brackets
                """
            )
        }
    }
}

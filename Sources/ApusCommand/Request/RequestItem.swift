/// One ITEM of the command line: a name and a value, whose meaning depends on the separator between them.
///
/// The first separator decides. If several begin at the same position, the longest one does. A backslash before one of
/// `: ; = @` makes it an ordinary character, and is itself ordinary before any other character.
struct RequestItem: Equatable {
    /// The kinds of items, with their separators.
    enum Kind: String, CaseIterable {
        /// `Name:value` sends a field. `Name:` removes a field that is sent by default.
        case field = ":"
        /// `Name;` sends a field with an empty value.
        case emptyField = ";"
        /// `Name:@file` sends a field with the file's text as its value.
        case fieldFromFile = ":@"
        /// `name==value` adds to the query of the URL.
        case query = "=="
        /// `name==@file` adds to the query, with the file's text as the value.
        case queryFromFile = "==@"
        /// `name=value` is a string in the JSON object, or a field of the form.
        case text = "="
        /// `name=@file` is the same with the file's text as the value.
        case textFromFile = "=@"
        /// `name:=json` is a value of the JSON object that is JSON itself.
        case json = ":="
        /// `name:=@file` is the same with the file's text as the JSON.
        case jsonFromFile = ":=@"
        /// `@file` sends the file as the body.
        case file = "@"

        /// Whether the item is part of the request body.
        var isContent: Bool {
            switch self {
            case .text, .textFromFile, .json, .jsonFromFile, .file: true
            case .field, .emptyField, .fieldFromFile, .query, .queryFromFile: false
            }
        }
    }

    var kind: Kind
    var name: String
    var value: String
    /// The item as typed, for messages.
    var source: String
}

extension RequestItem {
    /// Parses an argument.
    ///
    /// - Throws: `CommandFault` if it has no separator, or text after the `;` of `Name;`.
    init(_ argument: String) throws(CommandFault) {
        let characters = Self.resolvingEscapes(argument)
        guard let (position, kind) = Self.separator(in: characters) else {
            throw CommandFault(
                """
                the item '\(argument)' has no separator; write name=value, name:=json, name==value, Header:value \
                or @file
                """
            )
        }
        self.kind = kind
        self.name = String(String.UnicodeScalarView(characters[..<position].map(\.scalar)))
        self.value = String(
            String.UnicodeScalarView(characters[(position + kind.rawValue.unicodeScalars.count)...].map(\.scalar))
        )
        self.source = argument
        if kind == .emptyField, !value.isEmpty {
            throw CommandFault("the item '\(argument)' has text after its ';'; write 'Name;' to send an empty field")
        }
    }

    private struct Letter {
        let scalar: Unicode.Scalar
        let isEscaped: Bool
    }

    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        scalar == ":" || scalar == ";" || scalar == "=" || scalar == "@"
    }

    private static func resolvingEscapes(_ argument: String) -> [Letter] {
        var characters: [Letter] = []
        var scalars = argument.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "\\" else {
                characters.append(Letter(scalar: scalar, isEscaped: false))
                continue
            }
            let escaped = scalars.next()
            if let escaped, isSpecial(escaped) {
                characters.append(Letter(scalar: escaped, isEscaped: true))
            } else {
                characters.append(Letter(scalar: scalar, isEscaped: false))
                if let escaped { characters.append(Letter(scalar: escaped, isEscaped: false)) }
            }
        }
        return characters
    }

    /// Returns the first position of a separator, and the longest separator there.
    private static func separator(in characters: [Letter]) -> (Int, Kind)? {
        guard let position = characters.firstIndex(where: { !$0.isEscaped && isSpecial($0.scalar) }) else {
            return nil
        }
        let kinds = Kind.allCases.filter { kind in
            let scalars = Array(kind.rawValue.unicodeScalars)
            let candidate = characters[position...].prefix(scalars.count)
            return candidate.count == scalars.count
                && zip(candidate, scalars).allSatisfy { !$0.isEscaped && $0.scalar == $1 }
        }
        return kinds.max { $0.rawValue.utf8.count < $1.rawValue.utf8.count }.map { (position, $0) }
    }
}

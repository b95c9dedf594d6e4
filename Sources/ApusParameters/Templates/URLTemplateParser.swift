internal import ApusCore

/// Parses a template.
enum URLTemplateParser {
    /// A part of a template.
    enum Piece: Hashable {
        /// Literal text.
        case literal(String)
        /// A character that ends a segment: between path segments, or between path, query and fragment.
        case boundary(String)
        /// A name to be replaced by a value.
        case name(String, isInPath: Bool)
    }

    /// The part of the URL at the parser's position.
    private enum Part {
        case authority
        case path
        case query
        case fragment
    }

    static func parse(_ pattern: String) throws(ApusError) -> [Piece] {
        var pieces: [Piece] = []
        var literal = ""
        var rest = pattern[...]
        var part = Part.path
        // Values are not allowed before the path.
        if let start = authorityStart(pattern) {
            literal = String(pattern[..<start])
            rest = pattern[start...]
            part = .authority
        } else if pattern.utf8.first != UInt8(ascii: "/") {
            throw ApusError(.invalidURL, "a template must be a complete URL, or begin with a slash", url: pattern)
        }
        func flush() {
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
        }
        while let character = rest.unicodeScalars.popFirst() {
            switch character {
            case "{":
                guard let end = rest.unicodeScalars.firstIndex(of: "}") else {
                    throw ApusError(.invalidURL, "a brace of the template is not closed", url: pattern)
                }
                let name = String(rest[..<end])
                guard isName(name) else {
                    throw ApusError(.invalidURL, "the template has '{\(name)}', which is not a name", url: pattern)
                }
                guard part == .path || part == .query else {
                    throw ApusError(
                        .invalidURL,
                        "the template has '{\(name)}' outside its path and query, where values are not allowed",
                        url: pattern
                    )
                }
                flush()
                pieces.append(.name(name, isInPath: part == .path))
                rest = rest[rest.unicodeScalars.index(after: end)...]
            case "}":
                throw ApusError(.invalidURL, "a closing brace of the template has no opening brace", url: pattern)
            case "/", "\\", "?", "#":
                flush()
                pieces.append(.boundary(String(character)))
                part = next(part, behind: character)
            default:
                literal.unicodeScalars.append(character)
            }
        }
        flush()
        return pieces
    }

    /// Returns the start of the host, or `nil` if the template has none.
    private static func authorityStart(_ pattern: String) -> String.Index? {
        if pattern.hasPrefix("//") { return pattern.index(pattern.startIndex, offsetBy: 2) }
        guard let range = pattern.firstRange(of: "://"), !pattern[..<range.lowerBound].contains(where: "/{?#".contains)
        else { return nil }
        return range.upperBound
    }

    private static func next(_ part: Part, behind boundary: Unicode.Scalar) -> Part {
        switch (part, boundary) {
        case (.fragment, _), (_, "#"): .fragment
        case (.query, _), (_, "?"): .query
        default: .path
        }
    }

    /// Returns whether `name` is a variable name without an operator or a modifier (RFC 6570 §2.3).
    private static func isName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { byte in
                    (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
                }
        }
    }
}

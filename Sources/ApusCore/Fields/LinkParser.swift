/// Splits the value of a `Link` field into links, byte by byte. It takes linear time for any input.
///
/// It is lenient: text between links, parameters without a name, and quoted strings without an end are accepted.
///
/// See RFC 8288 §B, https://www.rfc-editor.org/rfc/rfc8288.html#appendix-B
struct LinkParser {
    /// A link as received: its URI reference, and its parameters in order, with their names in lowercase.
    struct Link {
        let reference: ArraySlice<UInt8>
        let parameters: [(name: String, value: String)]
    }

    private var rest: ArraySlice<UInt8>

    init(_ value: [UInt8]) {
        self.rest = value[...]
    }

    /// Returns the next link, or `nil` if there is none.
    mutating func next() -> Link? {
        while true {
            rest = rest.drop { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
            guard let first = rest.first else { return nil }
            guard first == UInt8(ascii: "<") else {
                skipToComma()
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
                rest = []
                return nil
            }
            let reference = rest[(rest.startIndex + 1)..<end]
            rest = rest[(end + 1)...]
            return Link(reference: reference, parameters: parameters())
        }
    }

    /// Reads the parameters of a link, up to the comma after it.
    private mutating func parameters() -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        skipSpaces()
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst()
            skipSpaces()
            let name = Self.text(take { $0 == UInt8(ascii: "=") }).lowercased()
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                skipSpaces()
                value = rest.first == UInt8(ascii: "\"") ? quotedString() : Self.text(take { _ in false })
            }
            if !name.isEmpty { parameters.append((name, value)) }
            skipSpaces()
        }
        skipToComma()
        return parameters
    }

    /// Reads up to a semicolon, a comma, or another end.
    private mutating func take(upTo isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") && !isEnd($0) }
        rest = rest[taken.endIndex...]
        return taken
    }

    private mutating func quotedString() -> String {
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                value.append(escaped)
            } else {
                value.append(byte)
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func skipSpaces() {
        rest = rest.drop(while: Self.isSpace)
    }

    private mutating func skipToComma() {
        rest = rest.drop { $0 != UInt8(ascii: ",") }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self).trimmed }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

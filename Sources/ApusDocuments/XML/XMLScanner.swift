internal import ApusCore
internal import ApusJSON

/// Scans the elements of markup, in valid UTF-8 with allowed characters only.
struct XMLScanner: Sendable {
    let bytes: [UInt8]
    var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index >= bytes.count }

    /// The current byte. `nil` at the end.
    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    func fault(_ message: String, _ kind: XMLFault.Kind = .malformed) -> XMLFault {
        XMLFault(message, kind, at: index)
    }

    /// Returns whether `literal` is at the current position.
    func has(_ literal: StaticString) -> Bool {
        guard bytes.count - index >= literal.utf8CodeUnitCount else { return false }
        for offset in 0..<literal.utf8CodeUnitCount where bytes[index + offset] != literal.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Skips `literal` if it is at the current position.
    mutating func skip(_ literal: StaticString) -> Bool {
        guard has(literal) else { return false }
        index += literal.utf8CodeUnitCount
        return true
    }

    /// Skips white space. Returns whether there was any.
    @discardableResult
    mutating func skipWhitespace() -> Bool {
        let start = index
        while index < bytes.count, XMLCharacters.isWhitespace(bytes[index]) { index += 1 }
        return index > start
    }

    /// Reads a name.
    mutating func name(of what: StaticString) throws(XMLFault) -> Range<Int> {
        let start = index
        var end = index
        let bytes = bytes
        while end < bytes.count {
            let length = XMLCharacters.nameLength(at: end, of: bytes, isFirst: end == start)
            guard length > 0 else { break }
            end += length
        }
        guard end > start else { throw fault("the name of \(what) is missing, or begins with an invalid character") }
        index = end
        return start..<end
    }

    /// Reads up to `terminator` and skips it.
    mutating func content(upTo terminator: StaticString, of what: StaticString) throws(XMLFault) -> Range<Int> {
        let start = index
        let first = terminator.utf8Start.pointee
        var scanner = self
        while scanner.index < bytes.count {
            if bytes[scanner.index] == first, scanner.skip(terminator) {
                index = scanner.index
                return start..<index - terminator.utf8CodeUnitCount
            }
            scanner.index += 1
        }
        throw fault("\(what) is not closed")
    }

    /// Reads the text between two quotation marks, unchanged.
    mutating func quoted(_ what: @autoclosure () -> String) throws(XMLFault) -> Range<Int> {
        guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw fault("\(what()) is not in quotation marks")
        }
        let start = index + 1
        guard let end = bytes[start...].firstIndex(of: quote) else { throw fault("\(what()) is not closed") }
        index = end + 1
        return start..<end
    }

    /// Reads a processing instruction. The scanner is after its `<?`.
    mutating func instruction() throws(XMLFault) -> (target: String, data: String?) {
        let start = index - 2
        let target = string(try name(of: "a processing instruction"))
        guard target.lowercased() != "xml" else {
            throw XMLFault("the XML declaration can only be at the very beginning", at: start)
        }
        if skip("?>") { return (target, nil) }
        guard skipWhitespace() else { throw fault("there is no space after the target of an instruction") }
        return (target, string(try content(upTo: "?>", of: "a processing instruction")))
    }

    /// Reads a comment. The scanner is after its `<!--`.
    mutating func comment() throws(XMLFault) -> Range<Int> {
        let range = try content(upTo: "--", of: "a comment")
        guard skip(">") else { throw fault("there is '--' inside a comment") }
        return range
    }

    /// Reads a reference into `text`. The scanner is at its `&`.
    mutating func reference(into text: inout [UInt8]) throws(XMLFault) {
        let start = index
        index += 1
        if skip("#") {
            let scalar = try characterReference(from: start)
            text.append(contentsOf: String(scalar).utf8)
            return
        }
        let range = try name(of: "an entity")
        guard skip(";") else { throw XMLFault("a reference does not end with ';'", at: start) }
        let entity = bytes[range]
        for (name, character) in XMLScanner.entities where entity.elementsEqual(name.utf8) {
            return text.append(character)
        }
        throw XMLFault(
            "the entity \(Excerpt.quoted(utf8: entity)) is unknown; only amp, lt, gt, quot and apos are supported",
            .unsupported,
            at: start
        )
    }

    private static let entities: [(String, UInt8)] = [
        ("amp", UInt8(ascii: "&")), ("lt", UInt8(ascii: "<")), ("gt", UInt8(ascii: ">")),
        ("quot", UInt8(ascii: "\"")), ("apos", UInt8(ascii: "'")),
    ]

    private mutating func characterReference(from start: Int) throws(XMLFault) -> Unicode.Scalar {
        let radix: UInt32 = skip("x") ? 16 : 10
        var value: UInt32 = 0
        var hasDigits = false
        while let byte, let digit = byte.hexadecimalValue.map(UInt32.init), digit < radix {
            // Clamped to avoid an overflow. Any larger value is not a character either.
            value = min(value * radix + digit, 0x11_0000)
            hasDigits = true
            index += 1
        }
        guard hasDigits, skip(";"), XMLCharacters.isAllowed(value), let scalar = Unicode.Scalar(value) else {
            throw XMLFault("a reference names a character that XML does not allow", at: start)
        }
        return scalar
    }
}

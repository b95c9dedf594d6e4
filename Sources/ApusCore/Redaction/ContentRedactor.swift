/// Removes the values of secrets from a text, by their names: values of members, pairs, elements, attributes and lines.
///
/// It works on bytes and reads each byte at most a few times, for any text. It does not rely on balanced quotes, since
/// bodies may be truncated, mixed or malicious. The results of scanning ahead are cached or not needed again.
struct ContentRedactor {
    enum Kind {
        /// JSON, forms, XML, HTML, YAML, or several of them.
        case content
        /// A sentence, in which "code" and "key" are ordinary words.
        case sentence
    }

    /// A range that is not shown.
    struct Cut {
        let range: Range<Int>
        /// The quote to put on both sides of the mark.
        var quote = 0..<0
    }

    /// The closing quote of a string, and the position after it.
    struct Closing {
        let quote: Range<Int>?
        /// The first byte after the quote that is not white space.
        let behind: Int
    }

    /// The bytes that end a name.
    static let nameEnds = ByteSet("=&\"'<>\\;,:(){}?/#")
    /// The bytes that end a value after a `=`.
    static let valueEnds = ByteSet("&\"<>\\")
    /// The bytes that end an unquoted value after a `:`.
    static let wordEnds = ByteSet(",}]&\"<\\")
    /// Values that reveal nothing.
    static let harmless: Set<ArraySlice<UInt8>> = [
        "", "true", "false", "null", "True", "False", "None", "nil", "undefined", "…",
    ].reduce(into: []) { $0.insert(Array($1.utf8)[...]) }
    static let mark = Array(Redaction.mark.utf8)

    let bytes: [UInt8]
    let kind: Kind
    let levels: Int
    var position = 0
    var cuts: [Cut] = []
    var line = Line(start: 0)
    var scopes: [Scope] = []
    /// The number of open objects and arrays beyond the size limit of `scopes`.
    var deeperScopeCount = 0
    /// The end of the JSON string that was opened last.
    var stringEnd = 0
    /// The hidden body of an element, until the position reaches it.
    var skipped: Range<Int>?
    /// The end of the percent-encoded value that was inspected last.
    var encodedEnd = 0
    /// The position of an attribute `key` whose value is a name.
    var shownName = -1
    private(set) lazy var isHTML = beginsLikeHTML
    /// The last closing quote found, by the number of backslashes before it. It closes all strings opened before it.
    private var closings: [Int: Closing] = [:]

    /// Returns the text without the values of secrets.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - kind: The kind of text.
    ///   - levels: How many levels of percent-encoded values are inspected, since these may be nested.
    /// - Returns: The text with marks in place of secrets.
    static func takenOut(of text: String, kind: Kind = .content, levels: Int = 2) -> String {
        var content = ContentRedactor(bytes: Array(text.utf8), kind: kind, levels: levels)
        content.run()
        return content.cuts.isEmpty ? text : String(decoding: content.shown, as: UTF8.self)
    }

    private init(bytes: [UInt8], kind: Kind, levels: Int) {
        self.bytes = bytes
        self.kind = kind
        self.levels = levels
    }

    private mutating func run() {
        while position < bytes.count {
            if let range = skipped, position >= range.lowerBound {
                position = max(position, range.upperBound)
                skipped = nil
                continue
            }
            leaveScopes(endingBy: position)
            step()
        }
        leaveScopes(endingBy: .max)
    }

    private mutating func step() {
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): passQuote()
        case UInt8(ascii: "'"): passApostrophe()
        case UInt8(ascii: "<"): passTag()
        case UInt8(ascii: "{"), UInt8(ascii: "["): openScope()
        case UInt8(ascii: "}"), UInt8(ascii: "]"): closeScope()
        case 0x0A, 0x0D:
            position += 1
            line = Line(start: position)
        case let byte where Self.isSpace(byte): position += 1
        case let byte where Self.nameEnds.contains(byte):
            line.pass(byte)
            position += 1
        default: passName()
        }
    }

    // MARK: Redacted ranges

    /// The text with marks in place of the cuts.
    private var shown: [UInt8] {
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        var index = 0
        let sorted = cuts.sorted {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        }
        for cut in sorted where cut.range.upperBound > index {
            if cut.range.lowerBound >= index {
                shown += bytes[index..<cut.range.lowerBound]
                shown += bytes[cut.quote]
                shown += Self.mark
                shown += bytes[cut.quote]
            }
            index = cut.range.upperBound
        }
        shown += bytes[index...]
        return shown
    }

    /// Cuts a value out, unless it is empty or harmless.
    mutating func hide(_ cut: Cut) {
        guard !cut.range.isEmpty, cut.range.count > 9 || !Self.harmless.contains(bytes[cut.range]) else { return }
        cuts.append(cut)
    }

    // MARK: Positions

    func end(from start: Int, where isEnd: (UInt8) -> Bool) -> Int {
        guard start < bytes.count else { return bytes.count }
        return bytes[start...].firstIndex(where: isEnd) ?? bytes.count
    }

    func endOfSpace(_ start: Int) -> Int { end(from: start) { !Self.isSpace($0) } }

    func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Returns the last byte before an index that is not white space.
    func byte(aheadOf index: Int) -> UInt8? { bytes[..<index].last { !Self.isSpace($0) } }

    static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    private var beginsLikeHTML: Bool {
        let beginning = bytes.prefix(1024).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return ["<html", "<!doctype html"].contains { word in
            let word = Array(word.utf8)
            return beginning.indices.contains { beginning[$0...].starts(with: word) }
        }
    }

    // MARK: Strings

    /// Returns the range of backslashes and the quote after them. There are none, or as many as escape a quote in JSON
    /// that is embedded in a JSON string, once or twice.
    func quote(at start: Int) -> Range<Int>? {
        let ahead = bytes[min(start, bytes.count)...].prefix(4)
        guard let end = ahead.firstIndex(where: { $0 != UInt8(ascii: "\\") }), bytes[end] == UInt8(ascii: "\""),
            end - start != 2
        else { return nil }
        return start..<end + 1
    }

    /// Returns the quote that closes `opening`. Must be called with openings in ascending order.
    mutating func closing(_ opening: Range<Int>) -> Closing {
        let depth = opening.count - 1
        // An opening before the quote that was found is closed by the same quote.
        if let found = closings[depth], opening.upperBound <= found.quote?.lowerBound ?? bytes.count { return found }
        let quote = quote(ending: opening)
        let closing = Closing(quote: quote, behind: endOfSpace(quote?.upperBound ?? bytes.count))
        closings[depth] = closing
        return closing
    }

    func quote(ending opening: Range<Int>) -> Range<Int>? {
        let depth = opening.count - 1
        var index = opening.upperBound
        var slashes = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\") {
                slashes += 1
            } else {
                if bytes[index] == UInt8(ascii: "\""), slashes < depth || slashes % (2 * depth + 2) == depth {
                    return index - min(slashes, depth)..<index + 1
                }
                slashes = 0
            }
            index += 1
        }
        return nil
    }

    /// Returns the range between the quotes of a string that begins at an index, and the end of the string. `nil` if no
    /// string begins there. Nothing is cached.
    func string(at start: Int) -> (content: Range<Int>, end: Int)? {
        if let opening = quote(at: start) {
            let quote = quote(ending: opening)
            return (opening.upperBound..<(quote?.lowerBound ?? bytes.count), quote?.upperBound ?? bytes.count)
        }
        guard byte(at: start) == UInt8(ascii: "'") else { return nil }
        let end = end(from: start + 1) { $0 == UInt8(ascii: "'") }
        return (start + 1..<end, min(end + 1, bytes.count))
    }
}

/// A set of ASCII bytes.
struct ByteSet {
    private let bits: UInt128

    init(_ bytes: StaticString) {
        bits = bytes.withUTF8Buffer { $0.reduce(0) { $0 | 1 << UInt128($1) } }
    }

    func contains(_ byte: UInt8) -> Bool { byte < 0x80 && bits >> UInt128(byte) & 1 == 1 }
}

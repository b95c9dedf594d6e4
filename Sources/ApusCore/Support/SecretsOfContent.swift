/// Takes the values of what has a secret's name out of a text: those of members, of pairs, of elements and attributes,
/// and of lines.
///
/// It reads by bytes, each at most a few times whatever the text is, and takes no quote for the only one that may open a
/// string: contents are cut off, mixed, and sent by strangers. What it looks for further on is remembered, or is not
/// looked for again.
struct SecretsOfContent {
    enum Kind {
        /// JSON, forms, XML, HTML, YAML, or several of them.
        case content
        /// A sentence, in which "code" and "key" are words like others.
        case sentence
    }

    /// What is not shown.
    struct Cut {
        let range: Range<Int>
        /// What the mark stands between.
        var quote = 0..<0
    }

    /// The quote that ends a string, and what stands behind it.
    struct Closing {
        let quote: Range<Int>?
        /// The first byte behind it that is no space.
        let behind: Int
    }

    /// What ends a name.
    static let nameEnds = ByteSet("=&\"'<>\\;,:(){}?/#")
    /// What ends a value behind a `=`.
    static let valueEnds = ByteSet("&\"<>\\")
    /// What ends a value without quotes behind a `:`.
    static let wordEnds = ByteSet(",}]&\"<\\")
    /// What tells nothing.
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
    /// Objects and arrays that are open and not in `scopes`, which has a limit.
    var deeperScopeCount = 0
    /// Where the string of JSON ends that was opened last.
    var stringEnd = 0
    /// The content of an element that is not shown, until the position is there.
    var skipped: Range<Int>?
    /// Where the value ends that was looked into last.
    var encodedEnd = 0
    /// An attribute `key` whose value is a name.
    var shownName = -1
    private(set) lazy var isHTML = beginsLikeHTML
    /// The last quote that was found, by how many backslashes stand ahead of it: it ends all strings that are opened
    /// ahead of it.
    private var closings: [Int: Closing] = [:]

    /// The text without them.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - kind: What it is.
    ///   - levels: How often a value that is percent-encoded is looked into; such values may hold others.
    /// - Returns: The text, with marks in their place.
    static func takenOut(of text: String, kind: Kind = .content, levels: Int = 2) -> String {
        var content = SecretsOfContent(bytes: Array(text.utf8), kind: kind, levels: levels)
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

    // MARK: Cuts

    /// The text with marks in place of what is cut out.
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

    /// Cuts a value out, unless there is nothing to hide.
    mutating func hide(_ cut: Cut) {
        guard !cut.range.isEmpty, cut.range.count > 9 || !Self.harmless.contains(bytes[cut.range]) else { return }
        cuts.append(cut)
    }

    // MARK: Places

    func end(from start: Int, where isEnd: (UInt8) -> Bool) -> Int {
        guard start < bytes.count else { return bytes.count }
        return bytes[start...].firstIndex(where: isEnd) ?? bytes.count
    }

    func endOfSpace(_ start: Int) -> Int { end(from: start) { !Self.isSpace($0) } }

    func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    /// The last byte ahead of a place that is no space.
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

    /// Backslashes and the quote behind them: none, or as many as there are before a quote in JSON that stands in a
    /// string of JSON, and in one of those.
    func quote(at start: Int) -> Range<Int>? {
        let ahead = bytes[min(start, bytes.count)...].prefix(4)
        guard let end = ahead.firstIndex(where: { $0 != UInt8(ascii: "\\") }), bytes[end] == UInt8(ascii: "\""),
            end - start != 2
        else { return nil }
        return start..<end + 1
    }

    /// The quote that ends what `opening` begins. Openings have to come in their order.
    mutating func closing(_ opening: Range<Int>) -> Closing {
        let depth = opening.count - 1
        // Whatever is opened behind a quote and ahead of the one that was found would find the same.
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

    /// What stands between the quotes of a string that begins at a place, and where the string ends; `nil` where none
    /// begins. It looks ahead, and remembers nothing.
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

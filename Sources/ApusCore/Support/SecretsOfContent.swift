/// Takes the values of what is called a password, a secret, a token or a key out of a content: those of JSON's members,
/// of forms' pairs, and of XML's elements and attributes.
///
/// It reads by bytes, each at most a few times whatever the content is, and takes no quote for the only one that may
/// open a string: contents are cut off, mixed, and sent by strangers. What is looked for further on is remembered.
struct SecretsOfContent {
    private static let words = [
        "passw", "passphrase", "pwd", "secret", "token", "apikey", "accesskey", "privatekey", "credential",
        "authorization", "session",
    ].map { Array($0.utf8) }

    /// What ends a name and a value of a form.
    private static let nameEnds = Set("=&\"'<>\\;,:(){}?/#".utf8)
    private static let valueEnds = Set("&\"<>\\".utf8)
    private static let barewordEnds = Set(",}]&\"<\\".utf8)
    private static let harmless: Set<ArraySlice<UInt8>> = ["", "true", "false", "null"].reduce(into: []) {
        $0.insert(Array($1.utf8)[...])
    }

    /// Longer names are none, and no secret's.
    private static let longestName = 256

    /// The quote that ends a string, and what stands behind it.
    private struct Closing {
        let quote: Range<Int>?
        /// The first byte behind it that is no space.
        let behind: Int
    }

    private let bytes: [UInt8]
    /// The last quote that was found, by how many backslashes stand ahead of it: it ends all strings that are opened
    /// ahead of it.
    private var closings: [Int: Closing] = [:]
    private var position = 0
    private var shown: [UInt8] = []

    static func takenOut(of text: String) -> String {
        var content = SecretsOfContent(bytes: Array(text.utf8))
        content.run()
        return String(decoding: content.shown, as: UTF8.self)
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        shown.reserveCapacity(bytes.count)
    }

    private mutating func run() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): passQuote()
            case UInt8(ascii: "<"): passTag()
            case let byte where Self.isSpace(byte) || Self.nameEnds.contains(byte): show(upTo: position + 1)
            default: passName()
            }
        }
    }

    private mutating func show(upTo end: Int) {
        shown += bytes[position..<end]
        position = end
    }

    /// Shows a mark in place of what is ahead of `end`.
    private mutating func hide(upTo end: Int) {
        shown += Redaction.mark.utf8
        position = end
    }

    private func end(from start: Int, where isEnd: (UInt8) -> Bool) -> Int {
        bytes[start...].firstIndex(where: isEnd) ?? bytes.count
    }

    private func endOfSpace(_ start: Int) -> Int { end(from: start) { !Self.isSpace($0) } }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    /// Whether what is called that is no one's business; case and what stands between its words don't matter.
    static func isSecret(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count <= longestName else { return false }
        let name = PercentEncoding.decode(String(decoding: name, as: UTF8.self)).utf8.compactMap { byte -> UInt8? in
            switch byte {
            case 0x41...0x5A: byte | 0x20
            case 0x61...0x7A: byte
            default: nil
            }
        }
        return words.contains { word in
            name.indices.contains { $0 + word.count <= name.count && name[$0..<$0 + word.count].elementsEqual(word) }
        }
    }

    // MARK: JSON

    /// Backslashes and the quote behind them: none, or as many as there are before a quote in JSON that stands in a
    /// string of JSON, and in one of those.
    private func quote(at start: Int) -> Range<Int>? {
        let ahead = bytes[min(start, bytes.count)...].prefix(4)
        guard let end = ahead.firstIndex(where: { $0 != UInt8(ascii: "\\") }), bytes[end] == UInt8(ascii: "\""),
            end - start != 2
        else { return nil }
        return start..<end + 1
    }

    /// The quote that ends what `opening` begins.
    private mutating func closing(_ opening: Range<Int>) -> Closing {
        let depth = opening.count - 1
        // Whatever is opened behind a quote and ahead of the one that was found would find the same.
        if let found = closings[depth], opening.upperBound <= found.quote?.lowerBound ?? bytes.count { return found }
        let quote = quote(ending: depth, from: opening.upperBound)
        let closing = Closing(quote: quote, behind: endOfSpace(quote?.upperBound ?? bytes.count))
        closings[depth] = closing
        return closing
    }

    private func quote(ending depth: Int, from start: Int) -> Range<Int>? {
        var index = start
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

    private mutating func passQuote() {
        guard let opening = quote(at: position) else {
            return show(upTo: max(position + 1, end(from: position) { $0 != UInt8(ascii: "\\") }))
        }
        let closing = closing(opening)
        guard let quote = closing.quote, closing.behind < bytes.count, bytes[closing.behind] == UInt8(ascii: ":"),
            Self.isSecret(bytes[opening.upperBound..<quote.lowerBound])
        else {
            // It may as well be the end of a string, so the next one may begin a name.
            return show(upTo: opening.upperBound)
        }
        show(upTo: endOfSpace(closing.behind + 1))
        hideMember(bytes[opening])
    }

    private mutating func hideMember(_ delimiter: ArraySlice<UInt8>) {
        let end = endOfMember()
        guard !Self.harmless.contains(bytes[position..<end]) else { return show(upTo: end) }
        shown += delimiter
        hide(upTo: end)
        shown += delimiter
    }

    private mutating func endOfMember() -> Int {
        if let opening = quote(at: position) { return closing(opening).quote?.upperBound ?? bytes.count }
        guard position < bytes.count, Self.opensMember(bytes[position]) else {
            return end(from: position) { Self.isSpace($0) || Self.barewordEnds.contains($0) }
        }
        var depth = 0
        var index = position
        while index < bytes.count {
            if let opening = quote(at: index) {
                index = closing(opening).quote?.upperBound ?? bytes.count
                continue
            }
            if Self.opensMember(bytes[index]) { depth += 1 }
            if bytes[index] == UInt8(ascii: "}") || bytes[index] == UInt8(ascii: "]") { depth -= 1 }
            index += 1
            if depth == 0 { break }
        }
        return index
    }

    private static func opensMember(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    // MARK: Forms and attributes

    private mutating func passName() {
        let name = position..<end(from: position) { Self.isSpace($0) || Self.nameEnds.contains($0) }
        show(upTo: name.upperBound)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "="), Self.isSecret(bytes[name]) else { return }
        show(upTo: position + 1)
        hideValue()
    }

    private mutating func hideValue() {
        if let opening = quote(at: position) {
            show(upTo: opening.upperBound)
            return hide(upTo: closing(opening).quote?.lowerBound ?? bytes.count)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: "'") {
            show(upTo: position + 1)
            return hide(upTo: end(from: position) { $0 == UInt8(ascii: "'") })
        }
        let end = end(from: position) { Self.isSpace($0) || Self.valueEnds.contains($0) }
        if end > position { hide(upTo: end) }
    }

    // MARK: Elements

    private mutating func passTag() {
        let start = position + 1
        let name = start..<end(from: start) { Self.isSpace($0) || "></=\"".utf8.contains($0) }
        guard !name.isEmpty, Self.isSecret(bytes[name]) else { return show(upTo: start) }
        show(upTo: name.upperBound)
        hideAttributes()
        guard position < bytes.count, bytes[position] == UInt8(ascii: ">") else { return }
        let isEmpty = bytes[position - 1] == UInt8(ascii: "/")
        show(upTo: position + 1)
        guard !isEmpty else { return }
        let end = endOfElement(bytes[name])
        if end > position { hide(upTo: end) }
    }

    /// The rest of a tag, without the values in it.
    private mutating func hideAttributes() {
        while position < bytes.count, bytes[position] != UInt8(ascii: ">"), bytes[position] != UInt8(ascii: "<") {
            let isAssigned = bytes[position] == UInt8(ascii: "=")
            show(upTo: position + 1)
            if isAssigned { hideValue() }
        }
    }

    /// Where the end tag of that name begins.
    private func endOfElement(_ name: ArraySlice<UInt8>) -> Int {
        var index = position
        while let tag = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = tag + 1
            guard index < bytes.count, bytes[index] == UInt8(ascii: "/") else { continue }
            if bytes[(index + 1)...].starts(with: name) { return tag }
        }
        return bytes.count
    }
}

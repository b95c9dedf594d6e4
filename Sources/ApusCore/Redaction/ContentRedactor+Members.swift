extension ContentRedactor {
    /// An open object or array that may contain a name-value pair: `{"name": "password", "value": "…"}`.
    struct Scope {
        let start: Int
        let isObject: Bool
        /// The end of the string that contains it.
        var limit: Int
        /// Whether it is itself the value of a pair.
        let isValue: Bool
        /// Whether a member such as `name` holds the name of a secret.
        var namesSecret = false
        /// The value of a member `key`. It is a name if the object has a member `value`, and otherwise a secret.
        var key: Cut?
        var values: [Cut] = []
        /// The start of a pair's value that is an object or an array.
        var containerOfValue = -1
    }

    private static let deepestScope = 256
    /// Members, attributes and elements whose value is a name.
    static let pairNames: Set<String> = [
        "name", "key", "k", "n", "field", "header", "param", "parameter", "property", "attribute", "variable",
        "itemprop",
    ]
    private static let pairValues: Set<String> = [
        "value", "values", "v", "val", "content", "data", "text", "#text", "_", "$",
    ]

    // MARK: Names

    mutating func passQuote() {
        line.pass(bytes[position])
        guard let opening = quote(at: position) else {
            position = max(position + 1, end(from: position) { $0 != UInt8(ascii: "\\") })
            return
        }
        let closing = closing(opening)
        let value = closing.quote.flatMap { _ in valueOfMember(closing.behind) }
        var limit = limit
        if opening.count == 1, value != nil, limit < .max { alignStrings(&limit) }
        if opening.count == 1, limit == .max { stringEnd = closing.quote?.upperBound ?? bytes.count }
        guard let quote = closing.quote, let value else {
            // This quote may also close a string, so the next one may begin a name.
            position = opening.upperBound
            return
        }
        position = opening.upperBound
        passMember(opening.upperBound..<quote.lowerBound, value: value, quote: opening, limit: limit)
    }

    /// Handles a name in single quotes, as in JavaScript. Scans no further than the next single quote.
    mutating func passApostrophe() {
        line.pass(bytes[position])
        let start = position + 1
        position = start
        if start > 1, Self.isWord(bytes[start - 2]) { return }
        let end = end(from: start) { $0 == UInt8(ascii: "'") }
        guard end < bytes.count, let value = valueOfMember(endOfSpace(end + 1)) else { return }
        passMember(start..<end, value: value, quote: start - 1..<start, limit: limit)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
    }

    /// Returns the start of a member's value, if `sign` is the separator after its name.
    private func valueOfMember(_ sign: Int) -> Int? {
        switch byte(at: sign) {
        case UInt8(ascii: ":"): endOfSpace(sign + 1)
        case UInt8(ascii: "=") where byte(at: sign + 1) == UInt8(ascii: ">"): endOfSpace(sign + 2)
        default: nil
        }
    }

    private mutating func passMember(_ name: Range<Int>, value: Int, quote: Range<Int>, limit: Int) {
        guard SecretName.isSecret(escaped: bytes[name]) else { return note(name, value: value, quote: quote, limit) }
        if mayBePair(name, value: value, limit) { return }
        position = value
        hideMember(quote)
    }

    /// Cuts out the value at the current position.
    private mutating func hideMember(_ quote: Range<Int>) {
        if hideString() || hideContainer(quote) { return }
        let end = end(from: position) { Self.isSpace($0) || Self.wordEnds.contains($0) }
        hide(Cut(range: position..<end, quote: quote))
        position = end
    }

    /// Cuts out the contents of the string at the current position. Returns `false` if there is none.
    mutating func hideString() -> Bool {
        if let opening = quote(at: position) {
            let quote = closing(opening).quote
            hide(Cut(range: opening.upperBound..<(quote?.lowerBound ?? bytes.count)))
            position = quote?.upperBound ?? bytes.count
            return true
        }
        guard let string = string(at: position) else { return false }
        hide(Cut(range: string.content))
        position = string.end
        return true
    }

    /// Cuts out the object or array at the current position. Returns `false` if there is none.
    mutating func hideContainer(_ quote: Range<Int>) -> Bool {
        guard let byte = byte(at: position), Self.opensScope(byte) else { return false }
        var depth = 0
        var index = position
        while index < bytes.count {
            if let opening = self.quote(at: index) {
                index = closing(opening).quote?.upperBound ?? bytes.count
                continue
            }
            if Self.opensScope(bytes[index]) { depth += 1 }
            if bytes[index] == UInt8(ascii: "}") || bytes[index] == UInt8(ascii: "]") { depth -= 1 }
            index += 1
            if depth == 0 { break }
        }
        hide(Cut(range: position..<index, quote: quote))
        position = index
        return true
    }

    private static func opensScope(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    // MARK: Pairs

    /// The end of the string that contains the current position.
    private var limit: Int { position < stringEnd ? stringEnd : .max }

    /// Corrects `limit` if an assumed closing quote begins a member's name, after a preceding unbalanced quote.
    private mutating func alignStrings(_ limit: inout Int) {
        switch byte(aheadOf: position) {
        case UInt8(ascii: "{"): if let last = scopes.indices.last { scopes[last].limit = .max }
        case UInt8(ascii: ","): break
        default: return
        }
        limit = .max
    }

    /// Returns the index of the scope whose members are at the current position.
    private func object(_ limit: Int) -> Int? {
        guard deeperScopeCount == 0, let last = scopes.indices.last, scopes[last].isObject, scopes[last].limit == limit
        else { return nil }
        return last
    }

    /// Records a member that may be one half of a pair.
    mutating func note(_ name: Range<Int>, value: Int, quote: Range<Int> = 0..<0, _ limit: Int? = nil) {
        guard name.count <= 16, let object = object(limit ?? self.limit) else { return }
        let word = String(decoding: bytes[name], as: UTF8.self).lowercased()
        if Self.pairNames.contains(word) {
            if let string = string(at: value), SecretName.isSecret(escaped: bytes[string.content]) {
                scopes[object].namesSecret = true
            }
        } else if Self.pairValues.contains(word) {
            if let byte = byte(at: value), Self.opensScope(byte) {
                scopes[object].containerOfValue = value
            } else if let string = string(at: value) {
                scopes[object].values.append(Cut(range: string.content))
            } else {
                let end = end(from: value) { Self.isSpace($0) || Self.wordEnds.contains($0) }
                scopes[object].values.append(Cut(range: value..<end, quote: quote))
            }
        }
    }

    /// Records a text member `key`. It is a secret, unless there is a member `value` before or after it that it names.
    mutating func mayBePair(_ name: Range<Int>, value: Int, _ limit: Int? = nil) -> Bool {
        guard let object = object(limit ?? self.limit), name.count == 3,
            bytes[name].map({ $0 | 0x20 }) == Array("key".utf8), let string = string(at: value)
        else { return false }
        scopes[object].key = Cut(range: string.content)
        if SecretName.isSecret(escaped: bytes[string.content]) { scopes[object].namesSecret = true }
        return true
    }

    mutating func openScope() {
        line.pass(bytes[position])
        if bytes[position] == UInt8(ascii: "[") { hideSecondOfPair() }
        if scopes.count < Self.deepestScope {
            let isValue = scopes.last?.containerOfValue == position
            let isObject = bytes[position] == UInt8(ascii: "{")
            scopes.append(Scope(start: position, isObject: isObject, limit: limit, isValue: isValue))
        } else {
            deeperScopeCount += 1
        }
        position += 1
    }

    mutating func closeScope() {
        line.pass(bytes[position])
        let isObject = bytes[position] == UInt8(ascii: "}")
        let limit = limit
        position += 1
        if deeperScopeCount > 0 {
            deeperScopeCount -= 1
        } else if let last = scopes.last, last.limit == limit, last.isObject == isObject {
            leaveScope(end: position)
        }
    }

    mutating func leaveScopes(endingBy position: Int) {
        while let last = scopes.last, last.limit <= position {
            deeperScopeCount = 0
            leaveScope(end: min(last.limit, bytes.count))
        }
    }

    private mutating func leaveScope(end: Int) {
        guard let scope = scopes.popLast() else { return }
        if let key = scope.key, scope.values.isEmpty || RandomText.isLikely(bytes[key.range]) { hide(key) }
        if scope.namesSecret { for value in scope.values { hide(value) } }
        guard scope.isValue, let parent = scopes.indices.last else { return }
        scopes[parent].values.append(Cut(range: scope.start..<end, quote: 0..<0))
    }

    /// Detects `["password", "…"]` within an array of such pairs, and cuts out the second string.
    private mutating func hideSecondOfPair() {
        guard let ahead = byte(aheadOf: position), ahead == UInt8(ascii: "[") || ahead == UInt8(ascii: ","),
            let name = string(at: endOfSpace(position + 1)), SecretName.isSecret(escaped: bytes[name.content])
        else { return }
        let comma = endOfSpace(name.end)
        guard byte(at: comma) == UInt8(ascii: ","), let value = string(at: endOfSpace(comma + 1)),
            byte(at: endOfSpace(value.end)) == UInt8(ascii: "]")
        else { return }
        hide(Cut(range: value.content))
    }
}

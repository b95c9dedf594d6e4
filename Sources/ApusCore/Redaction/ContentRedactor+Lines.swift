extension ContentRedactor {
    /// The current line, which may begin with a name: `API key: …`, `- token: …`, `# password = …`.
    struct Line {
        let start: Int
        /// The number of words so far. `nil` after anything else.
        var wordCount: Int? = 0
        var last = 0..<0

        init(start: Int) {
            self.start = start
        }

        /// Records a byte that is not part of a word.
        mutating func pass(_ byte: UInt8) {
            // These bytes begin a comment or a quotation.
            if wordCount == 0, byte == UInt8(ascii: "#") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") {
                return
            }
            wordCount = nil
        }

        mutating func add(_ word: Range<Int>, isItemMark: Bool) {
            defer { last = word }
            guard let count = wordCount, !(isItemMark && count == 0) else { return }
            wordCount = count == 0 || word.lowerBound == last.upperBound + 1 ? count + 1 : nil
        }
    }

    /// A name with more words than this is a sentence.
    private static let longestName = 4
    /// In a sentence these words name no secret: "unexpected token: …".
    private static let ordinaryWords: Set<String> = [
        "auth", "authentication", "code", "key", "nonce", "pass", "pin", "private", "session", "sign", "signature",
        "token",
    ]
    /// Authentication schemes, which precede credentials.
    private static let schemes: Set<String> = [
        "apikey", "basic", "bearer", "digest", "dpop", "negotiate", "ntlm", "token",
    ]
    /// The values of these names may contain spaces.
    private static let spacedNames = ["authoriz", "authentic", "cookie"].map { Array($0.utf8) }

    /// The separator after a name, and the start of its value.
    private struct Assignment {
        let isColon: Bool
        /// Whether there is no white space around the separator, as in a form or an attribute.
        let isTight: Bool
        let value: Int
    }

    mutating func passName() {
        let name = position..<endOfName(position)
        position = name.upperBound
        guard let assignment = assignment(at: name.upperBound) else {
            let isItemMark = name.count == 1 && "-*+".utf8.contains(bytes[name.lowerBound])
            return line.add(name, isItemMark: isItemMark)
        }
        let begins = line.wordCount.map { $0 < Self.longestName } ?? false
        guard name.lowerBound != shownName, isSecret(name, assignment) else {
            if assignment.isColon { note(name, value: endOfSpace(assignment.value)) }
            if assignment.isTight, !assignment.isColon { hideEncoded(assignment.value) }
            return
        }
        if assignment.isColon, mayBePair(name, value: endOfSpace(assignment.value)) { return }
        position = assignment.value
        hideValue(of: name, assignment, begins: begins)
    }

    /// Returns the end of a name, which may contain brackets: `user[password]`.
    private func endOfName(_ start: Int) -> Int {
        var isInBrackets = false
        var index = start
        while index < bytes.count, !Self.isSpace(bytes[index]), !Self.nameEnds.contains(bytes[index]) {
            if bytes[index] == UInt8(ascii: "]"), !isInBrackets { break }
            if bytes[index] == UInt8(ascii: "[") { isInBrackets = true }
            if bytes[index] == UInt8(ascii: "]") { isInBrackets = false }
            index += 1
        }
        return index
    }

    private func isSecret(_ name: Range<Int>, _ assignment: Assignment) -> Bool {
        let isBehindWord = name.lowerBound == line.last.upperBound + 1 && !line.last.isEmpty
        let word = isBehindWord ? bytes[line.last] : []
        guard SecretName.isSecret(escaped: bytes[name], behind: word) else { return false }
        guard kind == .sentence, name.count <= 16 else { return true }
        let text = String(decoding: bytes[name], as: UTF8.self).lowercased()
        return assignment.isColon ? !Self.ordinaryWords.contains(text) : text != "code"
    }

    private func assignment(at end: Int) -> Assignment? {
        let sign = endOfBlank(end)
        let next = byte(at: sign + 1)
        var value = sign + 1
        var isColon = false
        switch byte(at: sign) {
        case UInt8(ascii: ":"):
            isColon = true
            // `://` follows the scheme of a URL, and `::` a namespace.
            if next == UInt8(ascii: ":") || next == UInt8(ascii: "/") && byte(at: sign + 2) == UInt8(ascii: "/") {
                return nil
            }
            if next == UInt8(ascii: "=") { value += 1 }
        case UInt8(ascii: "="):
            // `==` and `=~` are comparisons.
            if next == UInt8(ascii: "=") || next == UInt8(ascii: "~") { return nil }
            isColon = next == UInt8(ascii: ">")
            if isColon { value += 1 }
        default: return nil
        }
        let isTight = sign == end && byte(at: value).map { !Self.isSpace($0) } ?? true
        return Assignment(isColon: isColon, isTight: isTight, value: endOfBlank(value))
    }

    private func endOfBlank(_ start: Int) -> Int { end(from: start) { $0 != 0x20 && $0 != 0x09 } }

    // MARK: Values

    private mutating func hideValue(of name: Range<Int>, _ assignment: Assignment, begins: Bool) {
        let isPair = assignment.isTight && !assignment.isColon
        if !isPair, isLineEnd(position), let byte = byte(at: endOfSpace(position)), "\"'{[".utf8.contains(byte) {
            position = endOfSpace(position)
        }
        if hideString() || hideContainer(0..<0) { return }
        var value = position..<position
        if begins, !isPair {
            value = restOfLine(name)
        } else {
            value = position..<endOfValue(of: name, isPair: isPair)
        }
        hide(Cut(range: value))
        position = max(position, value.upperBound)
    }

    /// Cuts out a form value that contains secrets after percent-decoding.
    private mutating func hideEncoded(_ start: Int) {
        guard levels > 0, start >= encodedEnd else { return }
        let end = end(from: start) { Self.isSpace($0) || Self.valueEnds.contains($0) || $0 == UInt8(ascii: ";") }
        encodedEnd = end
        guard holdsEncodedSecret(String(decoding: bytes[start..<end], as: UTF8.self)) else { return }
        hide(Cut(range: start..<end))
        position = end
    }

    private func holdsEncodedSecret(_ text: String) -> Bool {
        var text = text
        for _ in 0..<levels {
            let decoded = PercentEncoding.decode(text)
            guard decoded != text else { return false }
            if ContentRedactor.takenOut(of: decoded, kind: kind, levels: levels - 1) != decoded { return true }
            text = decoded
        }
        return false
    }

    /// Cuts out the value of an attribute: a quoted string or a word.
    mutating func hideAttribute() {
        if hideString() { return }
        let end = end(from: position) { Self.isSpace($0) || Self.valueEnds.contains($0) }
        hide(Cut(range: position..<end))
        position = end
    }

    private func isLineEnd(_ index: Int) -> Bool {
        byte(at: index).map { $0 == 0x0A || $0 == 0x0D } ?? true
    }

    /// Returns the end of a value that other text may follow.
    private func endOfValue(of name: Range<Int>, isPair: Bool) -> Int {
        let ends = isPair ? Self.valueEnds : Self.wordEnds
        let wordEnd = end(from: position) { Self.isSpace($0) || ends.contains($0) }
        let word = String(decoding: bytes[position..<wordEnd].prefix(16), as: UTF8.self).lowercased()
        guard Self.schemes.contains(word) || isSpaced(name) else { return wordEnd }
        var index = position
        while true {
            index = end(from: index) { $0 == 0x0A || $0 == 0x0D || Self.valueEnds.contains($0) }
            guard bytes[index...].starts(with: Self.mark) else { return index }
            index += Self.mark.count
        }
    }

    private func isSpaced(_ name: Range<Int>) -> Bool {
        let letters = bytes[name].prefix(SecretName.longest).map { $0 | 0x20 }
        return Self.spacedNames.contains { word in
            letters.indices.contains { letters[$0...].starts(with: word) }
        }
    }

    /// Returns the rest of the line and the following lines that are indented further than the name.
    private func restOfLine(_ name: Range<Int>) -> Range<Int> {
        let column = name.lowerBound - line.start
        var lineEnd = end(from: position) { $0 == 0x0A || $0 == 0x0D }
        var end = lineEnd
        let isEmpty = end == position
        while kind == .content, lineEnd < bytes.count {
            let start = lineEnd + 1
            let text = endOfBlank(start)
            lineEnd = self.end(from: text) { $0 == 0x0A || $0 == 0x0D }
            // A value may contain empty lines.
            guard text < lineEnd else { continue }
            let isItem = isEmpty && text - start == column && bytes[text] == UInt8(ascii: "-")
            guard text - start > column || isItem else { break }
            end = lineEnd
        }
        let value = (isEmpty ? min(endOfSpace(position), end) : position)..<end
        return value.lowerBound..<(bytes[value].lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? value.lowerBound)
    }
}

extension ContentRedactor {
    /// The result of scanning a tag ahead of the current position.
    private struct Tag {
        /// The position of the `>` at its end, or of another byte that ends it.
        var end: Int
        /// Whether an attribute names a secret: `<input name="password" value="…">`.
        var namesSecret = false
        /// The values that belong to such a name.
        var values: [Range<Int>] = []
        /// The position of an attribute `key`.
        var key = -1
    }

    /// Attributes that hold the value of a name-value pair.
    private static let valueAttributes: Set<String> = ["value", "v", "val", "content", "data"]
    /// Elements that hold the value of the `<key>` before them.
    private static let valueElements: Set<String> = [
        "array", "base64", "boolean", "content", "data", "date", "dict", "double", "false", "i4", "i8", "int",
        "integer",
        "real", "string", "struct", "text", "true", "v", "val", "value",
    ]
    /// HTML elements that have a name but no body, or whose body is more than a value.
    private static let otherElements: Set<String> = [
        "a", "area", "base", "br", "embed", "fieldset", "form", "frame", "frameset", "hr", "iframe", "img", "input",
        "link",
        "map", "meta", "object", "param", "source", "track",
    ]
    private static let endOfTagName = ByteSet("></=\"'")

    mutating func passTag() {
        line.pass(bytes[position])
        let start = position + 1
        guard byte(at: start) != UInt8(ascii: "/") else {
            // `</a?token=b>` is a reference in angle brackets, not an end tag.
            let nameEnd = end(from: start + 1) { Self.isSpace($0) || Self.endOfTagName.contains($0) }
            position = byte(at: endOfSpace(nameEnd)) == UInt8(ascii: ">") ? nameEnd : start + 1
            return
        }
        let name = start..<end(from: start) { Self.isSpace($0) || Self.endOfTagName.contains($0) }
        position = name.upperBound
        guard !name.isEmpty else { return }
        let local = localName(name)
        if Self.pairNames.contains(local), passName(inElement: name, isKey: local == "key") { return }
        // In HTML, `code` marks program text.
        if !(local == "code" && isHTML), SecretName.isSecret(escaped: bytes[name]) { return hideElement(name) }
        let tag = tag(behind: name, isInput: local == "input")
        if tag.namesSecret || !tag.values.isEmpty { shownName = tag.key }
        guard tag.namesSecret else { return }
        for value in tag.values { hide(Cut(range: value)) }
        guard tag.values.isEmpty, skipped == nil, !Self.otherElements.contains(local),
            byte(at: tag.end) == UInt8(ascii: ">"), bytes[tag.end - 1] != UInt8(ascii: "/")
        else { return }
        let content = tag.end + 1..<endOfElement(name, from: tag.end + 1)
        hide(Cut(range: content))
        if !content.isEmpty { skipped = content }
    }

    /// Returns a short name without its prefix, in lower case.
    private func localName(_ name: Range<Int>) -> String {
        guard name.count <= 64 else { return "" }
        let local =
            bytes[name].lastIndex(of: UInt8(ascii: ":")).map { bytes[($0 + 1)..<name.upperBound] } ?? bytes[name]
        return String(decoding: local, as: UTF8.self).lowercased()
    }

    // MARK: Elements

    private mutating func hideElement(_ name: Range<Int>) {
        position = name.upperBound
        while position < bytes.count, bytes[position] != UInt8(ascii: ">"), bytes[position] != UInt8(ascii: "<") {
            let isAssigned = bytes[position] == UInt8(ascii: "=")
            position = isAssigned ? endOfSpace(position + 1) : position + 1
            if isAssigned { hideAttribute() }
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: ">") else { return }
        let isEmpty = bytes[position - 1] == UInt8(ascii: "/")
        position += 1
        guard !isEmpty else { return }
        hideContent(of: name)
    }

    private mutating func hideContent(of name: Range<Int>) {
        let end = endOfElement(name, from: position)
        hide(Cut(range: position..<end))
        position = end
    }

    /// Handles `<key>password</key><string>…</string>`: passes the first element and hides the value of a secret name.
    ///
    /// - Returns: Whether the body of the element may be shown. For a `key`, only if it is part of such a pair.
    private mutating func passName(inElement name: Range<Int>, isKey: Bool) -> Bool {
        guard byte(at: name.upperBound) == UInt8(ascii: ">") else { return false }
        let text = name.upperBound + 1..<end(from: name.upperBound + 1) { $0 == UInt8(ascii: "<") }
        guard text.count <= SecretName.longest, isTag(text.upperBound, "</", name) else { return false }
        let tagEnd = end(from: text.upperBound) { $0 == UInt8(ascii: ">") }
        let next = endOfSpace(tagEnd + 1)
        guard byte(at: next) == UInt8(ascii: "<") else { return false }
        let value = next + 1..<end(from: next + 1) { Self.isSpace($0) || Self.endOfTagName.contains($0) }
        guard Self.valueElements.contains(localName(value)) else { return false }
        position = text.upperBound
        if isKey, RandomText.isLikely(bytes[text]) { hide(Cut(range: text)) }
        if SecretName.isSecret(escaped: bytes[text]) { hideElement(value) }
        return true
    }

    /// Whether a tag with this name begins at an index.
    private func isTag(_ index: Int, _ opening: String, _ name: Range<Int>) -> Bool {
        guard bytes[index...].starts(with: opening.utf8) else { return false }
        let start = index + opening.utf8.count
        let isCalled = bytes[start...].starts(with: bytes[name]) { one, other in
            one == other || one | 0x20 == other | 0x20 && (0x61...0x7A).contains(one | 0x20)
        }
        return isCalled
            && byte(at: start + name.count).map { Self.isSpace($0) || Self.endOfTagName.contains($0) } ?? true
    }

    /// Returns the start of the end tag of the element whose body begins at `start`.
    private func endOfElement(_ name: Range<Int>, from start: Int) -> Int {
        var index = start
        var depth = 0
        while index < bytes.count, let tag = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = tag + 1
            if bytes[tag...].starts(with: "<![CDATA[".utf8) {
                index = endOfCharacterData(tag)
            } else if isTag(tag, "</", name) {
                if depth == 0 { return tag }
                depth -= 1
            } else if isTag(tag, "<", name) {
                let end = end(from: index) { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") }
                if byte(at: end) == UInt8(ascii: ">"), bytes[end - 1] != UInt8(ascii: "/") { depth += 1 }
                index = end
            }
        }
        return bytes.count
    }

    private func endOfCharacterData(_ start: Int) -> Int {
        var index = start
        while index < bytes.count, let bracket = bytes[index...].firstIndex(of: UInt8(ascii: "]")) {
            if bytes[bracket...].starts(with: "]]>".utf8) { return bracket + 3 }
            index = bracket + 1
        }
        return bytes.count
    }

    // MARK: Attributes

    /// Scans the attributes of a tag without advancing the position.
    private func tag(behind element: Range<Int>, isInput: Bool) -> Tag {
        var tag = Tag(end: element.upperBound)
        while let byte = byte(at: tag.end), byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") {
            let name = tag.end..<end(from: tag.end) { Self.isSpace($0) || Self.endOfTagName.contains($0) }
            guard !name.isEmpty else {
                tag.end += 1
                continue
            }
            tag.end = name.upperBound
            let sign = endOfSpace(name.upperBound)
            guard self.byte(at: sign) == UInt8(ascii: "=") else { continue }
            let start = endOfSpace(sign + 1)
            var value = start..<start
            if let string = string(at: start) {
                value = string.content
                tag.end = string.end
            } else {
                value = start..<end(from: start) { Self.isSpace($0) || Self.valueEnds.contains($0) }
                tag.end = value.upperBound
            }
            let attribute = localName(name)
            if attribute == "key" { tag.key = name.lowerBound }
            note(attribute, value, isInput: isInput, in: &tag)
        }
        return tag
    }

    private func note(_ attribute: String, _ value: Range<Int>, isInput: Bool, in tag: inout Tag) {
        if Self.pairNames.contains(attribute) {
            if SecretName.isSecret(escaped: bytes[value]) { tag.namesSecret = true }
        } else if isInput, attribute == "type" {
            if bytes[value].map({ $0 | 0x20 }) == Array("password".utf8) { tag.namesSecret = true }
        } else if Self.valueAttributes.contains(attribute), !value.isEmpty {
            tag.values.append(value)
        }
    }
}

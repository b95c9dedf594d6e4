/// Formats XML for display: one element per line, indented and colored.
///
/// An element that contains text stays unchanged with all its descendants, since its white space may matter. The same
/// holds for `xml:space="preserve"`. Text is rejected if it is not well-formed, declares entities, or is nested deeper
/// than `XMLMarkup.depthLimit`.
struct XMLFormatter {
    /// The number of spaces per level.
    var indentation = 2
    /// The colors of names, attributes, comments and declarations.
    var palette = Palette.plain
    /// Whether to break and indent lines. If not, only colors are added.
    var isLaidOut = true

    /// Whether the text is known to be UTF-8, regardless of its XML declaration.
    var isUTF8 = true

    /// Returns the formatted text, or `nil` if the input is rejected or the output would be disproportionately long.
    func format(_ bytes: [UInt8]) -> [UInt8]? {
        guard let markup = XMLMarkup(bytes, isUTF8: isUTF8) else { return nil }
        return isLaidOut ? laidOut(markup) : colored(markup)
    }

    private func colored(_ markup: XMLMarkup) -> [UInt8] {
        var writer = Writer(text: markup.text, palette: palette)
        var end = 0
        for token in markup.tokens {
            writer.show(end..<token.range.lowerBound)
            writer.write(token, isNormalized: false)
            end = token.range.upperBound
        }
        writer.show(end..<markup.text.count)
        return writer.output
    }

    private func laidOut(_ markup: XMLMarkup) -> [UInt8]? {
        let asTheyAre = Self.elementsToKeep(markup)
        var writer = Writer(text: markup.text, palette: palette)
        let limit = max(1 << 20, 16 * markup.text.count)
        var depth = 0
        // The number of open elements, counted from the outermost unchanged one.
        var kept = 0
        for (index, token) in markup.tokens.enumerated() {
            guard writer.output.count <= limit else { return nil }
            if kept > 0 {
                kept += token.kind == .begin ? 1 : token.kind == .end ? -1 : 0
                writer.write(token, isNormalized: token.kind == .end && kept == 0)
                continue
            }
            if token.kind == .text { continue }
            if token.kind == .end { depth -= 1 }
            writer.breakLine(spaces: depth * indentation)
            writer.write(token, isNormalized: true)
            guard token.kind == .begin else { continue }
            if asTheyAre.contains(index) { kept = 1 } else { depth += 1 }
        }
        return writer.output
    }

    /// Returns the indices of the tokens that begin an element to leave unchanged.
    private static func elementsToKeep(_ markup: XMLMarkup) -> Set<Int> {
        struct Element {
            let index: Int
            var hasText: Bool
            var hasMarkup = false
        }
        var open: [Element] = []
        var kept: Set<Int> = []
        for (index, token) in markup.tokens.enumerated() {
            if token.kind == .end {
                if let element = open.popLast(), element.hasText || !element.hasMarkup { kept.insert(element.index) }
                continue
            }
            if !open.isEmpty {
                switch token.kind {
                case .characterData: open[open.count - 1].hasText = true
                case .text: if !markup.isBlank(token) { open[open.count - 1].hasText = true }
                default: open[open.count - 1].hasMarkup = true
                }
            }
            if token.kind == .begin {
                open.append(Element(index: index, hasText: markup.preserving.contains(index)))
            }
        }
        return kept
    }
}

extension XMLFormatter {
    /// Writes parts of a text in their colors, safe for a terminal.
    private struct Writer {
        let text: [UInt8]
        let palette: Palette
        var output: [UInt8] = []

        mutating func breakLine(spaces: Int) {
            if !output.isEmpty { output.append(0x0A) }
            output.append(contentsOf: repeatElement(0x20, count: spaces))
        }

        /// Writes a token. With `isNormalized`, white space inside a tag becomes one space.
        mutating func write(_ token: XMLMarkup.Token, isNormalized: Bool) {
            switch token.kind {
            case .begin, .empty, .end: writeTag(token.range, isNormalized: isNormalized)
            case .text, .characterData: show(token.range)
            case .comment, .instruction, .documentType: show(token.range, as: .note)
            }
        }

        private mutating func writeTag(_ range: Range<Int>, isNormalized: Bool) {
            let tag = XMLTag(text, in: range)
            var end = tag.name.upperBound
            show(range.lowerBound..<tag.name.lowerBound)
            show(tag.name, as: .key)
            for attribute in tag.attributes {
                if isNormalized { output.append(0x20) } else { show(end..<attribute.name.lowerBound) }
                show(attribute.name, as: .fieldName)
                if isNormalized {
                    output.append(UInt8(ascii: "="))
                } else {
                    show(attribute.name.upperBound..<attribute.value.lowerBound)
                }
                show(attribute.value, as: .string)
                end = attribute.value.upperBound
            }
            show(isNormalized ? tag.end : end..<range.upperBound)
        }

        mutating func show(_ range: Range<Int>, as role: Palette.Role? = nil) {
            guard !range.isEmpty else { return }
            var shown: [UInt8] = []
            var filter = TerminalText()
            filter.append(text[range], to: &shown)
            filter.finish(into: &shown)
            if let role { palette.paint(shown[...], as: role, into: &output) } else { output += shown }
        }
    }
}

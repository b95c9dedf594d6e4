internal import Apus

/// Formats JSON for display: one member per line, indented and colored. Numbers stay as received, and so does the
/// order of members, unless sorting is requested.
///
/// The output is JSON with the same values, safe for a terminal. Invalid JSON, and JSON nested deeper than
/// `depthLimit`, is not formatted.
struct JSONFormatter {
    /// The maximum depth. Deeper JSON would be indented far beyond the width of any terminal.
    static let depthLimit = 1000

    /// The number of spaces per level.
    var indentation = 4
    /// The colors of names, strings, numbers and words.
    var palette = Palette.plain
    /// Whether to break and indent lines. If not, the white space stays as received and only colors are added.
    var isLaidOut = true
    /// Whether to sort the members of objects by name.
    var sortsKeys = false

    /// Returns the formatted text, or `nil` for invalid JSON or disproportionate output: a thousand brackets before a
    /// million numbers would produce gigabytes of spaces. Drops a byte order mark, and keeps a guard against running
    /// the JSON as a script.
    func format(_ text: [UInt8]) -> [UInt8]? {
        let (ahead, start) = JSONPrefix.split(text)
        guard start > 0 else { return formatted(text) }
        return formatted(Array(text[start...])).map { Self.shown(ahead) + $0 }
    }

    private func formatted(_ text: [UInt8]) -> [UInt8]? {
        guard sortsKeys else { return laidOut(text) }
        return JSONKeyOrder.sorted(text).flatMap(laidOut)
    }

    private func laidOut(_ text: [UInt8]) -> [UInt8]? {
        var reader = JSONReader(depthLimit: Self.depthLimit)
        var output: [UInt8] = []
        output.reserveCapacity(text.count + text.count / 2)
        let limit = max(1 << 20, 16 * text.count)
        var position = Position.start
        var end = 0
        do {
            while let token = try reader.next(in: text) {
                guard output.count <= limit else { return nil }
                let range = token.range ?? reader.position - 1..<reader.position
                if isLaidOut {
                    layOut(token, reader.depth, &position, into: &output)
                } else {
                    output += Self.shown(text[end..<range.lowerBound])
                    end = range.upperBound
                }
                emit(text[range], of: token, into: &output)
                if isLaidOut, case .key = token { output += [UInt8(ascii: ":"), 0x20] }
            }
        } catch {
            return nil
        }
        return isLaidOut ? output : output + Self.shown(text[end...])
    }

    /// The position of the next token in its container.
    private enum Position {
        case start, first, next, afterKey
    }

    /// Writes the separator before a token: a comma, a line feed and the indentation.
    private func layOut(_ token: JSONReader.Token, _ depth: Int, _ position: inout Position, into output: inout [UInt8])
    {
        switch token {
        case .endObject, .endArray:
            if position != .first { breakLine(depth: depth, into: &output) }
            position = .next
        case .beginObject, .beginArray:
            lead(position, depth: depth - 1, into: &output)
            position = .first
        case .key:
            lead(position, depth: depth, into: &output)
            position = .afterKey
        case .string, .number, .literal:
            lead(position, depth: depth, into: &output)
            position = .next
        }
    }

    private func lead(_ position: Position, depth: Int, into output: inout [UInt8]) {
        switch position {
        case .start, .afterKey: break
        case .first: breakLine(depth: depth, into: &output)
        case .next:
            output.append(UInt8(ascii: ","))
            breakLine(depth: depth, into: &output)
        }
    }

    private func breakLine(depth: Int, into output: inout [UInt8]) {
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: depth * indentation))
    }

    private func emit(_ text: ArraySlice<UInt8>, of token: JSONReader.Token, into output: inout [UInt8]) {
        switch token {
        case .beginObject, .endObject, .beginArray, .endArray: output += text
        case .number: palette.paint(text, as: .number, into: &output)
        case .literal: palette.paint(text, as: .word, into: &output)
        case .key: palette.paint(safe(text)[...], as: .key, into: &output)
        case .string: palette.paint(safe(text)[...], as: .string, into: &output)
        }
    }

    private func safe(_ token: ArraySlice<UInt8>) -> [UInt8] {
        Self.shown(JSONEscape.readable(token))
    }

    /// White space between tokens must be escaped too, since a carriage return controls the terminal.
    private static func shown(_ text: some Sequence<UInt8>) -> [UInt8] {
        var shown: [UInt8] = []
        var filter = TerminalText()
        filter.append(text, to: &shown)
        filter.finish(into: &shown)
        return shown
    }
}

extension JSONReader.Token {
    /// The range of the token, or `nil` for a bracket, which is the last byte read.
    fileprivate var range: Range<Int>? {
        switch self {
        case .beginObject, .endObject, .beginArray, .endArray: nil
        case .key(let range), .string(let range), .number(let range), .literal(let range): range
        }
    }
}

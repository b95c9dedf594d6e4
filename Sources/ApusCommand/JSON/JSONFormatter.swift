internal import Apus

/// Lays JSON text out for reading: a member a line, indented, coloured; numbers as they came, and the order too, unless
/// it is asked for another.
///
/// What it writes is JSON with the same values, safe for a terminal. Text that is no JSON, or nested deeper than
/// `depthLimit`, is not touched at all.
struct JSONFormatter {
    /// Deeper text is not laid out: indented by four, it would be wider than any terminal long before.
    static let depthLimit = 1000

    /// Spaces a level.
    var indentation = 4
    /// The colours of names, strings, numbers and words.
    var palette = Palette.plain
    /// Whether lines are broken and indented; else the white space stays as it came, and only colours are added.
    var isLaidOut = true
    /// Whether the members of objects are shown by name.
    var sortsKeys = false

    /// The text as it is to be shown; `nil` where it is no JSON, or would grow out of proportion: a thousand brackets
    /// ahead of a million numbers are gigabytes of spaces. A byte order mark is left out; what guards the JSON from
    /// being run as a script stays ahead of it.
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

    /// Where the next token stands, in its container.
    private enum Position {
        case start, first, next, afterKey
    }

    /// Writes what belongs ahead of a token: a comma, a new line, the indentation.
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

    /// What stands between tokens can steer a terminal too: a carriage return is white space.
    private static func shown(_ text: some Sequence<UInt8>) -> [UInt8] {
        var shown: [UInt8] = []
        var filter = TerminalText()
        filter.append(text, to: &shown)
        filter.finish(into: &shown)
        return shown
    }
}

extension JSONReader.Token {
    /// Where the token stands; `nil` for a bracket, which is the last byte that was read.
    fileprivate var range: Range<Int>? {
        switch self {
        case .beginObject, .endObject, .beginArray, .endArray: nil
        case .key(let range), .string(let range), .number(let range), .literal(let range): range
        }
    }
}

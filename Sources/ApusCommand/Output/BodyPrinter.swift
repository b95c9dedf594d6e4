internal import Apus
internal import Foundation

/// Converts the bytes of a body to the text to show, piece by piece.
///
/// | output | body | shown |
/// |---|---|---|
/// | a pipe or file | anything | unchanged bytes, as they arrive |
/// | a terminal | text | as it arrives, with control characters escaped |
/// | formatted | JSON, XML | indented and colored once complete, up to `bufferLimit` |
/// | formatted | a stream of lines, or `--stream` | JSON line by line, but UTF-16 and UTF-32 once complete |
/// | a terminal | binary data | a note |
struct BodyPrinter {
    /// The maximum size of a body that is buffered for formatting. A longer one is shown unformatted.
    static let bufferLimit = 10 << 20

    /// The text shown instead of binary data.
    static let note = """
        +-----------------------------------------+
        | NOTE: binary data not shown in terminal |
        +-----------------------------------------+
        """

    private enum Mode {
        /// Unchanged bytes.
        case raw
        /// Safe text, as it arrives.
        case text
        /// Held until the end of the body.
        case whole
        /// Held until the end of each line.
        case lines
        /// Nothing more to show.
        case over
    }

    private let description: ContentDescription
    private let formatter: ContentFormatter?
    private let palette: Palette
    private var mode: Mode
    private var held: [UInt8] = []
    private var filter = TerminalText()

    /// - Parameters:
    ///   - contentType: The value of the `Content-Type` field.
    ///   - style: The style of the output.
    ///   - override: The media type and charset that the user set.
    init(contentType: String?, style: OutputStyle, override: ContentOverride = ContentOverride()) {
        description = ContentDescription(contentType, override: override)
        palette = style.palette
        let showsLines = (style.streams || description.isStreamOfLines) && !description.hasWideUnits
        formatter = ContentFormatter(description, style: style, isLineByLine: showsLines)
        if !style.isSafe {
            mode = .raw
        } else if showsLines {
            mode = formatter == nil && description.isUTF8 ? .text : .lines
        } else {
            mode = formatter != nil || !description.isUTF8 ? .whole : .text
        }
    }

    /// Appends the text to show for `bytes`. Returns whether to continue with the body.
    mutating func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool {
        if mode == .raw {
            output.append(contentsOf: bytes)
            return true
        }
        // UTF-16 and UTF-32 contain zeros. Any other body that contains one is binary.
        if mode != .over, !description.hasWideUnits, bytes.contains(0) {
            showNote(into: &output)
        }
        switch mode {
        case .raw: break
        case .text: filter.append(bytes, to: &output)
        case .whole:
            held.append(contentsOf: bytes)
            if held.count > Self.bufferLimit {
                mode = .text
                filter.append(held, to: &output)
                held = []
            }
        case .lines:
            // The held bytes contain no line feed, so search only the new ones.
            var searched = held.count
            held.append(contentsOf: bytes)
            var start = 0
            while let end = held[searched...].firstIndex(of: 0x0A) {
                show(Array(held[start...end]), into: &output)
                start = end + 1
                searched = start
            }
            held.removeSubrange(..<start)
            if held.count > Self.bufferLimit {
                show(held, into: &output)
                held = []
            }
        case .over: return false
        }
        return true
    }

    /// Appends the held text.
    mutating func finish(into output: inout [UInt8]) {
        switch mode {
        case .whole, .lines: show(held, into: &output)
        case .text: filter.finish(into: &output)
        case .raw, .over: break
        }
        held = []
        mode = .over
    }

    private mutating func showNote(into output: inout [UInt8]) {
        mode = .over
        held = []
        for line in Self.note.split(separator: "\n") {
            palette.paint(String(line), as: .note, into: &output)
            output.append(0x0A)
        }
    }

    /// Shows a complete piece of text.
    private func show(_ piece: [UInt8], into output: inout [UInt8]) {
        let text = description.isUTF8 ? piece : decoded(piece)
        if let formatter, let laidOut = formatter.format(text) {
            output += laidOut
            if formatter.isLaidOut, text.last == 0x0A { output.append(0x0A) }
            return
        }
        var filter = TerminalText()
        filter.append(text, to: &output)
        filter.finish(into: &output)
    }

    /// Returns the text in UTF-8, or unchanged if it is invalid in its charset.
    private func decoded(_ piece: [UInt8]) -> [UInt8] {
        description.encoding?.string(Data(piece)).map { Array($0.utf8) } ?? piece
    }
}

internal import Apus
internal import Foundation

/// Turns the bytes of a content into what is shown of it, piece by piece.
///
/// | output | content | shown |
/// |---|---|---|
/// | a pipe or file | anything | the very bytes, as they come |
/// | a terminal | text | as it comes, safe for the terminal |
/// | formatted | JSON, XML | laid out and coloured once all is here, up to `bufferLimit` |
/// | formatted | a stream of lines, or `--stream` | JSON laid out line by line; UTF-16 and UTF-32 as a whole |
/// | a terminal | bytes that are no text | a note |
struct BodyPrinter {
    /// The content that is waited for before it is laid out; more than that is shown as it comes.
    static let bufferLimit = 10 << 20

    /// What stands in for bytes that are no text.
    static let note = """
        +-----------------------------------------+
        | NOTE: binary data not shown in terminal |
        +-----------------------------------------+
        """

    private enum Mode {
        /// Every byte as it is.
        case raw
        /// Safe text as it comes.
        case text
        /// Held back until the end.
        case whole
        /// Held back until the end of the line.
        case lines
        /// Nothing more is shown.
        case over
    }

    private let description: ContentDescription
    private let formatter: ContentFormatter?
    private let palette: Palette
    private var mode: Mode
    private var held: [UInt8] = []
    private var filter = TerminalText()

    /// - Parameters:
    ///   - contentType: What the message says about its content.
    ///   - style: How the output is to look.
    ///   - override: What the user says about the content.
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

    /// Appends what is to be shown of `bytes` now; returns whether more of the content is wanted.
    mutating func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) -> Bool {
        if mode == .raw {
            output.append(contentsOf: bytes)
            return true
        }
        // UTF-16 and its like are full of zeros; everything else that has one is no text.
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
            // What was held has no line feed, or it would not be held.
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

    /// Appends what was held back.
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

    /// Shows a piece of text that is here as a whole.
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

    /// The text in UTF-8; as it is if it is not in its charset.
    private func decoded(_ piece: [UInt8]) -> [UInt8] {
        description.encoding?.string(Data(piece)).map { Array($0.utf8) } ?? piece
    }
}

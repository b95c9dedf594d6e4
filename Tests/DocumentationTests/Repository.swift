internal import Foundation

/// The documents and sources of the checkout that contains these tests.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Returns the sorted paths of the files below a folder whose names end with a suffix.
    static func files(below folder: String, ending suffix: String) throws -> [String] {
        let found = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path())
        return found.filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
    }
}

/// Swift code in a document.
struct CodeBlock: CustomStringConvertible {
    let path: String
    let line: Int
    let lines: [String]

    var description: String { "\(path):\(line)" }

    /// The texts that the samples must contain: without imports, and split where code was omitted.
    var pieces: [String] {
        lines.filter { !$0.hasPrefix("import ") }
            .split { $0.trimmingCharacters(in: .whitespaces) == "…" }
            .map { $0.joined(separator: "\n").withSingleSpaces }
            .filter { !$0.isEmpty }
    }

    /// Returns the code blocks of a Markdown document.
    static func blocks(inDocument path: String) throws -> [CodeBlock] {
        blocks(try Repository.text(path).lines, path)
    }

    /// Returns the code blocks in the documentation comments of a source.
    static func blocks(inSource path: String) throws -> [CodeBlock] {
        let lines = try Repository.text(path).lines.map { line in
            let trimmed = line.drop { $0 == " " }
            guard trimmed.hasPrefix("///") else { return "" }
            let comment = trimmed.dropFirst(3)
            return String(comment.first == " " ? comment.dropFirst() : comment)
        }
        return blocks(lines, path)
    }

    /// Returns the code in the first cells of a Markdown document's tables, except in header rows, as one block each.
    static func firstCells(inDocument path: String) throws -> [CodeBlock] {
        try cells(inDocument: path) { $0.first }
    }

    /// Returns the code in the last cells of a Markdown document's tables, except in header rows, as one block each.
    static func lastCells(inDocument path: String) throws -> [CodeBlock] {
        try cells(inDocument: path) { $0.last }
    }

    private static func cells(
        inDocument path: String,
        _ choose: ([Substring]) -> Substring?
    ) throws -> [CodeBlock] {
        let lines = try Repository.text(path).lines
        return lines.indices.flatMap { index -> [CodeBlock] in
            let (line, next) = (lines[index], lines.indices.contains(index + 1) ? lines[index + 1] : "")
            guard line.hasPrefix("| "), line.hasSuffix(" |"), !next.hasPrefix("|---") else { return [] }
            let cell = choose(line.dropFirst(2).dropLast(2).split(separator: " | ")) ?? ""
            // The spans with odd numbers are between two backticks.
            let spans = cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            return spans.filter { $0.offset % 2 == 1 }
                .map { CodeBlock(path: path, line: index + 1, lines: [String($0.element)]) }
        }
    }

    private static func blocks(_ lines: [String], _ path: String) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var begin: Int?
        for (index, line) in lines.enumerated() {
            if line == "```swift" {
                begin = index + 1
            } else if line == "```", let first = begin {
                blocks.append(CodeBlock(path: path, line: first + 1, lines: Array(lines[first..<index])))
                begin = nil
            }
        }
        return blocks
    }
}

extension String {
    /// The lines, including empty ones.
    var lines: [String] { split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    /// The text with each run of white space replaced by one space.
    var withSingleSpaces: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

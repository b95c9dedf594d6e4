internal import Apus
internal import Foundation

/// The transfers of a queue as text, for `--list`: a line of JSON for each, or a table.
///
/// ```json
/// {"id":"6f1c…","state":"paused","url":"https://example.org/a","file":"/a","bytes":5,"priority":0,"error":null}
/// ```
///
/// Each line has all members, in this order. `bytes` are those so far, and `error` is the latest failure. The URL and
/// the error are without secrets.
struct QueueListing {
    /// A line of the list.
    private struct Item {
        let id: String
        let state: String
        let url: String
        let file: String
        let byteCount: Int64
        let priority: Int
        let error: String?

        init(_ queued: QueuedTransfer) {
            id = queued.id.rawValue
            state = queued.state.rawValue
            url = Redaction.url(queued.transfer.url)
            file = queued.transfer.destination.path(percentEncoded: false)
            byteCount = queued.currentByteCount
            priority = queued.transfer.priority.rawValue
            // A transfer that has finished after a retry has none.
            error = queued.state == .finished ? nil : queued.failure?.text
        }

        /// The cells of the table.
        var cells: [String] {
            [id, state, ByteCount.text(byteCount), "\(priority)", file, url].map { TerminalText.line($0) }
        }
    }

    private static let titles = ["ID", "STATE", "BYTES", "PRIORITY", "FILE", "URL"]
    /// The columns with numbers, which are aligned to the right.
    private static let numbers = 2...3

    private let items: [Item]

    init(_ transfers: [QueuedTransfer]) {
        items = transfers.map { Item($0) }
    }

    /// A line of JSON for each transfer. Empty without any.
    var lines: String {
        items.map { item in
            JSONLine.text([
                ("id", JSONLine.quoted(item.id)), ("state", JSONLine.quoted(item.state)),
                ("url", JSONLine.quoted(item.url)), ("file", JSONLine.quoted(item.file)),
                ("bytes", JSONLine.number(item.byteCount)), ("priority", JSONLine.number(item.priority)),
                ("error", JSONLine.quoted(item.error)),
            ])
        }
        .joined()
    }

    /// A table with a row for each transfer, and its failure below. Empty without any.
    var table: String {
        guard !items.isEmpty else { return "" }
        let rows = items.map(\.cells)
        let widths = Self.titles.indices.map { column in
            ([Self.titles] + rows).map { $0[column].count }.max() ?? 0
        }
        var text = Self.line(Self.titles, widths)
        for (item, row) in zip(items, rows) {
            text += Self.line(row, widths)
            if let error = item.error { text += "  \(TerminalText.line(error))\n" }
        }
        return text
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { column -> String in
            guard column < cells.count - 1 else { return cells[column] }
            let gap = String(repeating: " ", count: widths[column] - cells[column].count)
            return numbers.contains(column) ? gap + cells[column] : cells[column] + gap
        }
        return padded.joined(separator: "  ") + "\n"
    }
}

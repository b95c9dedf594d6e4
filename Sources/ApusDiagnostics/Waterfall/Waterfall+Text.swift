internal import ApusCore

extension Waterfall {
    /// Returns the chart for a terminal or a log: a line for each exchange, between a scale and a legend.
    ///
    /// ```
    ///                        0          5 ms       10 ms      15 ms
    /// GET  /users/1      200 ░▒▒▓▓▓▓▓▓▓▓▓▓▓▀──────█┊          ┊         14.1 ms
    /// ```
    ///
    /// - Parameters:
    ///   - columns: The maximum width, at least 40. Default: 80.
    ///   - colors: Whether phases differ by color instead of by pattern, drawn in fractions of a column. Requires a
    ///     terminal with 256 colors. Default: `false`.
    /// - Returns: The lines, without a trailing newline.
    public func text(columns: Int = 80, colors: Bool = false) -> String {
        guard !rows.isEmpty else { return "no requests" }
        return WaterfallText(self, columns: max(40, columns), pen: WaterfallPen(isColored: colors)).lines
            .joined(separator: "\n")
    }
}

/// Lays out a waterfall in columns.
private struct WaterfallText {
    private let waterfall: Waterfall
    private let pen: WaterfallPen
    private let nameWidth: Int
    private let methodWidth: Int
    private let pathWidth: Int
    private let barWidth: Int
    private let durationWidth: Int
    private let scale: WaterfallScale

    init(_ waterfall: Waterfall, columns: Int, pen: WaterfallPen) {
        self.waterfall = waterfall
        self.pen = pen
        let rows = waterfall.rows
        func widest(_ limit: Int, _ text: (Waterfall.Row) -> String) -> Int {
            min(limit, rows.map { WaterfallLabel.width(text($0)) }.max() ?? 0)
        }
        nameWidth = widest(columns / 5) { $0.name }
        methodWidth = widest(7) { WaterfallLabel.clean($0.method) }
        durationWidth = widest(columns) { WaterfallScale.label($0.duration) }
        // One column between all of them, and three for the status.
        let taken = (nameWidth > 0 ? nameWidth + 1 : 0) + methodWidth + 1 + 1 + 4 + 1 + durationWidth
        let left = max(10, columns - taken)
        pathWidth = widest(left * 2 / 5) { Self.path(of: $0) }
        barWidth = left - pathWidth
        scale = WaterfallScale(duration: waterfall.duration, atMost: barWidth / 10 + 1)
    }

    var lines: [String] {
        let marks = Set(scale.ticks.map { column(of: $0.offset) })
        return [header] + waterfall.rows.map { line(for: $0, marks: marks) } + ["", legend, waterfall.summary]
    }

    private var barBegin: Int { (nameWidth > 0 ? nameWidth + 1 : 0) + methodWidth + 1 + pathWidth + 1 + 4 }

    private func column(of offset: Int64) -> Int {
        let total = max(1, waterfall.duration.wholeNanoseconds)
        return min(barWidth - 1, Int(Double(offset) / Double(total) * Double(barWidth)))
    }

    /// The scale. Labels that do not fit are left out.
    private var header: String {
        var line = String(repeating: " ", count: barBegin)
        for tick in scale.ticks {
            let start = barBegin + column(of: tick.offset)
            let end = start + tick.label.count
            guard start >= line.count, end <= barBegin + barWidth + 1 + durationWidth else { continue }
            line += String(repeating: " ", count: start - line.count) + tick.label + " "
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return pen.dim(line)
    }

    private func line(for row: Waterfall.Row, marks: Set<Int>) -> String {
        let name = nameWidth > 0 ? pen.dim(WaterfallLabel.fit(row.name, nameWidth)) + " " : ""
        let method = WaterfallLabel.fit(WaterfallLabel.clean(row.method), methodWidth)
        let path = WaterfallLabel.fit(Self.path(of: row), pathWidth)
        let spoken = WaterfallScale.label(row.duration)
        let duration = String(repeating: " ", count: max(0, durationWidth - spoken.count)) + spoken
        let bar = pen.bar(cells(of: row), marks: marks)
        return "\(name)\(pen.dim(method)) \(path) \(pen.status(row.outcome)) \(bar) \(duration)"
    }

    /// Marks an exchange that follows from the one above it with an arrow.
    private static func path(of row: Waterfall.Row) -> String {
        row.cause == .first ? row.path : "↳ \(row.path)"
    }

    /// Returns the phase of each part of the bar's columns. If several phases share a part, the longest is drawn.
    private func cells(of row: Waterfall.Row) -> [WaterfallPhase?] {
        let count = barWidth * pen.partsPerColumn
        let total = Double(max(1, waterfall.duration.wholeNanoseconds))
        var cells = [WaterfallPhase?](repeating: nil, count: count)
        let parts = row.spans.map { span in
            let begin = min(count - 1, Int((Double(span.begin) / total * Double(count)).rounded(.down)))
            let end = Int((Double(span.end) / total * Double(count)).rounded())
            return (span, begin..<min(count, max(begin + 1, end)))
        }
        for (span, range) in parts.sorted(by: { $0.0.duration < $1.0.duration }) {
            for index in range { cells[index] = span.phase }
        }
        return cells
    }

    private var legend: String {
        let present = Set(waterfall.rows.flatMap { $0.spans.filter { $0.end > $0.begin }.map(\.phase) })
        return WaterfallPhase.allCases.filter(present.contains)
            .map { "\(pen.sample($0)) \($0.name)" }
            .joined(separator: "  ")
    }
}

internal import ApusCore

/// Draws the bars of a waterfall in characters: with patterns, or with colors in eighths of a column.
struct WaterfallPen {
    let isColored: Bool

    /// The number of parts that a column is divided into.
    var partsPerColumn: Int { isColored ? 8 : 1 }

    /// Returns the bar for the parts, with `┊` in the empty columns of `marks`.
    func bar(_ parts: [WaterfallPhase?], marks: Set<Int>) -> String {
        var line = ""
        for column in 0..<parts.count / partsPerColumn {
            let first = column * partsPerColumn
            let cell = parts[first..<first + partsPerColumn]
            guard cell.contains(where: { $0 != nil }) else {
                line += marks.contains(column) ? dim("┊") : " "
                continue
            }
            line += isColored ? colored(cell) : cell.first.flatMap { $0.map(Self.pattern) } ?? " "
        }
        return line
    }

    /// Returns the sample of a phase in the legend.
    func sample(_ phase: WaterfallPhase) -> String {
        isColored ? "\u{1B}[38;5;\(Self.color(phase))m█\u{1B}[0m" : Self.pattern(phase)
    }

    /// Dims less important text.
    func dim(_ text: String) -> String {
        isColored && text.contains { $0 != " " } ? "\u{1B}[2m\(text)\u{1B}[0m" : text
    }

    /// Returns the status, in three columns.
    func status(_ outcome: Waterfall.Row.Outcome) -> String {
        let (text, code) =
            switch outcome {
            case .status(let status): (String(status), status >= 400 ? 31 : status >= 300 ? 36 : 32)
            case .failed: (" ✗ ", 31)
            case .running: (" … ", 33)
            }
        return isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    // MARK: Patterns

    /// Waiting is thin, work is thick.
    private static func pattern(_ phase: WaterfallPhase) -> String {
        switch phase {
        case .queue: "·"
        case .resolve: "░"
        case .connect: "▒"
        case .tls: "▓"
        case .send: "▀"
        case .wait: "─"
        case .receive: "█"
        }
    }

    // MARK: Colors

    /// Chosen from the 256 colors for contrast with black and white, and with their neighbors in brightness.
    private static func color(_ phase: WaterfallPhase) -> Int {
        switch phase {
        case .queue: 246
        case .resolve: 37
        case .connect: 208
        case .tls: 134
        case .send: 220
        case .wait: 71
        case .receive: 33
        }
    }

    /// Draws one column from eight parts. A character has only two colors, so only the two longest runs are drawn.
    private func colored(_ cell: ArraySlice<WaterfallPhase?>) -> String {
        var runs: [(phase: WaterfallPhase?, count: Int)] = []
        for phase in cell {
            if let last = runs.last, last.phase == phase {
                runs[runs.count - 1].count += 1
            } else {
                runs.append((phase, 1))
            }
        }
        while runs.count > 2 { dropShortest(&runs) }
        guard runs.count == 2 else { return paint("█", runs[0].phase) }
        let (left, right) = (runs[0], runs[1])
        let block = Self.blocks[min(7, max(1, left.count))]
        switch (left.phase, right.phase) {
        case (let phase?, nil): return paint(block, phase)
        // No block characters grow from the right, so the empty part is drawn in reverse colors.
        case (nil, let phase?): return "\u{1B}[7;38;5;\(Self.color(phase))m\(block)\u{1B}[0m"
        case (let first?, let second?):
            return "\u{1B}[38;5;\(Self.color(first));48;5;\(Self.color(second))m\(block)\u{1B}[0m"
        case (nil, nil): return " "
        }
    }

    /// Adds the shortest run to its neighbors. Empty runs go first, so that no bar disappears.
    private func dropShortest(_ runs: inout [(phase: WaterfallPhase?, count: Int)]) {
        let candidates = runs.indices.filter { runs[$0].phase == nil }
        let index = (candidates.isEmpty ? Array(runs.indices) : candidates).min { runs[$0].count < runs[$1].count } ?? 0
        let run = runs.remove(at: index)
        // A short gap between bars joins a neighbor. A gap at the end of a bar moves to the other end.
        let otherEnd = run.phase == nil ? runs.lastIndex { $0.phase == nil } ?? min(index, runs.count - 1) : nil
        let heir = otherEnd ?? max(0, index - 1)
        runs[heir].count += run.count
        if index > 0, index < runs.count, runs[index - 1].phase == runs[index].phase {
            runs[index - 1].count += runs.remove(at: index).count
        }
    }

    private func paint(_ text: String, _ phase: WaterfallPhase?) -> String {
        phase.map { "\u{1B}[38;5;\(Self.color($0))m\(text)\u{1B}[0m" } ?? " "
    }

    private static let blocks = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}

internal import Apus

/// Formats one line about a transfer, for a terminal of any width.
enum ProgressLine {
    /// The width of a terminal from which on the line begins with the name of the file.
    static let leastColumnsForName = 60

    /// The shortest useful beginning and end of a name.
    private static let leastNameColumns = 8

    /// Returns the name of the file, and a bar if the total is known, followed by size, rate and time left as far as
    /// they are known.
    ///
    /// - Parameters:
    ///   - progress: The progress of the transfer.
    ///   - elapsed: The time since its start.
    ///   - columns: The width of the terminal. The line is at least one character shorter, so that it never wraps.
    ///   - name: The name of the file. It is shortened in the middle, and left out on a narrow terminal. Default:
    ///     `nil`.
    /// - Returns: The line, without a line feed.
    static func text(
        _ progress: TransferProgress,
        elapsed: Duration,
        columns: Int,
        name: String? = nil
    ) -> String {
        let facts = facts(of: progress, elapsed: elapsed)
        var width = max(0, columns - 1)
        guard let name, columns >= leastColumnsForName else { return line(progress, facts, width) }
        // The percentage and the facts go before the name, and the name before the bar.
        let room = min(width / 4, width - facts.count - 7)
        guard room >= leastNameColumns else { return line(progress, facts, width) }
        let lead = shortened(TerminalText.line(name), to: room)
        width -= Self.columns(of: lead) + 1
        return "\(lead) \(line(progress, facts, width))"
    }

    /// Returns the percentage, the bar and the facts.
    private static func line(_ progress: TransferProgress, _ facts: String, _ width: Int) -> String {
        guard let total = progress.total, total > 0 else { return String(facts.prefix(width)) }
        let fraction = progress.fractionCompleted
        let percent = "\(Int(fraction * 100))%"
        let lead = String(repeating: " ", count: max(0, 4 - percent.count)) + percent
        let room = min(40, width - lead.count - facts.count - 5)
        guard room >= 5 else { return String("\(lead)  \(facts)".prefix(width)) }
        let filled = Int(fraction * Double(room))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
        return "\(lead) [\(bar)] \(facts)"
    }

    /// Returns size, rate and time: `2.5 MB of 10.0 MB, 2.5 MB/s, 0:03 left`.
    private static func facts(of progress: TransferProgress, elapsed: Duration) -> String {
        var facts = ByteCount.text(progress.completed)
        if let total = progress.total { facts += " of \(ByteCount.text(total))" }
        if let throughput = progress.throughput { facts += ", \(ByteCount.rate(throughput))" }
        if !progress.isFinished, let remaining = progress.estimatedTimeRemaining {
            facts += ", \(clock(remaining)) left"
        } else {
            facts += ", \(clock(.seconds(elapsed.components.seconds)))"
        }
        return facts
    }

    /// Returns the name with its middle replaced by `…` if it is wider than `limit` columns.
    static func shortened(_ name: String, to limit: Int) -> String {
        guard columns(of: name) > limit else { return name }
        let rest = max(0, limit - 1)
        let beginning = prefix(name, of: rest - rest / 2)
        let end = prefix(name.reversed(), of: rest / 2).reversed()
        return beginning + "…" + String(end)
    }

    /// Returns the first characters that fit into a number of columns.
    private static func prefix(_ characters: some Sequence<Character>, of limit: Int) -> String {
        var (text, used) = ("", 0)
        for character in characters {
            used += columns(of: character)
            guard used <= limit else { break }
            text.append(character)
        }
        return text
    }

    /// Returns the number of columns that a text fills, or more: scripts that may have wide characters count double.
    private static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        return scalar.value < 0x1100 || scalar == "…" ? 1 : 2
    }

    /// `0:07`, `12:34`, `1:02:03`.
    static func clock(_ duration: Duration) -> String {
        let seconds = max(0, Int(duration.inSeconds.rounded(.up)))
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, (seconds % 60).padded(to: 2))
        return hours > 0 ? "\(hours):\(minutes.padded(to: 2)):\(rest)" : "\(minutes):\(rest)"
    }
}

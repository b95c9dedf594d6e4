internal import Apus

/// Formats one line about a download, for a terminal of any width.
enum ProgressLine {
    /// Returns a bar if the total is known, followed by size, rate and time left as far as they are known.
    ///
    /// - Parameters:
    ///   - progress: The progress of the download.
    ///   - elapsed: The time since its start.
    ///   - columns: The width of the terminal. The line is at least one character shorter, so that it never wraps.
    /// - Returns: The line, without a line feed.
    static func text(_ progress: TransferProgress, elapsed: Duration, columns: Int) -> String {
        let width = max(0, columns - 1)
        var facts = ByteCount.text(progress.completed)
        if let total = progress.total { facts += " of \(ByteCount.text(total))" }
        if let throughput = progress.throughput { facts += ", \(ByteCount.rate(throughput))" }
        if !progress.isFinished, let remaining = progress.estimatedTimeRemaining {
            facts += ", \(clock(remaining)) left"
        } else {
            facts += ", \(clock(.seconds(elapsed.components.seconds)))"
        }
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

    /// `0:07`, `12:34`, `1:02:03`.
    static func clock(_ duration: Duration) -> String {
        let seconds = max(0, Int(duration.inSeconds.rounded(.up)))
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, (seconds % 60).padded(to: 2))
        return hours > 0 ? "\(hours):\(minutes.padded(to: 2)):\(rest)" : "\(minutes):\(rest)"
    }
}

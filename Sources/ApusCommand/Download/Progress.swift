internal import Apus

/// Estimates the rate and the remaining time of a download. Reads no clock: the caller passes all times.
struct TransferEstimate {
    /// The period over which the rate is measured: long enough for a steady rate, short enough to follow a change.
    static let window: Duration = .seconds(5)

    private struct Sample {
        let time: Duration
        let count: Int64
    }

    /// The total number of bytes, or `nil` if the server did not send it.
    let total: Int64?
    private(set) var count: Int64 = 0
    private(set) var elapsed: Duration = .zero
    private var samples = [Sample(time: .zero, count: 0)]

    init(total: Int64?) {
        self.total = total
    }

    /// Records that `count` bytes had arrived `elapsed` after the start.
    mutating func update(count: Int64, elapsed: Duration) {
        self.count = count
        self.elapsed = elapsed
        guard let last = samples.last, elapsed - last.time >= .milliseconds(100) else { return }
        samples.append(Sample(time: elapsed, count: count))
        while samples.count > 2, elapsed - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// The bytes per second over the last seconds, or `nil` before the first measurement.
    var rate: Double? {
        guard let first = samples.first else { return nil }
        let seconds = (elapsed - first.time).inSeconds
        return seconds > 0.05 ? Double(count - first.count) / seconds : nil
    }

    /// The bytes per second from start to end.
    var averageRate: Double? {
        elapsed > .zero ? Double(count) / elapsed.inSeconds : nil
    }

    /// The estimated remaining time, or `nil` if it is unknown.
    var remaining: Duration? {
        guard let total, let rate, rate >= 1, total >= count else { return nil }
        let seconds = Double(total - count) / rate
        return seconds < 360_000 ? .seconds(seconds) : nil
    }

    /// The completed fraction, from 0 to 1, or `nil` if the total is unknown.
    var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, Double(count) / Double(total))
    }
}

/// Formats one line about a download, for a terminal of any width.
enum ProgressLine {
    /// Returns a bar if the total is known, followed by size, rate and time left as far as they are known.
    ///
    /// - Parameters:
    ///   - estimate: The state of the download.
    ///   - columns: The width of the terminal. The line is at least one character shorter, so that it never wraps.
    /// - Returns: The line, without a line feed.
    static func text(_ estimate: TransferEstimate, columns: Int) -> String {
        let width = max(0, columns - 1)
        var facts = ByteCount.text(estimate.count)
        if let total = estimate.total { facts += " of \(ByteCount.text(total))" }
        if let rate = estimate.rate { facts += ", \(ByteCount.text(Int64(rate)))/s" }
        if let remaining = estimate.remaining {
            facts += ", \(clock(remaining)) left"
        } else {
            facts += ", \(clock(.seconds(estimate.elapsed.components.seconds)))"
        }
        guard let fraction = estimate.fraction else { return String(facts.prefix(width)) }
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

/// Formats sizes for display.
enum ByteCount {
    /// Returns a size in decimal units, with one decimal from 1 kB up: `999 B`, `1.5 kB`, `29.1 MB`.
    static func text(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(max(0, count)) B" }
        var value = Double(count) / 1000
        var units = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
        // 999.95 would round up to 1000.0.
        while value >= 999.95, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        return "\(decimal(value)) \(units.first ?? "")"
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

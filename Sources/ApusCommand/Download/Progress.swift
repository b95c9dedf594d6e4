internal import Apus

/// How a download goes: how much is here, how fast it comes, how long it will take. Pure; times come from outside.
struct TransferEstimate {
    /// How far back the rate looks: long enough to be calm, short enough to follow a change.
    static let window: Duration = .seconds(5)

    private struct Sample {
        let time: Duration
        let count: Int64
    }

    /// How many bytes there will be; `nil` where the server did not say.
    let total: Int64?
    private(set) var count: Int64 = 0
    private(set) var elapsed: Duration = .zero
    private var samples = [Sample(time: .zero, count: 0)]

    init(total: Int64?) {
        self.total = total
    }

    /// Notes that `count` bytes were here `elapsed` after the start.
    mutating func update(count: Int64, elapsed: Duration) {
        self.count = count
        self.elapsed = elapsed
        guard let last = samples.last, elapsed - last.time >= .milliseconds(100) else { return }
        samples.append(Sample(time: elapsed, count: count))
        while samples.count > 2, elapsed - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// Bytes a second over the last seconds; `nil` before there is anything to tell.
    var rate: Double? {
        guard let first = samples.first else { return nil }
        let seconds = (elapsed - first.time).inSeconds
        return seconds > 0.05 ? Double(count - first.count) / seconds : nil
    }

    /// Bytes a second from start to end.
    var averageRate: Double? {
        elapsed > .zero ? Double(count) / elapsed.inSeconds : nil
    }

    /// How long the rest will take; `nil` where that can't be told.
    var remaining: Duration? {
        guard let total, let rate, rate >= 1, total >= count else { return nil }
        let seconds = Double(total - count) / rate
        return seconds < 360_000 ? .seconds(seconds) : nil
    }

    /// From 0 to 1; `nil` where the total is not known.
    var fraction: Double? {
        guard let total, total > 0 else { return nil }
        return min(1, Double(count) / Double(total))
    }
}

/// One line about a download, for a terminal of any width.
enum ProgressLine {
    /// A bar where the total is known, and what is known of size, rate and time left.
    ///
    /// - Parameters:
    ///   - estimate: How it goes.
    ///   - columns: The width of the terminal; the line is at least one shorter, so that it never wraps.
    /// - Returns: The line, without its end.
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
        let two = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}

/// Sizes as people read them.
enum ByteCount {
    /// `999 B`, `1.5 kB`, `29.1 MB`: three digits that count, in thousands.
    static func text(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(max(0, count)) B" }
        var value = Double(count) / 1000
        var units = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
        // 999.95 would round to four digits.
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

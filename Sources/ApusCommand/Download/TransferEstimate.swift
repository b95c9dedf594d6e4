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

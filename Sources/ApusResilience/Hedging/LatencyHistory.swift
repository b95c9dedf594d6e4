internal import DequeModule

/// The most recent latencies. The oldest is dropped when a new one is added at capacity.
struct LatencyHistory: Sendable {
    static let capacity = 128

    private var recent = Deque<Duration>()
    /// The same latencies, in ascending order.
    private var ordered: [Duration] = []

    var count: Int { ordered.count }

    mutating func note(_ latency: Duration) {
        if recent.count >= Self.capacity, let oldest = recent.popFirst() { ordered.remove(at: index(of: oldest)) }
        recent.append(latency)
        ordered.insert(latency, at: index(of: latency))
    }

    /// Returns the latency that this share of the recorded latencies does not exceed. `nil` if none are recorded.
    func percentile(_ share: Double) -> Duration? {
        guard !ordered.isEmpty else { return nil }
        let rank = (share * Double(ordered.count)).rounded(.up)
        return ordered[min(max(Int(rank), 1), ordered.count) - 1]
    }

    /// Returns the index of the first latency that is not shorter.
    private func index(of latency: Duration) -> Int {
        var range = 0..<ordered.count
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            range = ordered[middle] < latency ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

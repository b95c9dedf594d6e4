internal import DequeModule

/// The latest latencies, of which the oldest goes when a new one comes.
struct LatencyHistory: Sendable {
    static let capacity = 128

    private var recent = Deque<Duration>()
    /// The same, the shortest first.
    private var ordered: [Duration] = []

    var count: Int { ordered.count }

    mutating func note(_ latency: Duration) {
        if recent.count >= Self.capacity, let oldest = recent.popFirst() { ordered.remove(at: index(of: oldest)) }
        recent.append(latency)
        ordered.insert(latency, at: index(of: latency))
    }

    /// The latency that such a share of them does not exceed; `nil` where there are none.
    func percentile(_ share: Double) -> Duration? {
        guard !ordered.isEmpty else { return nil }
        let rank = (share * Double(ordered.count)).rounded(.up)
        return ordered[min(max(Int(rank), 1), ordered.count) - 1]
    }

    /// Where the first stands that is not shorter.
    private func index(of latency: Duration) -> Int {
        var range = 0..<ordered.count
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            range = ordered[middle] < latency ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

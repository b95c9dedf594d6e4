/// Divides the missing bytes of a file into segments. It has no file and sends nothing.
///
/// ```
///   total    0───────────────────────────────────────1000
///   arrived  ████████─────────────────██████████──────────
///   segments         └─1──┘└─2──┘└─3─┘          └───4────┘
/// ```
///
/// Each gap is at least one segment. The largest segments are divided until there are as many as wanted, or until
/// further ones would be too small. Gaps that are left by an interruption thus never become more than that.
package struct SegmentPlan: Hashable, Sendable {
    /// The size of the file in bytes.
    package let total: Int64
    /// The ranges that have arrived.
    package let received: ReceivedRanges
    /// The number of segments to fetch at the same time, at least 1.
    package let count: Int
    /// The ranges to fetch, in their order. None is empty, no two overlap, and together they are all that is missing.
    package let segments: [Range<Int64>]

    /// - Parameters:
    ///   - total: The size of the file in bytes.
    ///   - received: The ranges that have arrived. Default: none.
    ///   - count: The number of segments to fetch at the same time.
    ///   - minimumBytes: The minimum size of a segment that is a part of a gap, at least 1.
    package init(total: Int64, received: ReceivedRanges = ReceivedRanges(), count: Int, minimumBytes: Int64) {
        let gaps = received.gaps(below: total)
        // The number of segments of each gap.
        var counts = [Int64](repeating: 1, count: gaps.count)
        for _ in gaps.count..<max(count, gaps.count) {
            var largest: (index: Int, bytes: Int64)?
            for (index, gap) in gaps.enumerated() {
                let length = gap.upperBound - gap.lowerBound
                let bytes = length / counts[index]
                if length / (counts[index] + 1) >= max(1, minimumBytes), bytes > largest?.bytes ?? 0 {
                    largest = (index, bytes)
                }
            }
            guard let largest else { break }
            counts[largest.index] += 1
        }
        self.total = total
        self.received = received
        self.count = max(1, count)
        self.segments = zip(gaps, counts).flatMap { Self.divided($0, into: $1) }
    }

    /// Returns parts of a range whose sizes differ by one byte at most.
    private static func divided(_ range: Range<Int64>, into count: Int64) -> [Range<Int64>] {
        let (bytes, rest) = (range.upperBound - range.lowerBound).quotientAndRemainder(dividingBy: count)
        var begin = range.lowerBound
        return (0..<count).map { index in
            let end = begin + bytes + (index < rest ? 1 : 0)
            defer { begin = end }
            return begin..<end
        }
    }
}

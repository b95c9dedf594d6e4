/// The ranges of a file whose bytes have arrived, in their order. They neither overlap nor touch, and none is empty.
package struct ReceivedRanges: Hashable, Sendable {
    /// The maximum number of ranges in a record. A download has fewer than `DownloadSegments.maximumCount`.
    static let limitCount = 1000

    package private(set) var ranges: [Range<Int64>] = []

    /// Creates no ranges.
    package init() {}

    /// Creates the range of the first bytes of a file.
    package init(first byteCount: Int64) {
        if byteCount > 0 { ranges = [0..<byteCount] }
    }

    /// Creates ranges from their bounds, as `bounds` returns them. `nil` if they are in another order, negative, or too
    /// many.
    init?(bounds: [Int64]) {
        guard bounds.count.isMultiple(of: 2), bounds.count / 2 <= Self.limitCount, bounds.first ?? 0 >= 0,
            zip(bounds, bounds.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        ranges = stride(from: 0, to: bounds.count, by: 2).map { bounds[$0]..<bounds[$0 + 1] }
    }

    /// The lower and the upper bound of each range, one after the other.
    var bounds: [Int64] { ranges.flatMap { [$0.lowerBound, $0.upperBound] } }

    package var isEmpty: Bool { ranges.isEmpty }

    /// The number of bytes in all ranges.
    package var byteCount: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

    /// The number of bytes from the beginning of the file to the first gap.
    package var prefixByteCount: Int64 {
        guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// Returns the ranges that have not arrived, in their order.
    ///
    /// - Parameter total: The size of the file in bytes.
    /// - Returns: The gaps, none of which is empty.
    package func gaps(below total: Int64) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var begin: Int64 = 0
        for range in ranges {
            let end = min(range.lowerBound, total)
            if begin < end { gaps.append(begin..<end) }
            begin = range.upperBound
        }
        if begin < total { gaps.append(begin..<total) }
        return gaps
    }

    /// Adds a range. It is joined with those that it overlaps or touches.
    package mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        var joined = range
        var others: [Range<Int64>] = []
        for other in ranges {
            if other.upperBound < joined.lowerBound || joined.upperBound < other.lowerBound {
                others.append(other)
            } else {
                joined = min(other.lowerBound, joined.lowerBound)..<max(other.upperBound, joined.upperBound)
            }
        }
        let index = others.firstIndex { $0.lowerBound > joined.lowerBound } ?? others.count
        others.insert(joined, at: index)
        ranges = others
    }

    /// Removes all bytes but the first ones of the file.
    package mutating func clip(to byteCount: Int64) {
        guard let last = ranges.last, last.upperBound > byteCount else { return }
        ranges = ranges.compactMap { range -> Range<Int64>? in
            range.lowerBound < byteCount ? range.lowerBound..<min(range.upperBound, byteCount) : nil
        }
    }
}

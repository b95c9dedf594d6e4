internal import Testing

@testable internal import ApusCore

@Suite struct ReceivedRangesTests {
    /// The bytes of a file of at most 16 bytes, as a set.
    private func bytes(_ ranges: ReceivedRanges) -> Set<Int64> { Set(ranges.ranges.flatMap { Array($0) }) }

    private func isNormal(_ ranges: ReceivedRanges) -> Bool {
        ranges.ranges.allSatisfy { !$0.isEmpty }
            && zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
    }

    @Test func joinsRangesThatTouchOrOverlap() {
        var ranges = ReceivedRanges()
        ranges.insert(10..<20)
        ranges.insert(30..<40)
        ranges.insert(5..<5)
        #expect(ranges.ranges == [10..<20, 30..<40])
        ranges.insert(0..<5)
        ranges.insert(20..<25)
        #expect(ranges.ranges == [0..<5, 10..<25, 30..<40])
        ranges.insert(5..<10)
        #expect(ranges.ranges == [0..<25, 30..<40])
        ranges.insert(3..<50)
        #expect(ranges.ranges == [0..<50])
        ranges.insert(7..<8)
        #expect(ranges.ranges == [0..<50])
    }

    /// Inserts pairs of ranges into all sets of 6 bytes, and compares the result with a set.
    @Test func insertsAsASet() {
        for mask in 0..<64 {
            var ranges = ReceivedRanges()
            for byte in 0..<6 where mask >> byte & 1 == 1 { ranges.insert(Int64(byte)..<Int64(byte) + 1) }
            #expect(isNormal(ranges))
            for first in Int64(0)..<7 {
                for last in first..<8 {
                    var changed = ranges
                    changed.insert(first..<last)
                    let isRight = bytes(changed) == bytes(ranges).union(first..<last) && isNormal(changed)
                    #expect(isRight, "\(first)..<\(last) into \(ranges)")
                }
            }
        }
    }

    @Test func knowsItsGaps() {
        for mask in 0..<256 {
            var ranges = ReceivedRanges()
            for byte in 0..<8 where mask >> byte & 1 == 1 { ranges.insert(Int64(byte)..<Int64(byte) + 1) }
            for total in Int64(0)...10 {
                let gaps = ranges.gaps(below: total)
                let missing = Set(0..<total).subtracting(bytes(ranges))
                #expect(Set(gaps.flatMap { Array($0) }) == missing)
                let isInOrder = zip(gaps, gaps.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
                #expect(isInOrder)
                #expect(!gaps.contains { $0.isEmpty })
            }
            #expect(ranges.byteCount == Int64(mask.nonzeroBitCount))
            #expect(ranges.prefixByteCount == Int64((~mask).trailingZeroBitCount))
        }
    }

    @Test func isCutOff() {
        var ranges = ReceivedRanges(first: 5)
        ranges.insert(10..<20)
        ranges.clip(to: 30)
        #expect(ranges.ranges == [0..<5, 10..<20])
        ranges.clip(to: 15)
        #expect(ranges.ranges == [0..<5, 10..<15])
        ranges.clip(to: 10)
        #expect(ranges.ranges == [0..<5])
        ranges.clip(to: 3)
        #expect(ranges.ranges == [0..<3])
        ranges.clip(to: 0)
        #expect(ranges.isEmpty)
        #expect(ReceivedRanges(first: 0) == ReceivedRanges())
    }

    @Test func survivesItsBounds() {
        var ranges = ReceivedRanges(first: 5)
        ranges.insert(10..<20)
        #expect(ranges.bounds == [0, 5, 10, 20])
        #expect(ReceivedRanges(bounds: ranges.bounds) == ranges)
        #expect(ReceivedRanges(bounds: []) == ReceivedRanges())
    }

    @Test(arguments: [[0], [0, 0], [5, 3], [-1, 3], [0, 5, 5, 6], [0, 5, 4, 6], [0, 5, 10]] as [[Int64]])
    func refusesOtherBounds(bounds: [Int64]) {
        #expect(ReceivedRanges(bounds: bounds) == nil)
    }

    @Test func hasALimit() {
        let bounds = (0..<Int64(2 * ReceivedRanges.limitCount)).map { $0 }
        #expect(ReceivedRanges(bounds: bounds)?.ranges.count == ReceivedRanges.limitCount)
        let next = Int64(bounds.count)
        #expect(ReceivedRanges(bounds: bounds + [next, next + 1]) == nil)
    }
}

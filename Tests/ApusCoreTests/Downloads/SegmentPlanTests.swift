internal import Testing

@testable internal import ApusCore

@Suite struct SegmentPlanTests {
    @Test func dividesAFile() {
        let plan = SegmentPlan(total: 1003, count: 4, minimumBytes: 100)
        #expect(plan.segments == [0..<251, 251..<502, 502..<753, 753..<1003])
        #expect(plan.count == 4)
    }

    @Test(
        arguments: [
            (1, 1), (199, 1), (200, 2), (299, 2), (300, 3), (399, 3), (400, 4), (10_000, 4),
        ] as [(Int64, Int)]
    )
    func makesNoSmallSegments(total: Int64, count: Int) {
        #expect(SegmentPlan(total: total, count: 4, minimumBytes: 100).segments.count == count)
    }

    @Test func dividesTheLargestGaps() {
        var received = ReceivedRanges(first: 100)
        received.insert(900..<1000)
        // The gaps have 800 and 100 bytes.
        let plan = SegmentPlan(total: 1100, received: received, count: 3, minimumBytes: 10)
        #expect(plan.segments == [100..<500, 500..<900, 1000..<1100])
        #expect(SegmentPlan(total: 1100, received: received, count: 1, minimumBytes: 10).segments.count == 2)
    }

    @Test func hasNoSegmentsOfACompleteFile() {
        #expect(SegmentPlan(total: 0, count: 4, minimumBytes: 1).segments == [])
        let all = ReceivedRanges(first: 10)
        #expect(SegmentPlan(total: 10, received: all, count: 4, minimumBytes: 1).segments == [])
    }

    @Test func dividesTheLargestFile() {
        let plan = SegmentPlan(total: .max, count: 16, minimumBytes: 1)
        #expect(plan.segments.count == 16)
        #expect(plan.segments.first?.lowerBound == 0)
        #expect(plan.segments.last?.upperBound == .max)
    }

    @Test(arguments: [0, -1, .min] as [Int]) func hasAtLeastOneSegment(count: Int) {
        let plan = SegmentPlan(total: 10, count: count, minimumBytes: .min)
        #expect(plan.segments == [0..<10])
        #expect(plan.count == 1)
    }

    /// All sets of received bytes of a file of 10 bytes, with all numbers of segments.
    @Test func coversAllMissingBytesOnce() {
        for mask in 0..<1024 {
            var received = ReceivedRanges()
            for byte in 0..<10 where mask >> byte & 1 == 1 { received.insert(Int64(byte)..<Int64(byte) + 1) }
            let gaps = received.gaps(below: 10)
            for count in 1...6 {
                for minimumBytes in Int64(1)...4 {
                    let plan = SegmentPlan(total: 10, received: received, count: count, minimumBytes: minimumBytes)
                    let bytes = plan.segments.flatMap { Array($0) }
                    #expect(bytes == gaps.flatMap { Array($0) })
                    #expect(!plan.segments.contains { $0.isEmpty })
                    #expect(plan.segments.count <= max(count, gaps.count))
                    let isLarge = plan.segments.allSatisfy { segment in
                        gaps.contains(segment) || segment.upperBound - segment.lowerBound >= minimumBytes
                    }
                    #expect(isLarge)
                }
            }
        }
    }

    /// However often a download is interrupted, the number of its gaps stays within the number of segments.
    @Test func boundsTheGapsOfInterruptedFiles() {
        var received = ReceivedRanges()
        var interruptions = 0
        while received.byteCount < 10_000 {
            let plan = SegmentPlan(total: 10_000, received: received, count: 5, minimumBytes: 1)
            #expect(plan.segments.count <= 5)
            // Each segment receives another share of its bytes.
            for (index, segment) in plan.segments.enumerated() {
                let share = (segment.upperBound - segment.lowerBound + Int64(index)) / Int64(index + 1)
                received.insert(segment.lowerBound..<segment.lowerBound + share)
            }
            interruptions += 1
        }
        #expect(interruptions > 3)
        #expect(received == ReceivedRanges(first: 10_000))
    }
}

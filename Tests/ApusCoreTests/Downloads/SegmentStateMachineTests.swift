internal import Testing

@testable internal import ApusCore

@Suite struct SegmentStateMachineTests {
    private static let segments: [Range<Int64>] = [0..<10, 10..<20, 20..<30]

    @Test func handsOutEachSegmentOnce() {
        var machine = SegmentStateMachine(Self.segments, workerCount: 2)
        var taken: [Range<Int64>?] = []
        for _ in 0..<5 { taken.append(machine.next()) }
        let expected: [Range<Int64>?] = [0..<10, 10..<20, 20..<30, nil, nil]
        #expect(taken == expected)
    }

    @Test func leavesASegmentToOthers() {
        var machine = SegmentStateMachine(Self.segments, workerCount: 2)
        let (first, second) = (machine.next(), machine.next())
        #expect(first == 0..<10 && second == 10..<20)
        // The second worker fails, and the first one fetches the rest.
        let isLeft = machine.leave(13..<20)
        #expect(isLeft)
        var rest: [Range<Int64>?] = []
        for _ in 0..<3 { rest.append(machine.next()) }
        let expected: [Range<Int64>?] = [20..<30, 13..<20, nil]
        #expect(rest == expected)
    }

    @Test func failsWithTheLastWorker() {
        var machine = SegmentStateMachine(Self.segments, workerCount: 3)
        for _ in 0..<3 { _ = machine.next() }
        let first = machine.leave(5..<10)
        let second = machine.leave(15..<20)
        let third = machine.leave(25..<30)
        #expect(first && second && !third)
    }

    @Test func failsBesideWorkersThatHaveEnded() {
        var machine = SegmentStateMachine(Self.segments, workerCount: 3)
        for _ in 0..<5 { _ = machine.next() }
        let isLeft = machine.leave(5..<10)
        #expect(!isLeft)
    }

    @Test func failsWithItsOnlyWorker() {
        var machine = SegmentStateMachine([0..<10], workerCount: 1)
        let segment = machine.next()
        #expect(segment == 0..<10)
        let isLeft = machine.leave(5..<10)
        #expect(!isLeft)
    }
}

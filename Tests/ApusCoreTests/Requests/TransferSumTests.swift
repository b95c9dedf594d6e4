internal import Testing

@testable internal import ApusCore

@Suite struct TransferSumTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private func progress(_ completed: Int64, _ total: Int64?) -> TransferProgress {
        TransferProgress(completed: completed, total: total)
    }

    /// Returns a sum of transfers that have begun, and their identifiers.
    private func begun(_ count: Int) -> (TransferSum, [Int]) {
        var sum = TransferSum()
        let ids = (0..<count).map { _ in sum.add() }
        for id in ids { sum.begin(id, at: TransferProgress()) }
        return (sum, ids)
    }

    @Test func addsTheBytesOfItsTransfers() {
        var (sum, ids) = begun(2)
        sum.update(ids[0], to: progress(3, 10))
        let before = sum.measured(at: start)
        #expect(before == progress(3, nil))
        sum.update(ids[1], to: progress(4, 20))
        let after = sum.measured(at: start)
        #expect(after == progress(7, 30))
    }

    @Test func hasNoTotalWithoutATransfer() {
        var sum = TransferSum()
        let empty = sum.measured(at: start)
        #expect(empty == TransferProgress())
    }

    /// The missing bytes of a failure do not arrive any more.
    @Test func countsTheTransferredBytesOfATransferThatHasEnded() {
        var (sum, ids) = begun(2)
        sum.update(ids[0], to: progress(3, 10))
        sum.update(ids[1], to: progress(4, 20))
        let ended = [sum.end(ids[0], at: progress(3, 10)), sum.end(ids[0], at: progress(5, 10))]
        #expect(ended == [true, false])
        let partial = sum.measured(at: start)
        #expect(partial == progress(7, 23))
        sum.update(ids[0], to: progress(9, 10))
        _ = sum.end(ids[1], at: progress(20, nil))
        let last = sum.measured(at: start)
        #expect(last == progress(23, 23))
    }

    @Test func countsTheBytesFromBeforeATransferWasAdded() {
        var sum = TransferSum()
        let id = sum.add()
        sum.begin(id, at: progress(1_000_000, 2_000_000))
        let first = sum.measured(at: start)
        #expect(first == progress(1_000_000, 2_000_000))
        sum.update(id, to: progress(1_000_100, 2_000_000))
        _ = sum.measured(at: start)
        sum.update(id, to: progress(1_000_356, 2_000_000))
        let rate = sum.measured(at: start.advanced(by: .seconds(1))).throughput
        #expect(rate == 256)
    }

    @Test func ignoresABeginningAfterTheFirstUpdate() {
        var sum = TransferSum()
        let id = sum.add()
        sum.update(id, to: progress(5, 9))
        sum.begin(id, at: progress(4, 9))
        let current = sum.measured(at: start)
        #expect(current == progress(5, 9))
    }

    // MARK: Rate

    @Test func goesBackWithARestartAndKeepsItsRate() {
        var (sum, ids) = begun(2)
        sum.update(ids[0], to: progress(1, nil))
        sum.update(ids[1], to: progress(1, nil))
        _ = sum.measured(at: start)
        sum.update(ids[0], to: progress(1_025, nil))
        sum.update(ids[1], to: progress(3_073, nil))
        let second = start.advanced(by: .seconds(1))
        let before = sum.measured(at: second)
        #expect(before.completed == 4_098 && before.throughput == 4_096)
        sum.update(ids[1], to: progress(0, nil))
        let restarted = sum.measured(at: second)
        #expect(restarted.completed == 1_025 && restarted.throughput == 4_096)
        sum.update(ids[1], to: progress(4_096, nil))
        let rate = sum.measured(at: start.advanced(by: .seconds(2))).throughput
        #expect(rate == 4_096)
    }

    @Test func keepsItsLastRateAfterTheLastTransfer() {
        var (sum, ids) = begun(1)
        sum.update(ids[0], to: progress(1, 129))
        _ = sum.measured(at: start)
        sum.update(ids[0], to: progress(129, 129))
        _ = sum.measured(at: start.advanced(by: .seconds(1)))
        _ = sum.end(ids[0], at: progress(129, 129))
        let later = sum.measured(at: start.advanced(by: .seconds(60)))
        #expect(later == TransferProgress(completed: 129, total: 129, throughput: 128))
        // The pause is no part of the next rate.
        let next = sum.add()
        sum.begin(next, at: TransferProgress())
        sum.update(next, to: progress(1, 9))
        let resumed = sum.measured(at: start.advanced(by: .seconds(70)))
        #expect(resumed == progress(130, 138))
        sum.update(next, to: progress(9, 9))
        let rate = sum.measured(at: start.advanced(by: .seconds(71))).throughput
        #expect(rate == 8)
    }

    /// A server may declare any length.
    @Test func acceptsAnyCounts() {
        var (sum, ids) = begun(3)
        for id in ids { sum.update(id, to: progress(.max, .max)) }
        let most = sum.measured(at: start)
        #expect(most == progress(.max, .max))
        for id in ids { sum.update(id, to: progress(2, .max)) }
        let fewer = sum.measured(at: start)
        #expect(fewer.completed == 6 && fewer.total == Int64.max)
        for id in ids { _ = sum.end(id, at: progress(2, .max)) }
        let last = sum.measured(at: start)
        #expect(last.completed == 6 && last.total == 6)
    }
}

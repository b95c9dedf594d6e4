internal import Testing

@testable internal import ApusCore

@Suite struct ReportPaceTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    /// Returns the steps that are reported: the bytes so far, their total, and the time since the start.
    private func reported(_ steps: [(Int64, Int64?, Duration)]) -> [Int64] {
        var pace = ReportPace()
        return steps.compactMap { completed, total, time -> Int64? in
            let progress = TransferProgress(completed: completed, total: total)
            return pace.admits(progress, at: start.advanced(by: time)) ? completed : nil
        }
    }

    @Test func admitsOneProgressInItsInterval() {
        let interval = TransferProgress.reportInterval
        #expect(interval < .milliseconds(17) && interval > .milliseconds(16))
        let short = interval - .nanoseconds(1)
        #expect(reported([(1, 9, .zero), (2, 9, short), (3, 9, interval), (4, 9, interval + short)]) == [1, 3])
        #expect(reported([(1, nil, .zero), (2, nil, .zero), (3, nil, .seconds(1))]) == [1, 3])
    }

    @Test func admitsTheEndOfABody() {
        #expect(reported([(1, 3, .zero), (2, 3, .zero), (3, 3, .zero)]) == [1, 3])
        #expect(reported([(0, 0, .zero)]) == [0])
    }

    @Test func admitsARestart() {
        #expect(reported([(5, 9, .zero), (6, 9, .zero), (0, 9, .zero), (1, 9, .zero)]) == [5, 0])
    }

    @Test func admitsATotalThatBecomesKnownOrUnknown() {
        #expect(reported([(5, nil, .zero), (6, 9, .zero), (7, 9, .zero), (8, nil, .zero)]) == [5, 6, 8])
    }

    /// Two threads may read the clock in one order and report in the other.
    @Test func acceptsATimeBeforeTheLast() {
        #expect(reported([(1, 9, .seconds(1)), (2, 9, .zero), (3, 9, .seconds(2))]) == [1, 3])
    }

    @Test func knowsWhetherItHoldsAProgressBack() {
        var pace = ReportPace()
        let (first, second) = (TransferProgress(completed: 1, total: 9), TransferProgress(completed: 2, total: 9))
        let results = [pace.admits(first, at: start), pace.admits(second, at: start)]
        #expect(results == [true, false])
        #expect(pace.isHolding)
        pace.restart()
        #expect(pace.isHolding)
        let isAdmitted = pace.admits(second, at: start)
        #expect(isAdmitted && !pace.isHolding)
    }
}

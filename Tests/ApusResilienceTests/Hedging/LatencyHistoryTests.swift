internal import Testing

@testable internal import ApusResilience

@Suite struct LatencyHistoryTests {
    @Test func isEmptyAtFirst() {
        #expect(LatencyHistory().percentile(0.95) == nil)
        #expect(LatencyHistory().count == 0)
    }

    @Test(arguments: [(0.0, 1), (0.01, 1), (0.5, 50), (0.95, 95), (0.951, 96), (1.0, 100)])
    func computesPercentiles(share: Double, milliseconds: Int) {
        var history = LatencyHistory()
        for number in (1...100).reversed() { history.note(.milliseconds(number)) }
        #expect(history.percentile(share) == .milliseconds(milliseconds))
    }

    @Test func evictsTheOldestSample() {
        var history = LatencyHistory()
        for _ in 0..<LatencyHistory.capacity { history.note(.seconds(9)) }
        for number in 0..<LatencyHistory.capacity {
            #expect(history.percentile(1) == .seconds(9))
            history.note(.milliseconds(number % 10))
        }
        #expect(history.percentile(1) == .milliseconds(9))
        #expect(history.count == LatencyHistory.capacity)
    }

    @Test func evictsOnlyOneOfEqualSamples() {
        var history = LatencyHistory()
        for number in 0..<LatencyHistory.capacity { history.note(.milliseconds(number % 2)) }
        history.note(.milliseconds(5))
        #expect(history.percentile(0.49) == .milliseconds(0))
        #expect(history.percentile(0.5) == .milliseconds(1))
        #expect(history.percentile(1) == .milliseconds(5))
    }
}

internal import Testing

@testable internal import ApusCore

@Suite struct TransferMeterTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private func after(_ duration: Duration) -> MonotonicInstant { start.advanced(by: duration) }

    /// Returns the throughput after the steps: the bytes so far, and the milliseconds since the start.
    private func throughput(_ steps: [(Int64, Int)], _ meter: TransferMeter = TransferMeter()) -> Double? {
        var meter = meter
        var progress = TransferProgress()
        for (completed, milliseconds) in steps {
            progress = meter.progress(after: completed, of: nil, at: after(.milliseconds(milliseconds)))
        }
        return progress.throughput
    }

    /// Whether two rates differ by less than one in a million.
    private func isEqual(_ rate: Double?, _ expected: Double) -> Bool {
        rate.map { abs($0 - expected) <= expected / 1e6 } ?? false
    }

    @Test func passesTheCountsOn() {
        var meter = TransferMeter()
        let progress = meter.progress(after: 3, of: 9, at: start)
        #expect(progress == TransferProgress(completed: 3, total: 9))
    }

    /// The wait for the first bytes does not count.
    @Test func measuresFromTheFirstBytesOn() {
        #expect(throughput([(0, 0), (0, 5_000), (1_000, 10_000)]) == nil)
        #expect(isEqual(throughput([(0, 0), (0, 5_000), (1_000, 10_000), (3_000, 11_000)]), 2_000))
    }

    @Test func measuresFromAGivenStartOn() {
        #expect(isEqual(throughput([(1_000, 500)], TransferMeter(from: start)), 2_000))
    }

    @Test func measuresNothingInLessThanItsInterval() {
        #expect(throughput([(1, 0), (100, 49)]) == nil)
        // The bytes of the short measurement count for the next one.
        #expect(isEqual(throughput([(1, 0), (100, 49), (201, 100)]), 2_000))
    }

    @Test(arguments: [50, 100, 400, 1_000, 5_000])
    func isExactForASteadyTransfer(milliseconds: Int) {
        let steps = (0...50).map { (Int64(1 + $0 * milliseconds * 3), $0 * milliseconds) }
        #expect(isEqual(throughput(steps), 3_000))
    }

    /// After one half-life, an old and a new rate have the same weight, if the old one was measured for long.
    @Test func halvesTheWeightOfAMeasurementInItsHalfLife() {
        let slow: [(Int64, Int)] = (0...100).map { (step: Int) -> (Int64, Int) in
            (Int64(1 + step * 1_000), step * 1_000)
        }
        #expect(isEqual(throughput(slow + [(100_001 + 2 * 3_000, 102_000)]), 2_000))
    }

    /// One long measurement weighs as much as the short ones that it is made of.
    @Test func doesNotDependOnTheNumberOfReports() throws {
        let slow: [(Int64, Int)] = (0...40).map { (step: Int) -> (Int64, Int) in (Int64(1 + step * 100), step * 100) }
        let fast: [(Int64, Int)] = (1...40).map { (step: Int) -> (Int64, Int) in
            (Int64(4_001 + step * 500), 4_000 + step * 100)
        }
        let expected = try #require(throughput([(1, 0), (4_001, 4_000), (24_001, 8_000)]))
        #expect(isEqual(throughput(slow + fast), expected))
    }

    @Test func doesNotJumpWithASingleChunk() throws {
        let steady: [(Int64, Int)] = (0...100).map { (step: Int) -> (Int64, Int) in (Int64(1 + step * 100), step * 100)
        }
        let burst = try #require(throughput(steady + [(10_001 + 1_000, 10_100)]))
        #expect(burst > 1_000 && burst < 1_400)
    }

    @Test func decreasesWhileNothingArrives() throws {
        let steady: [(Int64, Int)] = (0...100).map { (step: Int) -> (Int64, Int) in (Int64(1 + step * 100), step * 100)
        }
        let stalled = try #require(throughput(steady + [(10_001, 30_000)]))
        #expect(stalled > 0 && stalled < 2)
    }

    @Test func restartsWithFewerBytes() {
        #expect(throughput([(1, 0), (10_001, 1_000), (0, 2_000)]) == nil)
        #expect(throughput([(1, 0), (10_001, 1_000), (0, 2_000), (5, 3_000)]) == nil)
        #expect(isEqual(throughput([(1, 0), (10_001, 1_000), (5, 3_000), (105, 4_000)]), 100))
    }

    /// Two threads may read the clock in one order and report in the other.
    @Test func ignoresATimeBeforeTheLast() {
        #expect(isEqual(throughput([(1, 0), (1_001, 1_000), (2_001, 500)]), 1_000))
    }

    @Test func acceptsAnyCountAndTime() {
        var meter = TransferMeter(from: MonotonicInstant(nanoseconds: 0))
        let last = meter.progress(after: .max, of: .max, at: MonotonicInstant(nanoseconds: .max))
        #expect(last.throughput?.isFinite == true)
        #expect(meter.progress(after: .min, of: 0, at: start).throughput == nil)
    }
}

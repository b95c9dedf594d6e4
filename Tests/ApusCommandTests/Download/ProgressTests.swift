import Testing

@testable import ApusCommand

@Suite struct ProgressTests {
    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1550, "1.6 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
            (29_100_000, "29.1 MB"), (5_000_000_000, "5.0 GB"), (Int64.max, "9.2 EB"), (-1, "0 B"),
        ] as [(Int64, String)]
    )
    func formatsSizes(count: Int64, expected: String) {
        #expect(ByteCount.text(count) == expected)
    }

    @Test(arguments: [(0, "0:00"), (7, "0:07"), (61, "1:01"), (3723, "1:02:03"), (-5, "0:00")])
    func formatsTimes(seconds: Int, expected: String) {
        #expect(ProgressLine.clock(.seconds(seconds)) == expected)
    }

    @Test func showsSizeRateAndTimeLeft() {
        var estimate = TransferEstimate(total: 10_000_000)
        estimate.update(count: 2_500_000, elapsed: .seconds(1))
        #expect(
            ProgressLine.text(estimate, columns: 100)
                == " 25% [##########------------------------------] 2.5 MB of 10.0 MB, 2.5 MB/s, 0:03 left"
        )
    }

    @Test(arguments: [0, 1, 5, 20, 40, 60, 80, 200])
    func fitsAnyTerminal(columns: Int) {
        var estimate = TransferEstimate(total: 123_456_789_000)
        estimate.update(count: 98_765_432_100, elapsed: .seconds(3600))
        let text = ProgressLine.text(estimate, columns: columns)
        #expect(text.count <= max(0, columns - 1))
    }

    @Test func worksWithoutATotal() {
        var estimate = TransferEstimate(total: nil)
        estimate.update(count: 1_000_000, elapsed: .seconds(2))
        #expect(ProgressLine.text(estimate, columns: 80) == "1.0 MB, 500.0 kB/s, 0:02")
    }

    @Test func worksWithAWrongTotal() {
        var estimate = TransferEstimate(total: 10)
        estimate.update(count: 1_000_000, elapsed: .seconds(2))
        #expect(ProgressLine.text(estimate, columns: 80).hasPrefix("100% ["))
        var empty = TransferEstimate(total: 0)
        empty.update(count: 0, elapsed: .zero)
        #expect(ProgressLine.text(empty, columns: 80) == "0 B of 0 B, 0:00")
    }

    @Test func weightsRecentSeconds() throws {
        var estimate = TransferEstimate(total: nil)
        for second in 1...20 { estimate.update(count: Int64(second) * 1000, elapsed: .seconds(second)) }
        for second in 21...26 {
            estimate.update(count: 20_000 + Int64(second - 20) * 100_000, elapsed: .seconds(second))
        }
        #expect(try #require(estimate.rate) > 90_000)
        #expect(try #require(estimate.averageRate) < 30_000)
    }
}

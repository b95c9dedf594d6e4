import Apus
import Testing

@testable import ApusCommand

@Suite struct ProgressTests {
    @Test(arguments: [(0, "0:00"), (7, "0:07"), (61, "1:01"), (3723, "1:02:03"), (-5, "0:00")])
    func formatsTimes(seconds: Int, expected: String) {
        #expect(ProgressLine.clock(.seconds(seconds)) == expected)
    }

    @Test func showsSizeRateAndTimeLeft() {
        let progress = TransferProgress(completed: 2_500_000, total: 10_000_000, throughput: 2_500_000)
        #expect(
            ProgressLine.text(progress, elapsed: .seconds(1), columns: 100)
                == " 25% [##########------------------------------] 2.5 MB of 10.0 MB, 2.5 MB/s, 0:03 left"
        )
    }

    @Test(arguments: [0, 1, 5, 20, 40, 60, 80, 200])
    func fitsAnyTerminal(columns: Int) {
        let progress = TransferProgress(completed: 98_765_432_100, total: 123_456_789_000, throughput: 27_434_842)
        let text = ProgressLine.text(progress, elapsed: .seconds(3600), columns: columns)
        #expect(text.count <= max(0, columns - 1))
    }

    @Test func worksWithoutATotal() {
        let progress = TransferProgress(completed: 1_000_000, throughput: 500_000)
        #expect(ProgressLine.text(progress, elapsed: .seconds(2), columns: 80) == "1.0 MB, 500.0 kB/s, 0:02")
    }

    @Test func worksWithAWrongTotal() {
        let progress = TransferProgress(completed: 1_000_000, total: 10, throughput: 500_000)
        let text = ProgressLine.text(progress, elapsed: .seconds(2), columns: 80)
        #expect(text.hasPrefix("100% [") && text.hasSuffix("500.0 kB/s, 0:02"))
        let empty = TransferProgress(total: 0)
        #expect(ProgressLine.text(empty, elapsed: .zero, columns: 80) == "0 B of 0 B, 0:00")
    }

    @Test func showsTheElapsedTimeOfACompleteDownload() {
        let progress = TransferProgress(completed: 1_000_000, total: 1_000_000, throughput: 500_000)
        #expect(ProgressLine.text(progress, elapsed: .seconds(2), columns: 80).hasSuffix("500.0 kB/s, 0:02"))
    }
}

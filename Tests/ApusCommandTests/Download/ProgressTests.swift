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
        let name = "the-archive-of-2026.tar.gz"
        let named = ProgressLine.text(progress, elapsed: .seconds(3600), columns: columns, name: name)
        #expect(named.count <= max(0, columns - 1))
        #expect(columns >= ProgressLine.leastColumnsForName || named == text)
    }

    @Test(arguments: [
        (59, " 25% [##---------] "), (60, "the-arc…tar.gz  25%  "), (80, "the-archi…26.tar.gz  25% [###---------] "),
        (100, "the-archive-…2026.tar.gz  25% [######---------------------] "),
    ])
    func beginsWithTheName(columns: Int, expected: String) {
        let progress = TransferProgress(completed: 2_500_000, total: 10_000_000, throughput: 2_500_000)
        let name = "the-archive-of-2026.tar.gz"
        let text = ProgressLine.text(progress, elapsed: .seconds(1), columns: columns, name: name)
        #expect(text == "\(expected)2.5 MB of 10.0 MB, 2.5 MB/s, 0:03 left")
    }

    @Test func namesTheFileWithoutATotal() {
        let progress = TransferProgress(completed: 1_000_000, throughput: 500_000)
        let text = ProgressLine.text(progress, elapsed: .seconds(2), columns: 80, name: "a\u{1B}.zip")
        #expect(text == "a\\u001b.zip 1.0 MB, 500.0 kB/s, 0:02")
    }

    /// A character of two columns must not make the line wrap.
    @Test(arguments: [("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc…fg"), ("日本語の", 8, "日本語の"), ("日本語の本", 8, "日本…本")])
    func shortensNamesInTheMiddle(name: String, limit: Int, expected: String) {
        #expect(ProgressLine.shortened(name, to: limit) == expected)
    }

    /// The rate of a continued download is that of the new bytes.
    @Test func measuresOnlyNewBytes() {
        let sink = RecordingSink()
        let channel = OutputChannel(sink, isTerminal: true, columns: 100)
        let start = MonotonicInstant.now
        var display = ProgressDisplay(channel, after: 5_000_000, total: 10_000_000, isQuiet: false, start: start)
        let line = display.line(after: 6_000_000, of: 10_000_000, now: start.advanced(by: .seconds(1)))
        #expect(line?.contains(" 60% [") == true)
        #expect(line?.contains("] 6.0 MB of 10.0 MB, 1.0 MB/s, 0:0") == true, "\(line ?? "")")
        display.finish("'x'", now: start.advanced(by: .seconds(2)))
        #expect(sink.text.hasSuffix("Saved 6.0 MB to 'x', 1.0 MB of them now, in 2.0 s (500.0 kB/s).\n"))
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

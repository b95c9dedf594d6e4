internal import Testing

@testable internal import ApusCore

@Suite struct TransferProgressTests {
    @Test(
        arguments: [
            (0, nil, 0), (5, nil, 0), (0, 10, 0), (5, 10, 0.5), (10, 10, 1), (11, 10, 1), (0, 0, 1), (-1, 10, 0),
        ] as [(Int64, Int64?, Double)]
    )
    func hasAFraction(completed: Int64, total: Int64?, expected: Double) {
        #expect(TransferProgress(completed: completed, total: total).fractionCompleted == expected)
    }

    @Test func isFinishedWithAllBytes() {
        #expect(!TransferProgress().isFinished && TransferProgress().isIndeterminate)
        #expect(!TransferProgress(completed: 5).isFinished)
        #expect(!TransferProgress(completed: 4, total: 5).isFinished)
        #expect(!TransferProgress(completed: 4, total: 5).isIndeterminate)
        #expect(TransferProgress(completed: 5, total: 5).isFinished)
        #expect(TransferProgress(completed: 0, total: 0).isFinished)
    }

    /// Parity: AF-progress-download
    @Test func hasTheNamesOfFoundation() {
        let progress = TransferProgress(completed: 4, total: 5)
        #expect(progress.completedUnitCount == 4 && progress.totalUnitCount == 5)
        #expect(TransferProgress(completed: 4).totalUnitCount == -1)
    }

    @Test func estimatesTheRemainingTime() {
        func remaining(_ completed: Int64, _ total: Int64?, _ throughput: Double?) -> Duration? {
            TransferProgress(completed: completed, total: total, throughput: throughput).estimatedTimeRemaining
        }
        #expect(remaining(4, 10, 3) == .seconds(2))
        #expect(remaining(10, 10, 3) == .zero)
        #expect(remaining(10, 10, nil) == .zero)
        #expect(remaining(4, nil, 3) == nil)
        #expect(remaining(4, 10, nil) == nil)
        #expect(remaining(4, 10, 0.5) == nil)
        #expect(remaining(0, 359_999, 1) == .seconds(359_999))
        #expect(remaining(0, 360_000, 1) == nil)
        #expect(remaining(.min, .max, 1) == nil)
    }

    @Test(
        arguments: [
            (TransferProgress(), "0 B"),
            (TransferProgress(completed: 1_200_000), "1.2 MB"),
            (TransferProgress(completed: 1_200_000, throughput: 3_100_000), "1.2 MB, 3.1 MB/s"),
            (TransferProgress(completed: 1_200_000, total: 4_000_000), "1.2 MB of 4.0 MB"),
            (
                TransferProgress(completed: 1_200_000, total: 4_000_000, throughput: 3_100_000),
                "1.2 MB of 4.0 MB, 3.1 MB/s, 1 s left"
            ),
            (
                TransferProgress(completed: 0, total: 60_000, throughput: 1_000),
                "0 B of 60.0 kB, 1.0 kB/s, 1 min 0 s left"
            ),
            (
                TransferProgress(completed: 0, total: 3_725_000, throughput: 1_000),
                "0 B of 3.7 MB, 1.0 kB/s, 1 h 2 min left"
            ),
            (TransferProgress(completed: 9, total: 9, throughput: 1_000), "9 B of 9 B, 1.0 kB/s"),
        ]
    )
    func describesItself(progress: TransferProgress, expected: String) {
        #expect("\(progress)" == expected)
    }
}

import Apus
import Testing

@testable import ApusCommand

@Suite struct QueueTallyTests {
    private let start = MonotonicInstant.now
    private let a = TransferID(rawValue: "a")
    private let b = TransferID(rawValue: "b")

    @Test func countsTransfersAndBytes() {
        var tally = QueueTally(from: start)
        for id in [a, b, a] { tally.add(id) }
        let begun = tally.line(at: start)
        #expect(begun == "0 of 2, 0 B")
        tally.start(a, after: 0)
        tally.note(a, 1_000_000)
        let half = tally.line(at: start.advanced(by: .seconds(1)))
        #expect(half == "0 of 2, 1.0 MB, 1.0 MB/s")
        tally.note(a, 1_200_000)
        tally.end(a)
        #expect(tally.endedCount == 1 && tally.count == 2 && tally.byteCount == 1_200_000)
        tally.remove(b)
        #expect(tally.count == 1)
    }

    /// The bytes of an earlier run are no part of this one. Those that are received twice are.
    @Test func countsOnlyReceivedBytes() {
        var tally = QueueTally(from: start)
        tally.start(a, after: 500)
        tally.note(a, 700)
        #expect(tally.byteCount == 200)
        tally.start(a, after: 0)
        tally.note(a, 800)
        #expect(tally.byteCount == 300)
        tally.note(a, 100)
        tally.note(a, 900)
        #expect(tally.byteCount == 1_100)
        tally.end(a)
        // A late report.
        tally.note(a, 5_000)
        #expect(tally.byteCount == 1_100)
    }
}

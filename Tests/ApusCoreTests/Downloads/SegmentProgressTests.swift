internal import ApusTestSupport
internal import Testing

@testable internal import ApusCore

@Suite(.timeLimit(.minutes(5))) struct SegmentProgressTests {
    @Test func addsToTheEarlierBytes() {
        let reports = LockedList<Int64>()
        let progress = SegmentProgress(from: 100) { reports.append($0) }
        progress.add(5)
        progress.add(0)
        progress.add(20)
        #expect(reports.all == [105, 125])
    }

    /// Many threads add at the same time. No report goes back, none is repeated, and the last one is the sum.
    @Test func neverGoesBack() async {
        let reports = LockedList<Int64>()
        let progress = SegmentProgress(from: 0) { reports.append($0) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { progress.add(3) }
                }
            }
        }
        let all = reports.all
        let isIncreasing = zip(all, all.dropFirst()).allSatisfy { $0 < $1 }
        #expect(isIncreasing)
        #expect(all.last == 24_000)
    }
}

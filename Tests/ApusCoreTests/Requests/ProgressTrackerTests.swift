internal import ApusTestSupport
internal import ApusTesting
internal import Testing

@testable internal import ApusCore

@Suite struct ProgressTrackerTests {
    private let clock = ManualClock()
    private let reports = LockedList<TransferProgress>()
    private let ends = LockedList<TransferProgress>()

    private var observer: ProgressObserver {
        ProgressObserver(report: { [reports] in reports.append($0) }, end: { [ends] in ends.append($0) })
    }

    @Test func reportsToItsObserversUntilTheyAreRemoved() throws {
        let tracker = ProgressTracker(AnySessionClock(clock))
        let id = try #require(tracker.add(observer))
        tracker.report(1, of: 4)
        clock.advance(by: .seconds(1))
        tracker.report(3, of: 4)
        tracker.remove(id)
        tracker.remove(id)
        tracker.report(4, of: 4)
        tracker.end()
        #expect(reports.all.map(\.completed) == [1, 3])
        #expect(reports.all.map(\.throughput) == [nil, 2])
        #expect(ends.all.isEmpty)
    }

    @Test func holdsBackProgressBetweenTwoReports() {
        let tracker = ProgressTracker(AnySessionClock(clock))
        tracker.add(observer)
        for completed: Int64 in 1...5 { tracker.report(completed, of: 100) }
        #expect(reports.all.map(\.completed) == [1])
        #expect(tracker.current.completed == 5)
        clock.advance(by: TransferProgress.reportInterval)
        for completed: Int64 in 6...8 { tracker.report(completed, of: 100) }
        #expect(reports.all.map(\.completed) == [1, 6])
        tracker.end()
        #expect(reports.all.map(\.completed) == [1, 6, 8])
        #expect(ends.all.map(\.completed) == [8])
    }

    @Test func reportsTheEndOfABodyOnce() {
        let tracker = ProgressTracker(AnySessionClock(clock))
        tracker.add(observer)
        for completed: Int64 in 1...5 { tracker.report(completed, of: 5) }
        tracker.end()
        #expect(reports.all.map(\.completed) == [1, 5])
    }

    @Test func reportsEachProgressToAnObserverThatReceivesAll() {
        let tracker = ProgressTracker(AnySessionClock(clock))
        let all = LockedList<Int64>()
        tracker.add(ProgressObserver(receivesAll: true, report: { all.append($0.completed) }))
        tracker.add(observer)
        for completed: Int64 in 1...3 { tracker.report(completed, of: 100) }
        tracker.end()
        #expect(all.all == [1, 2, 3])
        #expect(reports.all.map(\.completed) == [1, 3])
    }

    @Test func reportsToANewObserverAtOnce() {
        let tracker = ProgressTracker(AnySessionClock(clock))
        tracker.add(ProgressObserver(report: { _ in }))
        tracker.report(1, of: 100)
        tracker.report(2, of: 100)
        tracker.add(observer)
        tracker.report(3, of: 100)
        #expect(reports.all.map(\.completed) == [3])
    }

    @Test func measuresWhenItIsRead() {
        let tracker = ProgressTracker(AnySessionClock(clock), from: TransferProgress(completed: 10, total: 100))
        #expect(tracker.current == TransferProgress(completed: 10, total: 100))
        clock.advance(by: .seconds(1))
        tracker.report(26, of: 100)
        #expect(tracker.current.throughput == 16)
        clock.advance(by: .seconds(60))
        #expect(tracker.current.throughput.map { $0 < 1 } == true)
        #expect(tracker.current.completed == 26)
    }

    @Test func endsItsObserversOnce() {
        let tracker = ProgressTracker(AnySessionClock(clock))
        tracker.add(observer)
        tracker.report(1, of: 2)
        tracker.end()
        tracker.end()
        #expect(ends.all == [TransferProgress(completed: 1, total: 2)])
    }

    @Test func doesNotChangeAfterItsEnd() {
        let tracker = ProgressTracker(AnySessionClock(clock))
        tracker.report(1, of: 2)
        clock.advance(by: .seconds(1))
        tracker.report(2, of: 2)
        tracker.end()
        let last = tracker.current
        #expect(last == TransferProgress(completed: 2, total: 2, throughput: 1))
        clock.advance(by: .seconds(60))
        tracker.report(3, of: 3)
        tracker.begin(0, of: nil)
        #expect(tracker.current == last)
        #expect(tracker.add(observer) == nil)
        #expect(reports.all.isEmpty && ends.all.isEmpty)
    }

    @Test func endsItsObserversWhenItIsReleased() {
        ProgressTracker(AnySessionClock(clock)).add(observer)
        #expect(ends.all == [TransferProgress()])
    }

    /// Bytes that were counted before the tracker existed are older than every report.
    @Test func beginsOnlyBeforeTheFirstReport() {
        let tracker = ProgressTracker(AnySessionClock(clock))
        tracker.add(observer)
        tracker.begin(3, of: 9)
        #expect(tracker.current.completed == 3 && tracker.current.total == 9)
        tracker.report(5, of: 9)
        tracker.begin(4, of: 9)
        #expect(tracker.current.completed == 5)
        #expect(reports.all.map(\.completed) == [5])
    }
}

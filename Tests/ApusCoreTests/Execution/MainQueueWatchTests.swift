internal import ApusTestSupport
internal import Dispatch
internal import Logging
internal import Testing

@testable internal import ApusCore

@Suite struct MainQueueWatchTests {
    /// A timer whose callbacks wait until a test fires them.
    private final class TestTimer: Sendable {
        private let pending = LockedList<@Sendable () -> Void>()
        private let fired = Lock(0)
        let delays = LockedList<String>()

        var timer: MainQueueWatch.Timer {
            { [self] delay, work in
                delays.append("\(delay)")
                pending.append(work)
            }
        }

        var isPending: Bool { pending.count > fired.withLock { $0 } }

        func fire() {
            let next = fired.withLock { fired in
                defer { fired += 1 }
                return fired
            }
            if next < pending.count { pending.all[next]() }
        }
    }

    private let log = LockedList<String>()
    private let timer = TestTimer()
    private let queue = DispatchQueue(label: "apus.tests.stand-in-for-main")

    private func watch() -> MainQueueWatch {
        let log = log
        let logger = Logger(label: "apus.tests") { _ in LineLogHandler(log: log) }
        return MainQueueWatch(logger: logger, watching: queue, patience: .seconds(5), timer: timer.timer)
    }

    @Test func deliversWithoutAWarningWhenTheQueueRuns() {
        let watch = watch()
        let notes = LockedList<Int>()
        for number in 0..<3 { watch.deliver(on: queue) { notes.append(number) } }
        queue.sync {}
        #expect(notes.all == [0, 1, 2])
        timer.fire()
        #expect(log.count == 0)
        #expect(!timer.isPending)
    }

    @Test func warnsOnceAboutAQueueThatDoesNotRun() {
        let watch = watch()
        let notes = LockedList<Int>()
        queue.suspend()
        watch.deliver(on: queue) { notes.append(1) }
        #expect(log.count == 0)
        #expect(timer.delays.count == 1)
        timer.fire()
        #expect(log.all == ["warning"])
        watch.deliver(on: queue) { notes.append(2) }
        #expect(!timer.isPending)
        queue.resume()
        queue.sync {}
        #expect(notes.all == [1, 2])
    }

    /// The first callback is delivered and blocks the queue while it waits for the second.
    @Test func noticesAQueueThatIsBlockedLater() {
        let watch = watch()
        watch.deliver(on: queue) {}
        queue.sync {}
        queue.suspend()
        watch.deliver(on: queue) {}
        timer.fire()
        #expect(log.count == 0)
        timer.fire()
        #expect(log.all == ["warning"])
        queue.resume()
    }

    @Test func continuesToWatchAfterADelivery() {
        let watch = watch()
        watch.deliver(on: queue) {}
        queue.sync {}
        timer.fire()
        #expect(!timer.isPending)
        queue.suspend()
        watch.deliver(on: queue) {}
        #expect(timer.isPending)
        queue.resume()
        queue.sync {}
        timer.fire()
        #expect(log.count == 0)
    }

    @Test func leavesOtherQueuesAlone() {
        let other = DispatchQueue(label: "apus.tests.other")
        let watch = watch()
        let notes = LockedList<Int>()
        watch.deliver(on: other) { notes.append(1) }
        other.sync {}
        #expect(notes.count == 1)
        #expect(timer.delays.count == 0)
    }
}

/// Records the levels of log events.
private struct LineLogHandler: LogHandler {
    let log: LockedList<String>
    var logLevel = Logger.Level.trace
    var metadata = Logger.Metadata()

    init(log: LockedList<String>) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { log.append(event.level.rawValue) }
}

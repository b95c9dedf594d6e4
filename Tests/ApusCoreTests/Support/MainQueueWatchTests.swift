internal import Dispatch
internal import Logging
internal import Testing

@testable internal import ApusCore

@Suite struct MainQueueWatchTests {
    /// Keeps what is to be called after a while, until the test says that the while is over.
    private final class TestTimer: Sendable {
        private let pending = Notes<@Sendable () -> Void>()
        private let fired = Lock(0)
        let delays = Notes<String>()

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

    private let log = Notes<String>()
    private let timer = TestTimer()
    private let queue = DispatchQueue(label: "apus.tests.stand-in-for-main")

    private func watch() -> MainQueueWatch {
        let log = log
        let logger = Logger(label: "apus.tests") { _ in RecordingLogHandler(log: log) }
        return MainQueueWatch(logger: logger, watching: queue, patience: .seconds(5), timer: timer.timer)
    }

    @Test func deliversAndSaysNothingWhereTheQueueRuns() {
        let watch = watch()
        let notes = Notes<Int>()
        for number in 0..<3 { watch.deliver(on: queue) { notes.append(number) } }
        queue.sync {}
        #expect(notes.all == [0, 1, 2])
        timer.fire()
        #expect(log.count == 0)
        #expect(!timer.isPending)
    }

    @Test func hintsOnceAtAQueueThatDoesNotRun() {
        let watch = watch()
        let notes = Notes<Int>()
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

    /// The first callback comes through, and blocks the queue while it waits for the second.
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

    @Test func goesOnWatchingWhereSomethingComesThrough() {
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
        let notes = Notes<Int>()
        watch.deliver(on: other) { notes.append(1) }
        other.sync {}
        #expect(notes.count == 1)
        #expect(timer.delays.count == 0)
    }
}

/// Remembers the levels of what was logged.
private struct RecordingLogHandler: LogHandler {
    let log: Notes<String>
    var logLevel = Logger.Level.trace
    var metadata = Logger.Metadata()

    init(log: Notes<String>) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { log.append(event.level.rawValue) }
}

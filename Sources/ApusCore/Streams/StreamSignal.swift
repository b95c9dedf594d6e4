/// Wakes the tasks that wait for the next step of a stream's reader.
final class StreamSignal: Sendable {
    private let waiting = Lock<Deferred<Void>?>(nil)

    /// The next signal. A reader gets it before it looks for a step, so that it misses none.
    var next: Deferred<Void> {
        waiting.withLock { waiting in
            let next = waiting ?? Deferred()
            waiting = next
            return next
        }
    }

    func fire() {
        let waiting = waiting.withLock { $0.take() }
        waiting?.fulfill(())
    }
}

internal import ApusCore
internal import NIOCore

/// A timer on an event loop. It is counted while it is set. Confined to that loop.
final class LoopTimer {
    private let counters: LiveCounters
    private var scheduled: Scheduled<Void>?

    /// Calls `body` at `instant`, unless cancelled before.
    init(on engine: EventLoopEngine, at instant: MonotonicInstant, _ body: @escaping () -> Void) {
        self.counters = engine.shared.counters
        counters.add(to: .timers)
        // The closure retains the timer until it fires or is cancelled.
        scheduled = engine.loop.assumeIsolated().scheduleTask(deadline: NIODeadline(instant)) {
            self.end()
            body()
        }
    }

    func cancel() {
        let scheduled = scheduled
        end()
        scheduled?.cancel()
    }

    private func end() {
        guard scheduled != nil else { return }
        scheduled = nil
        counters.remove(from: .timers)
    }
}

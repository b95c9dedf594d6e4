internal import ApusCore
internal import NIOCore

/// The one timer of a connection. When it fires, its owner sets it again for the next time, if there is one.
struct ConnectionTimer {
    private let counters: LiveCounters
    private var callback: NIOScheduledCallback?
    private var due = MonotonicInstant(nanoseconds: 0)

    init(counters: LiveCounters) {
        self.counters = counters
    }

    /// Sets the timer to `next`, unless it is set to an earlier time. To be called on the loop.
    mutating func ensure(_ next: MonotonicInstant, on loop: any EventLoop, for owner: some NIOScheduledCallbackHandler)
    {
        if callback != nil, due <= next { return }
        stop()
        due = next
        callback = try? loop.assumeIsolated().scheduleCallback(at: NIODeadline(next), handler: owner)
        if callback != nil { counters.add(to: .timers) }
    }

    mutating func stop() {
        guard let callback else { return }
        self.callback = nil
        counters.remove(from: .timers)
        callback.cancel()
    }

    /// Records that the timer has fired. Returns `false` if it was stopped before.
    mutating func fired() -> Bool {
        guard callback != nil else { return false }
        callback = nil
        counters.remove(from: .timers)
        return true
    }
}

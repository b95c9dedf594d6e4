/// Calls a closure at an instant of the session's clock, unless it is cancelled before.
///
/// A running timer counts as a live resource of its session, so that tests can check that none is left behind.
struct DeadlineTimer: Sendable {
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - instant: When to call `fire`.
    ///   - environment: The session's clock and counters.
    ///   - executor: The executor of the timer. Default: the global one.
    ///   - fire: Called once, or never if the timer is cancelled in time.
    init(
        at instant: MonotonicInstant,
        in environment: SessionEnvironment,
        on executor: (any TaskExecutor)? = nil,
        _ fire: @escaping @Sendable () -> Void
    ) {
        let (clock, counters) = (environment.time, environment.counters)
        counters.add(to: .timers)
        task = Task(executorPreference: executor) {
            try? await clock.sleep(until: instant)
            counters.remove(from: .timers)
            if !Task.isCancelled { fire() }
        }
    }

    func cancel() { task.cancel() }
}

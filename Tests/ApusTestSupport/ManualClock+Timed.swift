internal import ApusCore
package import ApusTesting

extension ManualClock {
    /// Does some work, and advances this clock whenever a task sleeps.
    ///
    /// - Parameters:
    ///   - step: The time by which it is advanced. Default: 100 ms.
    ///   - work: The work.
    /// - Returns: Its result, and its duration by this clock. Tasks that sleep at the same time may make it longer.
    /// - Throws: The error of the work.
    package func timed<Value: Sendable>(
        step: Duration = .milliseconds(100),
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> (Value, Duration) {
        let begin = now
        let isDone = LockedValue(false)
        let task = Task {
            defer { isDone.value = true }
            return try await work()
        }
        while !isDone.value {
            if sleeperCount > 0 { advance(by: step) }
            await Task.yield()
        }
        return (try await task.value, begin.duration(to: now))
    }
}

package import ApusCore

/// Waits until other tasks make a condition true, for at most a minute, since they may wait for the disk. Yields between
/// the checks instead of sleeping.
package func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    repeat {
        for _ in 0..<1_000 {
            if condition() { return true }
            await Task.yield()
        }
    } while ContinuousClock.now < end && !Task.isCancelled
    return condition()
}

/// Returns the `ApusError` that `work` throws, or `nil` if it throws none.
package func failure<Failure: Error>(of work: () async throws(Failure) -> some Any) async -> ApusError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? ApusError
    }
}

package import ApusCore

/// Waits until other tasks make a condition true. Yields between the checks instead of sleeping.
package func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<200_000 {
        if condition() { return true }
        await Task.yield()
    }
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

/// Runs long operations and user code on the global executor instead of the event loop.
package func offEventLoop<Result: Sendable, Failure: Error>(
    _ operation: @concurrent @Sendable () async throws(Failure) -> Result
) async throws(Failure) -> Result {
    try await withTaskExecutorPreference(globalConcurrentExecutor, operation: operation)
}

extension UnsafeCurrentTask {
    /// The executor that the task prefers. `nil` if it has none.
    var preferredExecutor: (any TaskExecutor)? {
        unownedTaskExecutor?.asTaskExecutor()
    }
}

extension SessionCore {
    /// Runs `operation` in a new task, and cancels it after `duration`, or the limit that an adapter sets instead.
    ///
    /// It returns at that moment, even if the operation goes on. `late` receives the operation's value if it arrives
    /// after that. The task and its timer run on the global executor only if the caller does, as in `executorToEnter`.
    func bounded<Value: Sendable>(
        by duration: Duration,
        of context: RequestContext,
        to origin: Origin,
        late: @escaping @Sendable (Value) -> Void = { _ in },
        _ operation: @escaping @Sendable () async throws(ApusError) -> Value
    ) async throws(ApusError) -> Value {
        let outcome = Deferred<Result<Value, ApusError>>()
        let counters = environment.counters
        let executor = executor(ofCallerOn: #isolation, for: origin)
        // First, since an adapter in the task may change the limit.
        context.startLimit(duration, on: executor) { limit in
            outcome.fulfill(.failure(CancelReason.deadline(limit).error))
        }
        counters.add(to: .tasks)
        let work = Task(executorPreference: executor) {
            do throws(ApusError) {
                let value = try await operation()
                if !outcome.fulfill(.success(value)) { late(value) }
            } catch {
                outcome.fulfill(.failure(error))
            }
            counters.remove(from: .tasks)
        }
        defer {
            context.endLimit()
            // It may still run after the limit. A task that has ended is not affected.
            work.cancel()
        }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(.failure(CancelReason.task.error))
            work.cancel()
        }.get()
    }
}

/// Runs user code that may wait for anything, so that a cancelled request does not wait for it.
struct UserCode: Sendable {
    let environment: SessionEnvironment

    /// Returns the result of `operation`. Throws as soon as the task is cancelled or the session cancels its requests,
    /// even if the operation goes on.
    ///
    /// The operation runs off the event loop, unless the session is configured otherwise, and starts without a thread
    /// change if it can. Its own requests are not queued, since requests that wait for it may hold all slots.
    @concurrent
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async throws(ApusError) -> Value {
        if environment.configuration.handlerExecution == .eventLoop {
            return try await abandonable(on: withUnsafeCurrentTask { $0?.preferredExecutor }, operation)
        }
        if withUnsafeCurrentTask(body: { $0?.isOffLoop ?? true }) { return try await abandonable(on: nil, operation) }
        return try await offEventLoop { () async throws(ApusError) in try await abandonable(on: nil, operation) }
    }

    /// Runs the operation in a new task, whose only executor preference is `executor`.
    private func abandonable<Value: Sendable>(
        on executor: (any TaskExecutor)?,
        _ operation: @escaping @Sendable () async -> Value
    ) async throws(ApusError) -> Value {
        let outcome = Deferred<Result<Value, ApusError>>()
        let counters = environment.counters
        counters.add(to: .tasks)
        let work = environment.limiter.startingAwaited {
            beginning(on: executor) {
                outcome.fulfill(.success(await operation()))
                counters.remove(from: .tasks)
            }
        }
        if let result = outcome.present { return try result.get() }
        let fail = { @Sendable (error: ApusError) in
            outcome.fulfill(.failure(error))
            work.cancel()
        }
        return try await environment.limiter.pausing(until: outcome, failing: fail)
    }

    /// Creates a task that starts at once on the current thread, if the system supports that.
    private func beginning(
        on executor: (any TaskExecutor)?,
        _ operation: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, *) {
            Task.immediate(executorPreference: executor) { await operation() }
        } else {
            Task(executorPreference: executor) { await operation() }
        }
    }
}

extension RequestLimiter {
    /// Waits for an outcome other than a slot or an exchange. Throws if the waiting task is cancelled or the session
    /// cancels its requests.
    func pausing<Value: Sendable>(
        until outcome: Deferred<Result<Value, ApusError>>,
        failing fail: @escaping @Sendable (ApusError) -> Void
    ) async throws(ApusError) -> Value {
        let paused = PausedRequest(fail: fail)
        begin(paused)
        defer { end(paused) }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            fail(CancelReason.task.error)
        }.get()
    }
}

extension SessionEnvironment {
    /// Runs user code for which a request holds its slot. Requests that the code sends with the same session are not
    /// queued, since requests that wait for the code may hold all slots.
    package func awaiting<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await limiter.awaiting(operation)
    }
}

extension UnsafeCurrentTask {
    /// Whether the task runs on the global executor.
    fileprivate var isOffLoop: Bool {
        preferredExecutor.map { ObjectIdentifier($0) == ObjectIdentifier(globalConcurrentExecutor) } ?? true
    }
}

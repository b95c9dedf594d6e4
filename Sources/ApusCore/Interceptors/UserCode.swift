/// Runs what users wrote and what may wait for anything, so that nobody who was given up has to wait for it.
struct UserCode: Sendable {
    let environment: SessionEnvironment

    /// What `operation` makes. It throws as soon as the task is cancelled, or the session sends everybody away, whatever the
    /// operation does with that.
    ///
    /// It runs off the loop, unless the session says otherwise, and begins without a change of thread where it can.
    /// Requests that it makes need not wait for their turn: those that wait for it may hold every place there is.
    @concurrent
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async throws(ApusError) -> Value {
        if environment.configuration.userCode == .onLoop {
            return try await abandonable(on: withUnsafeCurrentTask { $0?.preferredExecutor }, operation)
        }
        if withUnsafeCurrentTask(body: { $0?.isOffLoop ?? true }) { return try await abandonable(on: nil, operation) }
        return try await offLoop { () async throws(ApusError) in try await abandonable(on: nil, operation) }
    }

    /// A task of its own has no preference but the one that it is given.
    private func abandonable<Value: Sendable>(
        on executor: (any TaskExecutor)?,
        _ operation: @escaping @Sendable () async -> Value
    ) async throws(ApusError) -> Value {
        let outcome = Deferred<Result<Value, ApusError>>()
        let counters = environment.counters
        counters.add(to: .tasks)
        let work = environment.roster.beginningAwaited {
            beginning(on: executor) {
                outcome.fulfill(.success(await operation()))
                counters.remove(from: .tasks)
            }
        }
        if let result = outcome.present { return try result.get() }
        let giveUp = { @Sendable (error: ApusError) in
            outcome.fulfill(.failure(error))
            work.cancel()
        }
        return try await environment.roster.pausing(until: outcome, givingUp: giveUp)
    }

    /// A task that begins at once, on this thread, where the system can do that.
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

extension Roster {
    /// What comes of something that is neither a place nor the wire, or why it was given up: by the task that waits for it,
    /// or by who sends everybody away.
    func pausing<Value: Sendable>(
        until outcome: Deferred<Result<Value, ApusError>>,
        givingUp giveUp: @escaping @Sendable (ApusError) -> Void
    ) async throws(ApusError) -> Value {
        let pause = Pause(giveUp: giveUp)
        begin(pause)
        defer { end(pause) }
        return try await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            giveUp(CancelReason.task.error)
        }.get()
    }
}

extension SessionEnvironment {
    /// Runs code of the user's for whose sake a request holds its place: what it asks of the same session need not wait for
    /// its turn, since those that wait for it may hold every place there is.
    package func awaiting<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        try await roster.awaiting(operation)
    }
}

extension UnsafeCurrentTask {
    /// Whether the task runs on the global executor.
    fileprivate var isOffLoop: Bool {
        preferredExecutor.map { ObjectIdentifier($0) == ObjectIdentifier(globalConcurrentExecutor) } ?? true
    }
}

/// Runs what users wrote and what may wait for anything, so that nobody who was given up has to wait for it.
struct UserCode: Sendable {
    let core: SessionCore

    /// What `operation` makes; `nil` as soon as the task is cancelled, whatever the operation does with that.
    ///
    /// It runs off the loop, unless the session says otherwise, and begins without a change of thread where it can.
    /// Requests that it makes need not wait for their turn: those that wait for it may hold every place there is.
    @concurrent
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value? {
        let mayStay = core.configuration.userCode == .onLoop || withUnsafeCurrentTask { $0?.isOffLoop ?? true }
        if mayStay { return await abandonable(operation) }
        return await offLoop { await abandonable(operation) }
    }

    private func abandonable<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value? {
        let outcome = Deferred<Value?>()
        let counters = core.environment.counters
        counters.add(to: .tasks)
        let work = Roster.$admitsAtOnce.withValue(true) {
            beginning {
                outcome.fulfill(await operation())
                counters.remove(from: .tasks)
            }
        }
        if let value = outcome.present { return value }
        return await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(nil)
            work.cancel()
        }
    }

    /// A task that begins at once, on this thread, where the system can do that.
    private func beginning(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, *) {
            Task.immediate { await operation() }
        } else {
            Task { await operation() }
        }
    }
}

extension UnsafeCurrentTask {
    /// Whether the task runs on the global executor.
    fileprivate var isOffLoop: Bool {
        preferredExecutor.map { ObjectIdentifier($0) == ObjectIdentifier(globalConcurrentExecutor) } ?? true
    }
}

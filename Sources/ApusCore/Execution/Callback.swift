/// Adapts code with a completion handler to async code.
enum Callback {
    /// Returns the first value that `begin` calls back with, or `cancelled` as soon as the task is cancelled.
    static func result<Value: Sendable>(
        whenCancelled cancelled: @autoclosure @escaping @Sendable () -> Value,
        _ begin: (_ completion: @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        let outcome = Deferred<Value>()
        begin { outcome.fulfill($0) }
        return await withTaskCancellationHandler {
            await outcome.value
        } onCancel: {
            outcome.fulfill(cancelled())
        }
    }
}

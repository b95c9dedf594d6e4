/// Code that calls back, for those who await.
enum Callback {
    /// What `begin` calls back with first; at once `cancelled` where the task is cancelled before.
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

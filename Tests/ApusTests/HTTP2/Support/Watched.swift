import ApusCore

/// A value that a server changes and that a test waits for.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter: Sendable {
        let isMet: @Sendable (Value) -> Bool
        let continuation: UnsafeContinuation<Void, Never>
    }

    private struct State: Sendable {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var lastToken = 0

        /// Removes and returns the waiters whose condition is met.
        mutating func takeMet() -> [Waiter] {
            guard !waiters.isEmpty else { return [] }
            var met: [Waiter] = []
            for (token, waiter) in waiters where waiter.isMet(value) {
                waiters[token] = nil
                met.append(waiter)
            }
            return met
        }
    }

    private let state: Lock<State>

    init(_ value: Value) {
        self.state = Lock(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value and resumes the tasks whose condition is met.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = body(&state.value)
            return (result, state.takeMet())
        }
        for waiter in met { waiter.continuation.resume() }
        return result
    }

    /// Waits until the value meets a condition, which must only look at the value.
    ///
    /// ## Cancellation
    /// Returns early when the task is cancelled.
    func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        let token = state.withLock { state in
            state.lastToken += 1
            return state.lastToken
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let isThrough = state.withLock { state in
                    // Checked under the lock: a later cancellation finds the waiter in the list.
                    if Task.isCancelled || isMet(state.value) { return true }
                    state.waiters[token] = Waiter(isMet: isMet, continuation: continuation)
                    return false
                }
                if isThrough { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: token) }?.continuation.resume()
        }
    }
}

/// A value that will be there once, for any number of tasks that wait for it.
package final class Deferred<Value: Sendable>: Sendable {
    private enum State {
        case waiting([UnsafeContinuation<Value, Never>])
        case fulfilled(Value)
    }

    private let state = Lock(State.waiting([]))

    package init() {}

    /// Puts the value in; only the first counts.
    @discardableResult
    package func fulfill(_ value: Value) -> Bool {
        let waiters = state.withLock { state -> [UnsafeContinuation<Value, Never>]? in
            guard case .waiting(let waiters) = state else { return nil }
            state = .fulfilled(value)
            return waiters
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume(returning: value) }
        return true
    }

    /// The value, if it is there.
    package var present: Value? {
        state.withLock { if case .fulfilled(let value) = $0 { value } else { nil } }
    }

    /// The value, as soon as it is there.
    package var value: Value {
        get async {
            await withUnsafeContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    switch state {
                    case .waiting(var waiters):
                        waiters.append(continuation)
                        state = .waiting(waiters)
                        return nil
                    case .fulfilled(let value):
                        return value
                    }
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}

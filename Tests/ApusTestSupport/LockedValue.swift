internal import ApusCore

/// A value that any task can change.
package final class LockedValue<Value: Sendable>: Sendable {
    private let stored: Lock<Value>

    package init(_ value: Value) {
        self.stored = Lock(value)
    }

    package var value: Value {
        get { stored.withLock { $0 } }
        set {
            // Released outside the lock.
            let replaced = stored.withLock { stored in
                defer { stored = newValue }
                return stored
            }
            withExtendedLifetime(replaced) {}
        }
    }

    @discardableResult
    package func change<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        stored.withLock { change(&$0) }
    }
}

extension LockedValue<Int> {
    /// Increases the value and returns the result.
    package func increased(by number: Int) -> Int {
        change { value in
            value += number
            return value
        }
    }
}

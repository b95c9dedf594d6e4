internal import ApusCore

/// A thread-safe box for a value that is set later, such as a session that its own middleware uses.
package final class LockedBox<Value: Sendable>: Sendable {
    private let stored = Lock<Value?>(nil)

    package init() {}

    package var value: Value? {
        get { stored.withLock { $0 } }
        set {
            let replaced = stored.withLock { stored in
                defer { stored = newValue }
                return stored
            }
            withExtendedLifetime(replaced) {}
        }
    }
}

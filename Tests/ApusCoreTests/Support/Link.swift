@testable internal import ApusCore

/// Holds what comes to be later for those who are made before it, a session for example.
final class Link<Value: Sendable>: Sendable {
    private let stored = Lock<Value?>(nil)

    var value: Value? {
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

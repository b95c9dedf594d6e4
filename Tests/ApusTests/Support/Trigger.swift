import Apus

/// Runs a cancellation when fired, even if it is set only after that.
final class Trigger: Sendable {
    private let state = Lock<(isFired: Bool, action: (@Sendable () -> Void)?)>((false, nil))

    func fire() {
        state.withLock { state in
            state.isFired = true
            return state.action
        }?()
    }

    /// Releases the cancellation, which may retain this object.
    func clear() { state.withLock { $0.action = nil } }

    func set(_ action: @escaping @Sendable () -> Void) {
        let isFired = state.withLock { state in
            state.action = action
            return state.isFired
        }
        if isFired { action() }
    }
}

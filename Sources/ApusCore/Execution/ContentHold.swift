/// Holds back the bodies of a request's exchanges while its handle is suspended.
///
/// The handle changes it, and each exchange that sends a body follows it. It counts, so that a suspension and a
/// resumption that two threads report at the same time may arrive in any order.
package final class ContentHold: Sendable {
    package typealias Watch = @Sendable () -> Void

    private struct State {
        /// The number of suspensions that have not ended.
        var count = 0
        var watches: [Int: Watch] = [:]
        var nextID = 0
    }

    private let state = Lock(State())

    package init() {}

    /// Whether bodies are held back now.
    package var isHeld: Bool { state.withLock { $0.count > 0 } }

    /// Holds bodies back, until `release` is called as often.
    package func hold() { change(by: 1) }

    /// Ends a call of `hold`.
    package func release() { change(by: -1) }

    private func change(by step: Int) {
        let watches = state.withLock { state -> [Watch] in
            state.count += step
            return Array(state.watches.values)
        }
        for watch in watches { watch() }
    }

    /// Calls a closure after each change, until `unwatch` is called. A caller that reads `isHeld` after this call
    /// misses no change.
    ///
    /// - Parameter watch: The closure. It is called on the thread of the change, and must not block.
    /// - Returns: The number of the closure, for `unwatch`.
    package func watch(_ watch: @escaping Watch) -> Int {
        state.withLock { state in
            defer { state.nextID += 1 }
            state.watches[state.nextID] = watch
            return state.nextID
        }
    }

    /// Releases a closure. It may be called once more, by a change at the same time.
    package func unwatch(_ id: Int) {
        // Released outside the lock.
        let removed = state.withLock { $0.watches.removeValue(forKey: id) }
        withExtendedLifetime(removed) {}
    }
}

extension RequestContext {
    private enum HoldKey: RequestContextKey {
        typealias Value = ContentHold
    }

    /// The hold of the request's bodies, which is made for the first caller. `nil` without a handle that could suspend
    /// the request.
    package var contentHold: ContentHold? {
        guard isSuspendable else { return nil }
        return value(of: HoldKey.self) { ContentHold() }
    }
}

package import ApusCore
package import ApusReachability
package import Dispatch

/// A network whose status the test sets.
package final class FakeNetwork: ObservedNetwork {
    private final class Observation: Sendable {
        private let network: FakeNetwork
        private let number: Int

        init(_ network: FakeNetwork, _ number: Int) {
            self.network = network
            self.number = number
        }

        deinit { network.remove(number) }
    }

    private struct State {
        var status: ReachabilityStatus
        var refusal: ApusError?
        /// Each reports a change to its watcher.
        var watchers: [Int: @Sendable () -> Void] = [:]
        var watchCount = 0
    }

    private let state: Lock<State>

    /// - Parameters:
    ///   - status: The status at first.
    ///   - refusal: The error of watching it. Default: `nil`.
    package init(_ status: ReachabilityStatus, refusing refusal: ApusError? = nil) {
        self.state = Lock(State(status: status, refusal: refusal))
    }

    /// Whether it is watched.
    package var isWatched: Bool { state.withLock { !$0.watchers.isEmpty } }

    /// How often a watch has begun.
    package var watchCount: Int { state.withLock { $0.watchCount } }

    /// Changes the status, and reports that to all watchers.
    package func become(_ status: ReachabilityStatus) {
        let watchers = state.withLock { state in
            state.status = status
            return Array(state.watchers.values)
        }
        for changed in watchers { changed() }
    }

    package func status() -> ReachabilityStatus { state.withLock { $0.status } }

    package func watch(
        on queue: DispatchQueue,
        _ changed: @escaping @Sendable () -> Void
    ) throws(ApusError) -> any AnyObject & Sendable {
        let (number, refusal) = state.withLock { state -> (Int, ApusError?) in
            if let refusal = state.refusal { return (0, refusal) }
            state.watchCount += 1
            state.watchers[state.watchCount] = { queue.async(execute: changed) }
            return (state.watchCount, nil)
        }
        if let refusal { throw refusal }
        return Observation(self, number)
    }

    private func remove(_ number: Int) {
        let watcher = state.withLock { $0.watchers.removeValue(forKey: number) }
        withExtendedLifetime(watcher) {}
    }
}
